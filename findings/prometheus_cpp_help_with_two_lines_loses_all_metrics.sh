#!/usr/bin/env bash
# prometheus-cpp 1.0.1 and Prometheus 2.42: one help text of two lines, and nothing that the program measures arrives.
#
# One would guess that the serializer writes "\n" for a line break, as the text format has it and as it does for the values of labels. But
# it writes the help text as it is. The second line is then a sample without a value, and Prometheus refuses the whole answer: each
# metric of the program, also of other registries of the same Exposer, is gone, up is 0, and alerts that compare values are silent. No test
# that looks for its own line in the text sees it.
#
# Whoever collects the metrics of this library by prometheus-cpp (examples/metrics/with_prometheus_cpp.cpp) gets help texts of one line
# from it; their own are theirs to watch.
#
# Seen: libprometheus-cpp-core1.0 1.0.1-1, prometheus 2.42.0+ds-5+deb12u1, g++ 12.2. With the help "Jobs.\nAll kinds." Prometheus says up 0 and
# has no series of the two counters; with "Jobs. All kinds." it says up 1 and has both.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb, curl. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
children=()
trap 'for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done; wait; rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq prometheus-cpp-dev=1.0.1-1 libprometheus-cpp-core1.0=1.0.1-1 prometheus >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field prometheus_*.deb Version) == 2.42.0+ds-5* ]] || { echo 'Debian 12 has another Prometheus' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <arpa/inet.h>
#include <iostream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

// A socket at a port that is free, and the port.
std::pair<int, int> door() {
  const int result = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(result, any, size) != 0 || listen(result, 8) != 0 || getsockname(result, any, &size) != 0)
    _exit(1);
  return {result, ntohs(address.sin_port)};
}

// Prints its port, and one that is free; then serves its metrics to all who ask.
int main(int, char** argv) {
  prometheus::Registry registry;
  prometheus::BuildCounter().Name("jobs_total").Help(argv[1]).Register(registry).Add({}).Increment();
  prometheus::BuildCounter().Name("mails_total").Help("Mails.").Register(registry).Add({}).Increment();
  const auto text = prometheus::TextSerializer{}.Serialize(registry.Collect());
  const auto answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\nContent-Length: "
                      + std::to_string(text.size()) + "\r\n\r\n" + text;
  const auto [own, port] = door();
  const auto [other, free_port] = door();
  close(other);
  std::cout << port << ' ' << free_port << std::endl;
  for (;;) {
    const int connection = accept(own, nullptr, nullptr);
    char request[4096];
    if (read(connection, request, sizeof request) > 0 && write(connection, answer.data(), answer.size()) < 0)
      return 1;
    close(connection);
  }
}
CPP
lib=$(dirname "$(find library -name 'libprometheus-cpp-core.so')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lprometheus-cpp-core

value() { # port, metric; prints the value, or nothing
  curl --silent --noproxy '*' --get "http://127.0.0.1:$1/api/v1/query" --data-urlencode "query=$2" |
    sed -nE 's/.*"value":\[[0-9.]+,"([^"]*)"\].*/\1/p'
}

look() { # name, help; prints up and both counters
  local own free
  mkfifo "$1.ports"
  ./look "$2" >"$1.ports" &
  children+=($!)
  read -r own free <"$1.ports"
  cat >"$1.yml" <<YML
global: {scrape_interval: 1s}
scrape_configs: [{job_name: jobs, static_configs: [{targets: ['127.0.0.1:$own']}]}]
YML
  library/usr/bin/prometheus --config.file="$1.yml" --storage.tsdb.path="$1.data" --web.listen-address="127.0.0.1:$free" >"$1.log" 2>&1 &
  children+=($!)
  for ((i = 0; i < 300; ++i)); do
    [[ -z $(value "$free" up) ]] || break
    sleep 0.2
  done
  seen="up $(value "$free" up), jobs_total: $(value "$free" jobs_total), mails_total: $(value "$free" mails_total)"
  echo "$1: $seen"
}

failed=0
look one_line 'Jobs. All kinds.'
[[ $seen == 'up 1, jobs_total: 1, mails_total: 1' ]] || failed=1
look two_lines $'Jobs.\nAll kinds.'
[[ $seen == 'up 0, jobs_total: , mails_total: ' ]] || failed=1
((failed == 0)) || exit 1
