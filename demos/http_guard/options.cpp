#include "options.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <CLI/CLI.hpp>
#include <curl/curl.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace http_guard {

namespace {

constexpr auto description =
  R"(Supervised, reliable delivery to a service that fails all the time.

A few client actors send job requests to one BackOffSender. Its child is a worker that sends each
job to an HTTP service. The worker throws an exception when anything goes wrong. If the service says
when to come back, as it does with 429, the worker passes that on as an error (a nack). The worker
has no retry code. The service runs in its own process and fails by plan: it answers 500, hangs,
resets connections, and sometimes answers 429, which asks everybody to stop calling for a second.
When half of the requests are acknowledged, the demo kills the service and starts it again 700 ms
later, or as --outage says. Still, every request is answered, and no call comes too early.

With --workers, several workers share the requests. When one crashes or hangs, the others go on. At
most one call of each other worker can be on its way when the service asks for a pause; more would
count as too early.

With --durable, the sender also keeps its deliveries in a file, which outlives the demo: kill the
demo in the middle and start it again with the same file, and it first does what it still owes. With
--kill-self the demo does that itself.

The demo shows itself in a browser, to Prometheus and to Kubernetes: it prints the address first.
With --watch it goes on after its last line, with a service that fails now and then. With the
variable HTTP_GUARD_TOKEN, of 16 characters or more, one can act on the page by that token.

At the end the demo prints a summary, draws a picture of the run, and prints as the last line what
became of the requests. It counts `lost`, `duplicates` and `too early` (calls while the service
wanted none) from the ledger that the service keeps on disk.
)";

constexpr auto footer = R"(
Examples:
  http_guard                               1000 requests, about 18 seconds
  http_guard --requests 5000 --clients 50  more requests, more clients
  http_guard --workers 8                   eight workers share the requests, about 4 seconds
  http_guard --seed 7                      other failures, other delays
  http_guard --url http://127.0.0.1:8080   your own service, which must accept PUT /jobs/<id>; the
                                           demo does not start or kill it and has no ledger of it,
                                           so the last line shows ? for the counts of the ledger
  http_guard --durable owed.db             keep deliveries in a file too; deliveries that the file
                                           still owes go first
  http_guard --durable owed.db --kill-self the demo kills itself (SIGKILL) after a third of the
                                           requests, starts again and finishes the rest; it counts
                                           each request once, over both lives
  http_guard --workers 8 --max-attempts 8 --poison 3 --outage 5min
                                           three requests always fail, and become dead letters; the
                                           outage of five minutes costs no other request
  http_guard --watch                       go on until Ctrl-C, to be watched in a browser

Ctrl-C ends the run with a summary of what happened so far; a second Ctrl-C ends it at once.

Exit codes:
  0    every request was acknowledged, or is one of --poison and became a dead letter; nothing was
       lost, no call came too early
  1    something was lost or came too early, or the service did not start or died by itself
  2    bad input, or the file of --durable cannot be used; nothing was started
  130  ended by Ctrl-C (143 by SIGTERM), with nothing lost or too early
)";

// What was given, and not yet looked at: so that one call can be told all that is wrong with it.
struct Given {
  std::string requests;
  std::string clients;
  std::string workers;
  std::string seed;
  std::string outage;
  std::string poison;
  std::string max_attempts;
  std::string url;
  std::string picture;
  std::string durable;
  bool kill_self = false;
  std::string watch;
};

std::string or_nothing(const std::string& given) { return given.empty() ? "nothing" : given; }

std::uint64_t number(const std::string& field, const std::string& given, std::uint64_t from,
                     std::uint64_t to, backoff_actor::Problems& problems) {
  std::uint64_t result = 0;
  const auto end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, result);
  if (error != std::errc{} || stop != end || result < from || result > to)
    problems.add(field, or_nothing(given), std::to_string(from) + ".." + std::to_string(to));
  return result;
}

bool is_base_url(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url{curl_url(), &curl_url_cleanup};
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
    return false;
  const auto part = [&](CURLUPart which) -> std::optional<std::string> {
    char* value = nullptr;
    if (curl_url_get(url.get(), which, &value, 0) != CURLUE_OK)
      return std::nullopt;
    const std::unique_ptr<char, decltype(&curl_free)> owner{value, &curl_free};
    return value;
  };
  const auto scheme = part(CURLUPART_SCHEME);
  return (scheme == "http" || scheme == "https") && !part(CURLUPART_QUERY)
         && !part(CURLUPART_FRAGMENT);
}

// Makes the folder, and returns why the file cannot be written into it, if so. The file is left as
// it is.
std::string why_unwritable(const std::filesystem::path& file) {
  std::error_code error;
  if (file.has_parent_path() && !std::filesystem::is_directory(file.parent_path(), error)) {
    std::filesystem::create_directories(file.parent_path(), error);
    if (error)
      return "the folder cannot be made: " + error.message();
  }
  const auto is_new = !std::filesystem::exists(file, error);
  const auto fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    return std::generic_category().message(errno);
  close(fd);
  if (is_new)
    std::filesystem::remove(file, error);
  return {};
}

