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
  R"(usage: remote_worker worker --ledger FILE [--port N] [--host ADDRESS] [--name NAME] [--work SPAN]
       remote_worker sender --workers HOST:PORT,... [--count N] [--window N] [--acknowledged FILE]
                            [--patience SPAN] [--seed N]
       remote_worker account --acknowledged FILE [--count N] LEDGER ...

A BackOffSender in one process, and the workers that it guards in others. Kill a worker, freeze it or
cut its line while it works: no number is lost. The script `storm` beside this program does all that.

worker   listens, and works on the numbers that a sender hands over, one at a time. Each execution is a
         line in its ledger, `PROCESS NUMBER`, written when it is done and before it is confirmed. A
         number that this process has done before is confirmed and not done again. Ctrl-C ends it.

  --ledger FILE        lines are added to it; it outlives the process
  --port N             0..65535; 0 takes any that is free (0). The first line of the output says which
  --host ADDRESS       where it listens (127.0.0.1)
  --name NAME          for people (worker)
  --work SPAN          how long one number takes, 0ns..1min (5ms)

sender   has the numbers 1, 2 ... N done by whichever worker can be reached, one worker at a time. When
         that one goes down, is silent or cannot be reached, what it had is handed over to the next.

  --workers LIST       where workers listen, such as 127.0.0.1:4711,[::1]:4712
  --count N            how many numbers, 1..1000000 (1000)
  --window N           how many a worker holds at a time, 1..1024 (8)
  --acknowledged FILE  begun anew; each number that was confirmed is a line of it
  --patience SPAN      gives up if no worker has done anything for so long, 1ms..1h (30s)
  --seed N             how long delays are (1)

account  compares the sender's file with the workers' ledgers. `lost` are the numbers that were not
         confirmed, or that nobody executed; `duplicates` the executions beyond the first of each number;
         within one worker's life there should be none.

  --acknowledged FILE  what the sender wrote
  --count N            as the sender had it (1000)

Spans are such as 500ms or 2s. Progress and problems go to stderr.

Exit codes:
  0  worker: it was told to end; sender: all was acknowledged; account: nothing is lost, and nothing was
     done twice within one worker's life
  1  that is not so; 130 and 143: the sender was interrupted
  2  bad input, a port that is taken included; nothing was started
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

Options read_worker(Reader& given) {
  WorkerOptions result;
  given.text("--host", result.host, "a name or an address");
  given.number<std::uint16_t>("--port", result.port, 0, 65535);
  given.text("--name", result.name, "a name");
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
  {"worker", {"--ledger", "--port", "--host", "--name", "--work"}, read_worker},
  {"sender",
   {"--workers", "--count", "--window", "--acknowledged", "--patience", "--seed"},
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
