#!/usr/bin/env bash
# date 3.0.1 (Howard Hinnant's library, Debian's package with the zones of the system): a zone stays for ever at the last change that its file
# lists. With small files that is this winter.
#
# A zone file has a list of changes and, at its end, the rule for all years after the list. One would guess that a library for zones reads
# both, as the C library does. This one reads the list alone. Debian's files list changes until 2037 (zic -b fat), so from 2038 on there is
# no summer time. zic itself has written small files (-b slim) by default since 2020b; they list no change that the rule gives. With such a
# file Berlin is in the summer time of March 1996 until the year 32767: a job for 02:30 comes an hour early in each winter, and nothing says
# so. The same program gives right times on one distribution and wrong ones on another.
#
# Look at what get_info() says of a time behind 2037, or take a library that reads the rule, such as cctz or C++20's own zones.
#
# Seen: libhowardhinnant-date-dev 3.0.1+ds-5, tzdata 2025b, g++ 12.2. Berlin, 1 July 2038: CET (libc: CEST). With a slim file: 1 December
# 2026 CEST, in a span from 1996-03-31 to 32767-12-31 (libc: CET).
#
# Needs Debian 12 (apt-get), g++, dpkg-deb, zic, unshare. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libhowardhinnant-date-dev=3.0.1+ds-5 libdate-tz3=3.0.1+ds-5 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done

cat >look.cpp <<'CPP'
#include <date/tz.h>

#include <iostream>

int main() {
  using namespace date;
  const auto* const berlin = locate_zone("Europe/Berlin");
  for (const auto day : {sys_days{2026_y / December / 1}, sys_days{2038_y / July / 1}}) {
    const auto info = berlin->get_info(sys_seconds{day});
    std::cout << format("%F", day) << ' ' << info.abbrev << " since " << format("%F", info.begin) << '\n';
  }
}
CPP
lib=$(dirname "$(find library -name 'libdate-tz.so')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -ldate-tz

echo "the system's file:"
./look | tee fat
echo "libc: 2038-07-01 $(TZ=Europe/Berlin date -d '2038-07-01 12:00 UTC' +%Z)"

cat >rules <<'ZONE'
Rule EU 1981 max - Mar lastSun 1:00u 1:00 S
Rule EU 1996 max - Oct lastSun 1:00u 0 -
Rule EU 1979 1995 - Sep lastSun 1:00u 0 -
Zone Europe/Berlin 1:00 EU CE%sT
ZONE
zic -b slim -d small rules
echo "a small file with the rule $(tail -n 1 small/Europe/Berlin):"
# Only this program sees the small file.
unshare --map-root-user --mount bash -c 'mount --bind small/Europe/Berlin /usr/share/zoneinfo/Europe/Berlin
  ./look >slim
  echo "libc: 2026-12-01 $(TZ=Europe/Berlin date -d "2026-12-01 12:00 UTC" +%Z)" >libc'
cat slim libc
changed() { echo "not as it was seen: $1" >&2; exit 1; }
[[ $(cat fat) == $'2026-12-01 CET since 2026-10-25\n2038-07-01 CET since 2037-10-25' ]] || changed 'the file of the system'
[[ $(cat slim) == $'2026-12-01 CEST since 1996-03-31\n2038-07-01 CEST since 1996-03-31' ]] || changed 'the small file'
[[ $(cat libc) == 'libc: 2026-12-01 CET' ]] || changed libc
