#include "options.hpp"

#include "common/arguments.hpp"

#include <iostream>
#include <limits>

namespace supervised_service {

namespace {

constexpr auto help =
  R"(usage: supervised_service [--port N] [--workers N] [--crashes N] [--seed N]

A small HTTP service that is a supervision tree. Break any part of it, and watch it heal.

  root                  makes again, for itself, whichever of its children ends
  |- cache              knows prices that were asked for before
  |- pool               a supervisor, too
  |  |- sender-1        a BackOffSender: keeps each request until worker-1 has answered it
  |  |  `- worker-1     works 15 ms for a price; crashes now and then
  |  `- ...
  `- front              the web server

What each layer gives:
  a sender    makes its worker again at once, and asks it again, with a backoff: who asked gets his
              price, a little later. It also notices a worker that hangs.
  the pool    makes a sender again, after a delay. What the sender kept is lost, and answered with
              503 and Retry-After. More than 5 times within 10 s, and the pool gives up.
  root        makes the cache, the pool and the front again. While there is no cache, workers
              crash, and senders wait for it; while there is no pool, all is answered with 503;
              while there is no front, nobody listens. More than 5 times within 10 s, and the
              program ends.
No request waits longer than a second.

  --port N      of 127.0.0.1, 0..65535; 0 takes any that is free, and says which (0)
  --workers N   1..16 (4)
  --crashes N   of a hundred works, how many end with a crash, 0..100 (3)
  --seed N      which works crash, and how long delays are (1)

It listens at once. In another terminal, with the port that it says:
  curl localhost:PORT/price/tea                        the price of anything
  curl localhost:PORT/price/tea-[1-500]                much to do, while you ...
  curl -X POST localhost:PORT/kill/worker-1            ... let one crash. Of the tree above, any
  curl -X POST localhost:PORT/kill/cache?how=kill      ... end one with no choice, or
  curl -X POST localhost:PORT/kill/worker-1?how=hang   ... let one hang for two seconds
  curl localhost:PORT/tree                             the tree as it is; tree.json for programs
  curl localhost:PORT/healthz                          200 if all of it is up, otherwise 503
  curl -X POST localhost:PORT/stop                     end all, in the reverse order
The program `tour` beside this one does all that for you.

On a terminal the tree is drawn again and again; otherwise there is a line for each event. Ctrl-C
ends the service as /stop does; a second one ends it at once.

Exit codes:
  0  it was told to stop, and has ended in order
  1  it gave up, or could not start
  2  bad input, a port that is taken included; nothing was started
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
