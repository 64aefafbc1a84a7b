// redis_client: writes to a Redis server that is killed in the middle, none of which is lost.

#include "common/arguments.hpp"
#include "common/temporary_folder.hpp"
#include "redis_server.hpp"
#include "workload.hpp"

#include "backoff_actor/process/stop_signals.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

namespace redis_client {

namespace {

using namespace std::chrono_literals;

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

constexpr auto help =
  R"(usage: redis_client [--keys N]

Starts a Redis server on a free port, with its data in a temporary folder, and writes keys to the
server, one after the other. In the middle the program kills the server with SIGKILL and starts it
again 300 ms later. The client retries a failed write with exponential backoff and full jitter, for
up to 30 s. At the end it reads all keys back. The program stops the server and removes the folder.

  --keys N   number of keys, 1..1000000; default 500

Example:
  redis_client --keys 2000

Exit codes:
  0    every key was written and found
  1    a key was missing, or the server did not start
  2    bad input; nothing was started
  130  ended by Ctrl-C (143 by SIGTERM)
)";

struct Options {
  std::uint64_t keys = 500;
};

std::variant<Options, int> parse_options(int argc, char** argv) {
  backoff_actor::Problems problems;
  auto given = example::read_arguments(argc, argv, {"--keys"}, problems);
  if (given.wants_help) {
    std::cout << help;
    return exit_done;
  }
  Options options;
  if (given.options.contains("--keys"))
    options.keys = example::read_number("--keys", given.options["--keys"], 1, 1'000'000, problems);
  for (const auto& argument : given.others)
    problems.add("argument", argument.empty() ? "an empty one" : argument, "--keys, --help");
  if (problems.empty())
    return options;
  example::complain("redis_client", problems);
  return exit_bad_input;
}

int demonstrate(const Options& options) {
  backoff_actor::StopSignals signals;
  std::signal(SIGPIPE, SIG_IGN);
  const example::TemporaryFolder folder{"redis_client"};
  RedisServer server{folder.path()};
  server.start();
  std::cerr << "redis-server on port " << server.port() << ", data in " << folder.path().string()
            << std::endl;

  const auto stop = std::make_unique<std::stop_source>(); // as a local variable GCC 12 warns of it
  auto running =
    std::async(std::launch::async, [&] { return run(server, options.keys, stop->get_token()); });
  while (running.wait_for(0s) != std::future_status::ready)
    if (signals.wait_for(20ms)) {
      stop->request_stop();
      break;
    }
  const auto counts = running.get();

  const auto missing = counts.written - counts.found;
  std::cout << "written " << counts.written;
  if (counts.is_complete)
    std::cout << ", found " << counts.found << ", missing " << missing;
  else
    std::cout << ", found ?, missing ?";
  std::cout << ", retries " << counts.retries << ", kills " << counts.kills << std::endl;
  if (!counts.is_complete)
    return 128 + signals.signal();
  return missing == 0 ? exit_done : exit_failed;
}

} // namespace

} // namespace redis_client

int main(int argc, char** argv) {
  try {
    const auto parsed = redis_client::parse_options(argc, argv);
    if (const auto* code = std::get_if<int>(&parsed))
      return *code;
    return redis_client::demonstrate(std::get<redis_client::Options>(parsed));
  } catch (const std::exception& exception) {
    std::cerr << "redis_client: " << exception.what() << '\n';
    return redis_client::exit_failed;
  }
}
