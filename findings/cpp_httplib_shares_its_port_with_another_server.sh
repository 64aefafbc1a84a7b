#!/usr/bin/env bash
# cpp-httplib 0.11.4: a second server on the same port starts without an error, and the kernel gives it half of the connections.
#
# One would guess that bind fails with "address in use", as with nearly every server. But httplib sets SO_REUSEPORT, so any process of the
# same user that sets it, too, gets the port: the old version of a service that was not stopped, a second start by hand, a test that runs
# twice. Each answers a part of the requests, so a deploy seems to work and then not, and a lock that rests on "only one can have the
# port" holds nobody back. set_socket_options() with SO_REUSEADDR alone has the second one refused.
#
# Our examples do that (demos/http_guard/service.cpp, demos/supervised_service/web_server.cpp); the library's own pages do not use
# httplib.
#
# Seen: libcpp-httplib-dev 0.11.4+ds-1+deb12u1, g++ 12.2. Two processes listen at the same port of 127.0.0.1; of 200 connections each
# answers some (about 100). With options of one's own the second bind_to_port() returns false.
#
# Needs Debian 12 (apt-get) with libssl-dev, g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libcpp-httplib-dev libcpp-httplib0.11 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field libcpp-httplib-dev_*.deb Version) == 0.11.4+ds-1* ]] || { echo 'Debian 12 has another httplib' >&2; exit 1; }

cat >look.cpp <<'CPP'
#include <httplib.h>

#include <arpa/inet.h>
#include <csignal>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// The body of the answer.
std::string get(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0
      && write(connection, request.data(), request.size()) > 0)
    for (char bytes[4096];;) {
      const auto got = read(connection, bytes, sizeof bytes);
      if (got <= 0)
        break;
      answer.append(bytes, static_cast<std::size_t>(got));
    }
  close(connection);
  const auto end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

void with_address_reuse_only(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

int main() {
  httplib::Server first;
  first.Get("/", [](const httplib::Request&, httplib::Response& x) { x.set_content("first", "text/plain"); });
  const int port = first.bind_to_any_port("127.0.0.1");
  int ready[2];
  if (pipe(ready) != 0)
    return 1;
  const auto child = fork();
  if (child == 0) { // another program, as far as the kernel is concerned
    httplib::Server second;
    second.Get("/", [](const httplib::Request&, httplib::Response& x) { x.set_content("second", "text/plain"); });
    const char is_bound = second.bind_to_port("127.0.0.1", port) ? 'y' : 'n';
    if (write(ready[1], &is_bound, 1) == 1 && is_bound == 'y')
      second.listen_after_bind();
    _exit(0);
  }
  char is_bound = '?';
  if (read(ready[0], &is_bound, 1) != 1)
    return 1;
  std::thread thread{[&] { first.listen_after_bind(); }};
  int firsts = 0;
  int seconds = 0;
  for (int i = 0; i < 200; ++i) {
    const auto body = get(port);
    firsts += body == "first" ? 1 : 0;
    seconds += body == "second" ? 1 : 0;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  first.stop();
  thread.join();

  httplib::Server alone;
  httplib::Server refused;
  alone.set_socket_options(with_address_reuse_only);
  refused.set_socket_options(with_address_reuse_only);
  const int other_port = alone.bind_to_any_port("127.0.0.1");
  std::thread listening{[&] { alone.listen_after_bind(); }};
  while (!alone.is_running())
    usleep(1000);
  const bool is_refused = !refused.bind_to_port("127.0.0.1", other_port);
  alone.stop();
  listening.join();
  std::cout << "second bind: " << is_bound << "; answers of the first: " << firsts << ", of the second: " << seconds
            << "\nwith options of one's own the second is refused: " << is_refused << '\n';
  return is_bound == 'y' && firsts > 0 && seconds > 0 && firsts + seconds == 200 && is_refused ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libcpp-httplib.so')")
g++ -std=c++17 -O0 -DCPPHTTPLIB_OPENSSL_SUPPORT -DCPPHTTPLIB_ZLIB_SUPPORT -DCPPHTTPLIB_BROTLI_SUPPORT -isystem library/usr/include \
  look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcpp-httplib -pthread
timeout 120 ./look
