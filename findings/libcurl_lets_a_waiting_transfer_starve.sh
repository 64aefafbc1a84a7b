#!/usr/bin/env bash
# libcurl 7.88.1: a transfer that waits for a limit of connections is overtaken by all that are added later, for as long as any are.
#
# One would guess a queue: with CURLMOPT_MAX_HOST_CONNECTIONS at 1, requests to one host go in the order in which they were added. But a
# transfer that found no free connection goes to the end of the list each time that it may try again, and whichever comes first in the
# list gets the connection. So with calls of some milliseconds the order is 0 1 3 5 4 2. A program that adds a new transfer whenever one
# ends, as each crawler and each pool of workers does, has the new ones served at once and the two oldest never. CURLOPT_TIMEOUT counts
# that wait, too, so they fail without ever having been sent. A queue of one's own in front of libcurl, with no more transfers inside
# than connections, keeps the order.
#
# Seen: libcurl4 7.88.1-10+deb12u15, g++ 12.2. Six transfers at once, then a new one for each that ends: the server gets
# 0 1 3 5 6 7 8 ... 29, and only when no more are added 4 and 2.
#
# Needs Debian 12 (apt-get) with libcurl4's own dependencies (the package curl), g++, dpkg-deb. Exits with 1 if that changes: if transfer
# 2 is not the last of thirty.
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
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

std::mutex mutex;
std::condition_variable changed;
std::vector<int> order;  // of the requests at the server
std::size_t allowed = 0; // how many it may answer

// Notes the number of each request, which is its path, and answers when it may.
void serve(int connection) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (;;) {
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
      char bytes[4096];
      const auto got = read(connection, bytes, sizeof bytes);
      if (got <= 0) {
        close(connection);
        return;
      }
      request.append(bytes, static_cast<std::size_t>(got));
    }
    {
      std::unique_lock lock{mutex};
      order.push_back(std::stoi(request.substr(request.find('/') + 1)));
      const auto mine = order.size();
      changed.wait(lock, [mine] { return allowed >= mine; });
    }
    if (write(connection, answer.data(), answer.size()) < 0)
      return;
  }
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

  constexpr int all = 30;
  auto* const multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
  int added = 0;
  const auto add = [&] {
    auto* const one = curl_easy_init();
    const auto url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/" + std::to_string(added++);
    curl_easy_setopt(one, CURLOPT_URL, url.c_str());
    curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(one, CURLOPT_NOPROXY, "*");
    curl_multi_add_handle(multi, one);
  };
  while (added < 6)
    add();
  int running = 0;
  for (int ended = 0; ended < all;) {
    // A call takes longer than it takes libcurl to see that all others must wait.
    for (int i = 0; i < 5; ++i) {
      curl_multi_perform(multi, &running);
      curl_multi_poll(multi, nullptr, 0, 2, nullptr);
    }
    {
      const std::lock_guard lock{mutex};
      ++allowed;
    }
    changed.notify_all();
    for (const auto before = ended; ended == before;) {
      curl_multi_perform(multi, &running);
      int left = 0;
      while (auto* const message = curl_multi_info_read(multi, &left)) {
        if (message->msg != CURLMSG_DONE || message->data.result != CURLE_OK)
          return 1;
        ++ended;
        if (added < all)
          add();
      }
      if (ended == before)
        curl_multi_poll(multi, nullptr, 0, 50, nullptr);
    }
  }
  const std::lock_guard lock{mutex};
  std::cout << "order at the server:";
  for (const int number : order)
    std::cout << ' ' << number;
  std::cout << std::endl;
  _exit(order.size() == all && order.back() == 2 ? 0 : 1);
}
CPP
include=$(dirname "$(dirname "$(find library -name curl.h)")")
lib=$(dirname "$(find library -name 'libcurl.so')")
g++ -std=c++17 -isystem "$include" look.cpp -o look -L"$lib" -Wl,-rpath,"$PWD/$lib" -lcurl -pthread
./look
