#include "options.hpp"

#include "backoffctl/common/flag_values.hpp"

#include <backoff_actor/core/problems.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace backoff_actor::soak {

namespace {

constexpr std::uint64_t longest_minutes = 7 * 24 * 60;

constexpr auto description =
  R"(Runs many BackOffSenders at full load while everything fails. Nothing may get lost.

Clients keep their senders busy without a pause, by request and by plain send. The children
acknowledge by reply or explicitly, run on shared or own threads, and work on one or many
deliveries at a time, in strict order, per key or without order. There are full outboxes,
deadlines, limits, shared guards and a fallback. The children crash, hang, stop, and answer with
errors at random. Some call a service on this machine through a proxy that refuses, cuts, delays,
swallows and corrupts connections. Every 5 ms the soak ends a random child or sender, or cuts the
connections of the proxy. Each ended sender gets a successor. It must report what it still owed to
the client and the dead-letter receiver. If it has a durable outbox, whose file sometimes cannot be
written, the successor must deliver the rest. All are seen on the live page of a web server. Sixteen
watchers at a time come there, see one to four events, and leave; some cut their connection, and
some read nothing.

At the end the load stops, and the soak waits for all owed deliveries. Each submission must have
ended exactly once: as an answer, as a refusal, or as a dead letter that its client was told of. All
actors must be gone, and the files of the durable outboxes must owe nothing. No descriptor and no
thread may be left. The soak samples the memory (RSS) four times a second. The first quarter of the
time is the warm-up. The median of the last quarter may exceed the median of the second by a tenth
plus 16 MB. Only runs of minutes and more say something about growth.
)";

constexpr auto footer = R"(
Examples:
  soak --seconds 10                     as the tests run it
  soak --minutes 30 --picture soak.svg  memory and throughput over time, drawn by gnuplot
  soak --minutes 5 --seed 7 --json      other failures; the result for programs

Ctrl-C ends the load early; the soak still judges what has happened.

Keys of the JSON, one object:
  seed, seconds  the seed, and how long there was load
  submitted, answered, refused, dead_lettered
                 submissions, and how they ended; refused: not accepted, and the client knows
  lost           submissions that never ended, or whose sender does not know how they ended
  ended_twice    submissions that ended a second time
  crashes, failed_starts, hangs, senders_ended, restarts
                 failures during the run; killed children count as crashes
  actors_left    actors that still exist at the end
  watchers, watchers_failed
                 watchers who saw what they had come for, and who did not within 30 seconds
  descriptors_left, threads_left
                 of the process, once all was taken down
  memory         is_judged, has_grown; earlier_mb, later_mb: the two medians
  samples        seconds, memory_mb, ended, crashes, all counted from the start

Exit codes:
  0  nothing was lost or ended twice, no watcher failed, nothing is left over, and memory has not
     grown
  1  otherwise
  2  bad input; nothing was done
)";

// What was given, and not yet looked at: so that one call can be told all that is wrong with it.
struct Given {
  std::optional<std::string> seconds;
  std::optional<std::string> minutes;
  std::optional<std::string> seed;
  std::optional<std::string> picture;
};

Options read(const Given& given, Problems& problems) {
  using backoffctl::read_whole;
  Options result;
  if (given.seconds)
    result.length = std::chrono::seconds{
      read_whole("--seconds", *given.seconds, 1, longest_minutes * 60, problems).value_or(0)};
  if (given.minutes)
    result.length = std::chrono::minutes{
      read_whole("--minutes", *given.minutes, 1, longest_minutes, problems).value_or(0)};
  if (given.seconds && given.minutes)
    problems.add("--minutes", backoffctl::quoted(*given.minutes) + " together with --seconds",
                 "one of the two");
  if (given.seed)
    result.seed = read_whole("--seed", *given.seed, 0, UINT64_MAX, problems).value_or(0);
  result.picture = backoffctl::read_plot(given.picture, false, problems, "--picture");
  return result;
}

int refuse(const std::string& complaint) {
  std::cerr << "soak: " << complaint << "\nsoak --help explains the options.\n";
  return exit_bad_input;
}

} // namespace

std::variant<Options, int> read_options(int argc, char** argv) {
  CLI::App app{description, "soak"};
  app.footer(footer);
  app.get_formatter()->column_width(24);
  Given given;
  auto as_json = false;
  app.add_option("--seconds", given.seconds, "seconds of load, 1..604800; default 60")
    ->type_name("N");
  app.add_option("--minutes", given.minutes, "minutes of load instead of --seconds, 1..10080")
    ->type_name("N");
  app.add_option("--seed", given.seed, "decides what fails; default 1; thread timing still varies")
    ->type_name("N");
  app.add_option("--picture", given.picture, "draw memory and throughput to a .svg or .png file")
    ->type_name("FILE");
  app.add_flag("--json", as_json, "print JSON instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
  Problems problems;
  auto result = read(given, problems);
  if (!problems.empty())
    return refuse(to_string(problems));
  result.as_json = as_json;
  return result;
}

} // namespace backoff_actor::soak
