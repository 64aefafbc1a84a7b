#include "options.hpp"

#include "common/arguments.hpp"

#include <iostream>
#include <limits>
#include <utility>

namespace remote_worker {

namespace {

using backoff_actor::Problems;

constexpr auto program = "remote_worker";

constexpr auto help =
  R"(usage: remote_worker worker --ledger FILE [--port N] [--host ADDRESS] [--name NAME]
                            [--work SPAN] [--tls BASE]
       remote_worker sender --workers HOST:PORT,... [--count N] [--window N] [--acknowledged FILE]
                            [--patience SPAN] [--seed N] [--tls BASE]
       remote_worker account --acknowledged FILE [--count N] LEDGER ...

Runs a BackOffSender in one process and its workers in other processes. Kill a worker, freeze it or
cut its connection while it works: no number is lost. The script `storm` beside this program does
all that.

worker   listens, and works on the numbers that a sender hands over, one at a time. For each
         execution it adds a line `PROCESS NUMBER` to its ledger, after the work and before the
         acknowledgement. If this process has done a number before, it acknowledges the number
         without doing it again. Ctrl-C ends it.

  --ledger FILE        file to append to; it outlives the process
  --port N             0..65535; default 0, which takes any free port; the first line of the
                       output prints the port
  --host ADDRESS       address to listen at; default 127.0.0.1, and without --tls no other
  --name NAME          name to show to people; default worker
  --work SPAN          time that one number takes, 0ns..1min; default 5ms
  --tls BASE           prove who this process is with the certificate BASE.pem and the key BASE.key,
                       and talk only with who has a certificate of authority.pem beside them

sender   gives the numbers 1, 2 ... N to any worker that it can reach, one worker at a time. When
         that worker goes down, is silent or is unreachable, the sender hands its numbers over to
         the next worker.

  --workers LIST       addresses of workers, such as 127.0.0.1:4711,[::1]:4712
  --count N            how many numbers, 1..1000000; default 1000
  --window N           how many numbers a worker holds at a time, 1..1024; default 8
  --acknowledged FILE  file to overwrite; it gets a line for each acknowledged number
  --patience SPAN      give up if no worker does anything for this long, 1ms..1h; default 30s
  --seed N             decides how long the delays are; default 1
  --tls BASE           as for the worker

account  compares the sender's file with the workers' ledgers. `lost` counts the numbers that were
         not acknowledged or not executed. `duplicates` counts the executions after the first of
         each number; there should be none within one worker's life.

  --acknowledged FILE  the file that the sender wrote
  --count N            the same number as for the sender; default 1000

A SPAN is a number with a unit, such as 500ms or 2s. Progress and problems go to stderr.

Example, in two terminals:
  remote_worker worker --ledger ledger.txt --port 4711
  remote_worker sender --workers 127.0.0.1:4711 --count 100

Exit codes:
  0    worker: it was told to end; sender: all numbers were acknowledged; account: nothing is lost,
       and no worker did a number twice in one life
  1    otherwise
  2    bad input, or the port is taken; nothing was started
  130  the sender was ended by Ctrl-C (143 by SIGTERM)
)";

/// The options of one command, being read.
class Reader {
public:
  Reader(example::Arguments given, Problems& problems)
    : given_(std::move(given)), problems_(problems) {}

  bool has(const std::string& name) const { return given_.options.contains(name); }

  template <class Number>
  void number(const std::string& name, Number& value, Number from, Number to) {
    if (const auto* text = find(name))
      value = static_cast<Number>(example::read_number(name, *text, from, to, problems_));
  }

  void span(const std::string& name, backoff_actor::Duration& value, backoff_actor::Duration from,
            backoff_actor::Duration to) {
    const auto* text = find(name);
    if (text == nullptr)
      return;
    const auto read = backoff_actor::parse_duration(*text);
    if (read && *read >= from && *read <= to)
      value = *read;
    else
      wrong(name, *text,
            backoff_actor::to_string(from) + ".." + backoff_actor::to_string(to)
              + ", such as 500ms");
  }

  void text(const std::string& name, std::string& value, const std::string& allowed) {
    if (const auto* text = find(name))
      value = *text;
    if (value.empty())
      wrong(name, "", allowed);
  }

