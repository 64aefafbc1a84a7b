#!/usr/bin/env bash
# libcurl 7.88.1: one call sends a POST twice, without any option for retries, and says that all went well.
#
# One would guess that a POST whose connection closes without an answer fails, so that the program decides whether it may be sent again.
# But if the connection was used before and not one byte of an answer came, libcurl takes it for one that the server had closed as idle.
# It connects anew and sends the request again, body and all, whatever the method. A server that was killed after it had done the work
# and before it answered, or a proxy that gave up, does the work twice. Nothing tells the program; CURLINFO_NUM_CONNECTS is 1 for an
# ordinary new connection, too. CURLOPT_FRESH_CONNECT or CURLOPT_FORBID_REUSE avoids it, as does a key that the server looks at.
#
# Our own example forbids reuse and sends a key (demos/http_guard/http_worker.cpp).
#
# Seen: libcurl4 7.88.1-10+deb12u15, g++ 12.2. The server answers the first POST of each connection, and closes at the second, which it
# has read. Two calls of curl_easy_perform both return CURLE_OK with status 200; the server has read 3 POSTs with their bodies.
#
# Needs Debian 12 (apt-get) with libcurl4's own dependencies (the package curl), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcurl4 libcurl4-openssl-dev >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field libcurl4_*.deb Version) == 7.88.1-10+deb12u* ]] || { echo 'Debian 12 has another libcurl' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <curl/curl.h>

#include <arpa/inet.h>
#include <atomic>
#include <iostream>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

std::atomic<int> posts{0};

// Answers the first POST of a connection. Closes it when it has read the second.
void serve(int connection) {
  const std::string body = "job 17";
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
  for (int n = 0; n < 2; ++n) {
    std::string request;
    while (request.find(body) == std::string::npos) {
      char bytes[4096];
      const auto got = read(connection, bytes, sizeof bytes);
      if (got <= 0)
        break;
      request.append(bytes, static_cast<std::size_t>(got));
    }
    if (request.rfind("POST ", 0) != 0)
      break;
    ++posts;
    if (n == 0 && write(connection, answer.data(), answer.size()) < 0)
      break;
  }
  close(connection);
}

std::size_t ignore(char*, std::size_t size, std::size_t n, void*) { return size * n; }

int main() {
  const int door = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(door, any, size) != 0 || listen(door, 8) != 0 || getsockname(door, any, &size) != 0)
    return 1;
  std::thread{[door] {
    for (;;)
      std::thread{serve, accept(door, nullptr, nullptr)}.detach();
  }}.detach();

  auto* const curl = curl_easy_init();
  const auto url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/jobs";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "job 17");
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  bool are_well = true;
  for (int call = 1; call <= 2; ++call) {
    const auto result = curl_easy_perform(curl);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    std::cout << "call " << call << ": " << curl_easy_strerror(result) << ", status " << status << "; the server has read "
              << posts << " POSTs\n";
    are_well = are_well && result == CURLE_OK && status == 200;
  }
  std::cout.flush();
  _exit(are_well && posts == 3 ? 0 : 1);
}
CPP
include=$(dirname "$(dirname "$(find library -name curl.h)")")
lib=$(dirname "$(find library -name 'libcurl.so')")
g++ -std=c++17 -isystem "$include" look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcurl -pthread
./look
