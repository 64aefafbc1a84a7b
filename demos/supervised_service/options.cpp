#include "options.hpp"

#include "common/arguments.hpp"

#include <iostream>
#include <limits>

namespace supervised_service {

namespace {

constexpr auto help =
  R"(usage: supervised_service [--port N] [--workers N] [--crashes N] [--seed N]

Runs a small HTTP service built as a supervision tree. Break any part of it, and watch it heal.

  root                  a supervisor: restarts each child that ends
  |- cache              remembers prices
  |- pool               a supervisor, too
  |  |- sender-1        a BackOffSender: keeps each request until worker-1 has answered it
  |  |  `- worker-1     works 15 ms for a price; crashes now and then
  |  `- ...
  `- front              the web server

What each layer gives:
  a sender    restarts its worker at once and resends the request, with a backoff: the client gets
              its price a little later. The sender also notices a worker that hangs.
  the pool    restarts a sender after a delay. The requests of that sender are lost; their clients
              get 503 and Retry-After. After more than 5 restarts within 10 s the pool gives up.
  root        restarts the cache, the pool and the front. While the cache is down, workers crash and
              senders wait for it. While the pool is down, all clients get 503. While the front is
              down, nobody listens. After more than 5 restarts within 10 s the program ends.
No request waits longer than a second.

  --port N      port on 127.0.0.1, 0..65535; default 0, which takes any free port and prints it
  --workers N   number of workers, 1..16; default 4
  --crashes N   percentage of requests that crash the worker, 0..100; default 3
  --seed N      decides which requests crash and how long the delays are; default 1

The service listens at once. In another terminal, use the port that it prints:
  curl localhost:PORT/price/tea                        ask for the price of anything
  curl localhost:PORT/price/tea-[1-500]                ask for much, and meanwhile ...
  curl -X POST localhost:PORT/kill/worker-1            ... crash any part of the tree above
  curl -X POST localhost:PORT/kill/cache?how=kill      ... kill a part
  curl -X POST localhost:PORT/kill/worker-1?how=hang   ... let a worker hang for five seconds
  curl localhost:PORT/tree                             show the tree; tree.json is for programs
  curl localhost:PORT/healthz                          get 200 if all parts are up, else 503
  curl -X POST localhost:PORT/stop                     stop all parts, in reverse order
The program `tour` beside this one does all that for you.

On a terminal the service redraws the tree; otherwise it prints a line for each event. Ctrl-C and
SIGTERM stop the service like /stop: requests in hand are answered. A second one ends it at once.

Exit codes:
  0    it was told to stop, by /stop or SIGTERM, and stopped in order
  1    it gave up, or could not start; or a part hung at its end, or a request was given up then
  2    bad input, or the port is taken; nothing was started
  130  it was told to stop by Ctrl-C, and stopped in order
)";

} // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  backoff_actor::Problems problems;
  auto given =
    example::read_arguments(argc, argv, {"--port", "--workers", "--crashes", "--seed"}, problems);
  if (given.wants_help) {
    std::cout << help;
    return exit_stopped;
  }
  for (const auto& argument : given.others)
    problems.add("argument", argument.empty() ? "nothing" : argument, "options only");
  const auto number = [&](const char* field, std::uint64_t otherwise, std::uint64_t from,
                          std::uint64_t to) {
    return given.options.contains(field)
             ? example::read_number(field, given.options[field], from, to, problems)
             : otherwise;
  };
  Options options;
  options.port = static_cast<int>(number("--port", 0, 0, 65535));
  options.workers = number("--workers", options.workers, 1, 16);
  options.crashes = number("--crashes", options.crashes, 0, 100);
  options.seed = number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (problems.empty())
    return options;
  example::complain("supervised_service", problems);
  return exit_bad_input;
}

} // namespace supervised_service