  void nodes(const std::string& name, std::vector<backoff_actor::NodeAddress>& value) {
    const auto* text = find(name);
    try {
      value = backoff_actor::parse_nodes(text == nullptr ? "" : *text);
    } catch (const backoff_actor::InvalidArgument& exception) {
      for (const auto& problem : exception.problems().list()) // nodes, nodes[1] ...
        wrong(name + problem.field.substr(std::string{"nodes"}.size()), problem.given,
              problem.allowed);
    }
  }

  /// What belongs to no option, where there should be none.
  void no_others() {
    for (const auto& argument : given_.others)
      wrong("argument", argument, "options only");
  }

  std::vector<std::string> others(const std::string& name, const std::string& allowed) {
    if (given_.others.empty())
      wrong(name, "", allowed);
    return given_.others;
  }

private:
  const std::string* find(const std::string& name) const {
    const auto found = given_.options.find(name);
    return found == given_.options.end() ? nullptr : &found->second;
  }

  void wrong(const std::string& field, const std::string& given, const std::string& allowed) {
    problems_.add(field, given.empty() ? "nothing" : given, allowed);
  }

  example::Arguments given_;
  Problems& problems_;
};

constexpr std::uint64_t max_count = 1'000'000;
constexpr auto a_file = "a file";
constexpr auto a_base = "the path of a certificate without .pem";

Options read_worker(Reader& given) {
  WorkerOptions result;
  given.text("--host", result.host, "a name or an address");
  given.number<std::uint16_t>("--port", result.port, 0, 65535);
  given.text("--name", result.name, "a name");
  if (given.has("--tls"))
    given.text("--tls", result.tls, a_base);
  given.text("--ledger", result.ledger, a_file);
  given.span("--work", result.work, std::chrono::nanoseconds{0}, std::chrono::minutes{1});
  given.no_others();
  return result;
}

Options read_sender(Reader& given) {
  SendOptions result;
  given.nodes("--workers", result.workers);
  given.number<std::uint64_t>("--count", result.count, 1, max_count);
  given.number<std::uint32_t>("--window", result.window, 1, 1024);
  given.span("--patience", result.patience, std::chrono::milliseconds{1}, std::chrono::hours{1});
  given.number<std::uint64_t>("--seed", result.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (given.has("--acknowledged"))
    given.text("--acknowledged", result.acknowledged, a_file);
  if (given.has("--tls"))
    given.text("--tls", result.tls, a_base);
  given.no_others();
  return result;
}

Options read_account(Reader& given) {
  AccountOptions result;
  given.text("--acknowledged", result.acknowledged, a_file);
  given.number<std::uint64_t>("--count", result.count, 1, max_count);
  result.ledgers = given.others("LEDGER", "at least one file");
  return result;
}

struct Command {
  std::string name;
  std::vector<std::string> options;
  Options (*read)(Reader&);
};

const std::vector<Command> commands{
  {"worker", {"--ledger", "--port", "--host", "--name", "--work", "--tls"}, read_worker},
  {"sender",
   {"--workers", "--count", "--window", "--acknowledged", "--patience", "--seed", "--tls"},
   read_sender},
  {"account", {"--acknowledged", "--count"}, read_account},
};

} // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") {
    std::cout << help;
    return exit_done;
  }
  Problems problems;
  for (const auto& command : commands) {
    if (command.name != name)
      continue;
    auto given = example::read_arguments(argc - 1, argv + 1, command.options, problems);
    if (given.wants_help) {
      std::cout << help;
      return exit_done;
    }
    Reader reader{std::move(given), problems};
    auto result = command.read(reader);
    if (problems.empty())
      return result;
    example::complain(program, problems);
    return exit_bad_input;
  }
  problems.add("command", name.empty() ? "nothing" : name, "worker, sender, account, --help");
  example::complain(program, problems);
  return exit_bad_input;
}

int refuse_file(const std::string& option, const std::string& file, const std::string& why) {
  Problems problems;
  problems.add(option, file + " (" + why + ")", "a file that can be used");
  example::complain(program, problems);
  return exit_bad_input;
}

} // namespace remote_worker
