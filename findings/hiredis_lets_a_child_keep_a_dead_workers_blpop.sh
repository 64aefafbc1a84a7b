#!/usr/bin/env bash
# hiredis 0.14.1 and Redis 7.0.15: a worker that was killed while it waited in BLPOP still takes a job, if it had started a child process.
#
# One would guess that the kernel closes the connection with the process, and that Redis forgets the waiting client. But hiredis opens its
# socket without CLOEXEC, so each program that the worker starts (a converter, a shell, a daemon that outlives it) has the socket, too.
# While it runs, the connection is open, and keepalive probes are answered. The next job is popped for the client that is dead, and nobody
# has it then: no error anywhere. A worker without children gives its place up at once. LMOVE to a list of one's own would keep the job.
#
# Our own example closes what a child would inherit (examples/common/process.cpp).
#
# Seen: libhiredis0.14 0.14.1-3, redis-tools 5:7.0.15-1~deb12u10, g++ 12.2. The worker is killed (SIGKILL), then one job is pushed:
# without a child 1 job is in the list; with a child `cat` 0 are, and CLIENT LIST has the dead worker.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libhiredis-dev=0.14.1-3 libhiredis0.14=0.14.1-3 libjemalloc2=5.3.0-1 liblzf1=3.6-3 redis-tools >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done
[[ $(dpkg-deb --field redis-tools_*.deb Version) == 5:7.0.15-1~deb12u* ]] || { echo 'Debian 12 has another Redis' >&2; exit 1; }
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/library" -name 'libhiredis.so')")
export LD_LIBRARY_PATH

cat >look.cpp <<'CPP'
#include <hiredis/hiredis.h>

#include <csignal>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

// The answer, as text; numbers as their digits.
std::string ask(redisContext* c, const char* command) {
  auto* const reply = static_cast<redisReply*>(redisCommand(c, command));
  if (reply == nullptr)
    return "no answer";
  auto text = reply->type == REDIS_REPLY_INTEGER ? std::to_string(reply->integer)
                                                 : std::string{reply->str == nullptr ? "" : reply->str};
  freeReplyObject(reply);
  return text;
}

int main(int, char** argv) {
  auto* const c = redisConnectUnix(argv[1]);
  std::string seen;
  int pipe_ends[2]; // the child runs until this program ends
  if (pipe(pipe_ends) != 0)
    return 1;
  for (const bool has_child : {false, true}) {
    const auto worker = fork();
    if (worker == 0) {
      auto* const mine = redisConnectUnix(argv[1]);
      ask(mine, "CLIENT SETNAME worker");
      close(pipe_ends[1]);
      if (has_child && fork() == 0) {
        dup2(pipe_ends[0], STDIN_FILENO);
        execlp("cat", "cat", nullptr);
        _exit(1);
      }
      ask(mine, "BLPOP jobs 0");
      _exit(0);
    }
    while (ask(c, "CLIENT LIST").find("cmd=blpop") == std::string::npos)
      usleep(10'000);
    usleep(200'000); // time for the child to begin
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
    const auto is_known = [c] { return ask(c, "CLIENT LIST").find("name=worker") != std::string::npos; };
    for (int i = 0; i < 300 && is_known(); ++i)
      usleep(10'000); // time for Redis to notice
    const bool is_listed = is_known();
    ask(c, "RPUSH jobs one");
    const auto jobs = ask(c, "LLEN jobs");
    std::cout << (has_child ? "with a child: " : "without a child: ") << jobs << " jobs in the list, dead worker listed: "
              << is_listed << '\n';
    seen += jobs + (is_listed ? "+ " : "- ");
    ask(c, "DEL jobs");
  }
  return seen == "1- 0+ " ? 0 : 1;
}
CPP
g++ -std=c++17 -isystem library/usr/include look.cpp -o look -L"$LD_LIBRARY_PATH" -lhiredis

ln -s library/usr/bin/redis-check-rdb redis-server # the same program, by its name
./redis-server --port 0 --unixsocket "$folder/socket" --save '' --appendonly no --dir "$folder" >log &
server=$!
until [[ -S socket ]]; do
  kill -0 "$server"
  sleep 0.1
done
./look "$folder/socket"
