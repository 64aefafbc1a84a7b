#include "options.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"
#include "common/arguments.hpp"
#include "common/process.hpp"

#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <limits>
#include <system_error>
#include <unistd.h>

namespace cluster {

namespace {

constexpr auto help =
  R"(usage: cluster [--seconds N] [--seed N] [--rate N] [--hands N] [--lease TIME]
               [--postgres URL] [--picture FILE]

An outbox in PostgreSQL that two processes share. One of them, the owner, has the sender; the other
stands by. The demo kills and freezes the owner every few seconds, and nothing is lost.

  cluster            starts the others, breaks them, and counts
  |- PostgreSQL      a private server, with its data in a temporary folder
  |- a service       does the jobs, and keeps a ledger: which job, and by which owner
  |- worker a        a client that submits jobs, and a sender whose children call the service
  |- worker b        the same program: whoever owns the outbox works, the other stands by
  |- worker c ...    with --hands: offers workers to whoever owns the outbox, and owns nothing
  `- shop.py         hands orders over, each in the transaction that stores it in a table of its
                     own, and rolls back one in ten; needs Python with psycopg

Some of the jobs wait for a time, some are cancelled as soon as they are accepted, and some take
three steps and keep how far they are.

What happens:
  kill      the owner gets SIGKILL. The server notices the end of its session, and the other worker
            owns the outbox milliseconds later. The killed one is started again and stands by.
  freeze    the owner gets SIGSTOP, for longer than its lease. The server ends its session when the
            lease is over, and the other worker owns the outbox. Then the frozen one gets SIGCONT,
            and goes on as if nothing had happened: it still believes that it owns. The server
            refuses what it writes. Each owner has a number, the epoch, which its calls carry: the
            service refuses a call whose epoch is lower than one that it has seen.

With --hands, half of the faults are done to a process that offers workers. What it held goes to
others at once.

A job is confirmed to its client when it is on the server's disk. A confirmed job is done at least
once, whatever happens. What a dead owner had in hand is done again by the next one.

  --seconds N      how long jobs are submitted, 4..3600; default 20
  --seed N         decides what happens when, 0..18446744073709551615; default 1
  --rate N         jobs a second, 1..2000; default 200
  --hands N        processes that offer workers, 0..8; default 0
  --lease TIME     how long a silent owner stays the owner, 1s..1min; default 1s
  --postgres URL   your own server, as postgres://user@host/database#outbox; the demo uses an outbox
                   of its own there, cluster_demo if the URL names none, and no shop.py. Make the
                   schema first: backoffctl outbox migrate 'postgres://user@host/database'. The
                   variable CLUSTER_POSTGRES does the same, and keeps a password from those who can
                   list processes; default a private server
  --picture FILE   SVG file for the picture of the run; default demo-output/cluster.svg

The last line says what became of the jobs: `lost` are jobs that were confirmed and not done, and
`done again` are calls that did a job once more. The lines before say the same of the orders, and
what became of jobs that wait, are cancelled, or take three steps: `early` are calls before their
time, and `done when gone` calls after it was said that the job is cancelled.

Ctrl-C ends the run early, and leaves nothing behind; a second one ends it at once.

Exit codes:
  0    nothing was lost, no key was out of order, no call of a frozen owner was accepted, nothing
       was done early or when it was cancelled, no job got the note of another one, and nothing
       was done that was rolled back
  1    something was, or the server, a worker or the shop did not start
  2    bad input, PostgreSQL is not installed, or the server of --postgres cannot be used
  130  ended by Ctrl-C (143 by SIGTERM), with nothing lost so far
)";

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
  const example::FileDescriptor fd{open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)};
  if (fd.get() < 0)
    return std::generic_category().message(errno);
  if (is_new)
    std::filesystem::remove(file, error);
  return {};
}

std::string or_nothing(const std::string& given) { return given.empty() ? "nothing" : given; }

void check_picture(const std::string& given, backoff_actor::Problems& problems) {
  const auto why = given.empty() ? std::string{} : why_unwritable(given);
  if (given.empty() || !why.empty())
    problems.add("--picture", or_nothing(given) + (why.empty() ? "" : " (" + why + ")"),
                 "a file that can be written");
}

// The URL may hold a password, so no complaint repeats it.
void check_postgres(Options& options, const std::string& field, backoff_actor::Problems& problems) {
  if (options.postgres.find('#') == std::string::npos)
    options.postgres += "#cluster_demo";
  try {
    backoff_actor::parse_postgres_address(options.postgres);
  } catch (const backoff_actor::InvalidArgument&) {
    problems.add(field, "something else",
                 "postgres://user@host/database, and #outbox if you like: 1 to 64 characters of "
                 "a-z, 0-9, _, . and -");
  }
}

} // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  backoff_actor::Problems problems;
  auto given = example::read_arguments(
    argc, argv, {"--seconds", "--seed", "--rate", "--hands", "--lease", "--postgres", "--picture"},
    problems);
  if (given.wants_help) {
    std::cout << help;
    return exit_nothing_lost;
  }
  for (const auto& argument : given.others)
    problems.add("argument", argument.empty() ? "nothing" : argument, "options only");
  const auto number = [&](const char* field, std::uint64_t& value, std::uint64_t from,
                          std::uint64_t to) {
    if (given.options.contains(field))
      value = example::read_number(field, given.options[field], from, to, problems);
  };
  Options options;
  number("--seconds", options.seconds, 4, 3600);
  number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  number("--rate", options.rate, 1, 2000);
  number("--hands", options.hands, 0, 8);
  if (given.options.contains("--lease")) {
    const auto lease = backoff_actor::parse_duration(given.options["--lease"]);
    if (!lease || *lease < std::chrono::seconds{1} || *lease > std::chrono::minutes{1})
      problems.add("--lease", or_nothing(given.options["--lease"]), "1s..1min");
    options.lease = lease.value_or(options.lease);
  }
  std::string from = "--postgres";
  if (given.options.contains(from)) {
    options.postgres = given.options[from];
  } else if (const auto* const url = std::getenv("CLUSTER_POSTGRES")) {
    options.postgres = url;
    from = "CLUSTER_POSTGRES";
  }
  if (given.options.contains(from) || !options.postgres.empty())
    check_postgres(options, from, problems);
  if (given.options.contains("--picture"))
    options.picture = given.options["--picture"];
  check_picture(options.picture, problems);
  if (problems.empty())
    return options;
  example::complain("cluster", problems);
  return exit_bad_input;
}

} // namespace cluster
