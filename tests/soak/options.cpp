#include "options.hpp"

#include "backoffctl/flag_values.hpp"

#include <backoff_actor/core/problems.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace backoff_actor::soak {

namespace {

constexpr std::uint64_t longest_minutes = 7 * 24 * 60;

constexpr auto description =
  R"(Many BackOffSenders at full load, while all that can fail does. Nothing may get lost.

Clients keep their senders busy without a pause: by request and by plain send, with children that
acknowledge by reply and explicitly, on shared and on own threads, one or many at a time, in strict
order, per key and without order, with full outboxes, deadlines, limits, guards that are shared, and
a fallback. The children crash, hang, stop, and answer with errors at random; some call a service on
this machine through a proxy that refuses, cuts, delays, swallows and corrupts connections. Every
5 ms a random child or sender is ended from outside, or the line of the proxy cut. An ended sender
has a successor, and what it still owed must be told to client and dead-letter receiver; or the
successor must do it, where it is in a durable outbox, whose file now and then cannot be written.

At the end the load stops, and all that is owed is waited for. Every submission must have ended, and
once: as an answer, as a refusal, or as a dead letter that its client was told of. All actors must be
gone, and the files of the durable outboxes owe nothing. Memory, as the system counts it (RSS), is
looked at four times a second. The first quarter of the time is the warm-up; then the median of the
second quarter is compared with that of the last, which may be larger by a tenth and 16 MB. Runs of
minutes and more tell something about growth, short ones little.
)";

constexpr auto footer = R"(
Examples:
  soak --seconds 10                     as the tests run it
  soak --minutes 30 --picture soak.svg  memory and throughput over time, drawn by gnuplot
  soak --minutes 5 --seed 7 --json      other failures; the result for programs

Ctrl-C ends the load early; what has happened is judged all the same.

Keys of the JSON, one object:
  seed, seconds  what it was begun with, and how long there was load
  submitted, answered, refused, dead_lettered
                 submissions, and how they ended; refused: never accepted, and told so
  lost           submissions that never ended, or whose sender does not know how
  ended_twice    news about submissions that had ended already
  crashes, failed_starts, hangs, senders_ended, restarts
                 what went wrong meanwhile; killed children count as crashes
  actors_left    actors that are still there at the end
  memory         is_judged, has_grown; earlier_mb, later_mb: the two medians
  samples        seconds, memory_mb, ended, crashes: since the beginning

Exit codes:
  0  nothing was lost or ended twice, all actors are gone, and memory has not grown
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
  app.add_option("--seconds", given.seconds, "how long there is load (60)")->type_name("N");
  app.add_option("--minutes", given.minutes, "the same, in minutes")->type_name("N");
  app.add_option("--seed", given.seed, "of all failures (1); threads are not repeatable")
    ->type_name("N");
  app.add_option("--picture", given.picture, "draw memory and throughput; .svg or .png")
    ->type_name("FILE");
  app.add_flag("--json", as_json, "print JSON");
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