Options check(const Given& given, backoff_actor::Problems& problems) {
  Options options;
  options.requests = number("--requests", given.requests, 1, 1'000'000, problems);
  options.clients = number("--clients", given.clients, 1, 1000, problems);
  options.workers = static_cast<std::uint32_t>(number("--workers", given.workers, 1, 64, problems));
  options.seed =
    number("--seed", given.seed, 0, std::numeric_limits<std::uint64_t>::max(), problems);
  const auto outage = backoff_actor::parse_duration(given.outage);
  if (!outage || *outage > std::chrono::hours{24})
    problems.add("--outage", or_nothing(given.outage), "a time up to 24h, such as 5min");
  else
    options.outage = *outage;
  options.poison = number("--poison", given.poison, 0, 1000, problems);
  if (options.poison > options.requests)
    problems.add("--poison", given.poison, "no more than --requests, " + given.requests);
  if (!given.max_attempts.empty())
    options.max_attempts = static_cast<std::uint32_t>(
      number("--max-attempts", given.max_attempts, 1, 1'000'000, problems));
  if (options.poison != 0 && (options.workers < 2 || !options.max_attempts || !given.url.empty()))
    problems.add("--poison", given.poison,
                 "only with --workers 2 or more, which go on with the others, with --max-attempts, "
                 "and without --url");
  options.url = given.url;
  while (options.url.ends_with('/'))
    options.url.pop_back();
  options.durable = given.durable;
  options.kill_self = given.kill_self;
  if (given.kill_self && given.durable.empty())
    problems.add("--kill-self", "no --durable", "only with --durable FILE, or all would be lost");
  if (given.kill_self && !given.url.empty())
    problems.add("--kill-self", "--url too", "only the service of the demo, which keeps a ledger");
  options.picture = given.picture;
  if (const auto why = why_unwritable(options.picture); !why.empty())
    problems.add("--picture", or_nothing(given.picture) + " (" + why + ")",
                 "a file that can be written");
  return options;
}

} // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  const Options defaults;
  Given given{std::to_string(defaults.requests),
              std::to_string(defaults.clients),
              std::to_string(defaults.workers),
              std::to_string(defaults.seed),
              "700ms",
              "0",
              "",
              defaults.url,
              defaults.picture,
              defaults.durable,
              defaults.kill_self,
              "9464"};
  CLI::App app{description, "http_guard"};
  app.footer(footer);
  app.allow_extras();
  app.get_formatter()->column_width(20);
  app.add_option("--requests", given.requests, "number of jobs, 1..1000000; default 1000")
    ->type_name("N");
  app
    .add_option("--clients", given.clients,
                "number of client actors, 1..1000; each waits for at most\n"
                "8 answers at a time; default 4")
    ->type_name("N");
  app.add_option("--workers", given.workers, "number of workers, 1..64; default 1")->type_name("N");
  app
    .add_option(
      "--seed", given.seed,
      "decides which calls fail and how long the delays are,\n0..18446744073709551615; default 1")
    ->type_name("N");
  app
    .add_option("--outage", given.outage,
                "how long the service is down in the middle, up to 24h;\ndefault 700ms")
    ->type_name("SPAN");
  app
    .add_option("--max-attempts", given.max_attempts,
                "how often a request may fail by its own fault, 1..1000000;\n"
                "default any number of times")
    ->type_name("N");
  app
    .add_option("--poison", given.poison,
                "so many requests, 0..1000, fail whenever they are tried;\n"
                "needs --workers and --max-attempts; default 0")
    ->type_name("N");
  const auto url =
    app.add_option("--url", given.url, "base URL of your own service; default the demo's own")
      ->type_name("URL");
  const auto durable = app
                         .add_option("--durable", given.durable,
                                     "also keep deliveries in this SQLite file; the demo "
                                     "creates\nit if it is missing; default no file")
                         ->type_name("FILE");
  app.add_flag("--kill-self", given.kill_self,
               "kill the demo in the middle and start it again; needs\n--durable");
  const auto watch = app
                       .add_option("--watch", given.watch,
                                   "go on until Ctrl-C, and serve the page at this port of\n"
                                   "127.0.0.1, 0..65535, 0 is any; without a number 9464;\n"
                                   "default until the last line, at any port")
                       ->type_name("PORT")
                       ->expected(0, 1);
  app
    .add_option("--picture", given.picture,
                "SVG file for the picture of the run;\ndefault demo-output/http_guard.svg")
    ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app.exit(call);
  } catch (const CLI::ParseError& error) {
    std::cerr << "http_guard: " << error.what() << "\nhttp_guard --help explains the options.\n";
    return exit_bad_input;
  }

  backoff_actor::Problems problems;
  auto options = check(given, problems);
  if (url->count() > 0 && !is_base_url(given.url))
    problems.add("--url", or_nothing(given.url), "a base URL such as http://127.0.0.1:8080");
  if (watch->count() > 0)
    options.watch = static_cast<std::uint16_t>(
      number("--watch", given.watch.empty() ? "9464" : given.watch, 0, 65535, problems));
  if (durable->count() > 0 && given.durable.empty())
    problems.add("--durable", "nothing", "the name of a file");
  const auto unknown = app.remaining();
  if (problems.empty() && unknown.empty())
    return options;
  for (const auto& argument : unknown)
    std::cerr << "http_guard: " << argument << ": unexpected argument\n";
  for (const auto& problem : problems.list())
    std::cerr << "http_guard: " << problem.field << ": got " << problem.given << ", allowed "
              << problem.allowed << '\n';
  std::cerr << "http_guard --help explains the options.\n";
  return exit_bad_input;
}

} // namespace http_guard
