// versus: what supervision costs, beside plain CAF, the article's design, and what is to be
// reached.

#include "common/actors.hpp"
#include "common/processes.hpp"
#include "common/program.hpp"
#include "versus/measures.hpp"

#include <chrono>
#include <functional>
#include <set>
#include <sstream>
#include <tuple>

namespace versus {

namespace {

using namespace std::chrono_literals;

const Words words{
  "versus",
  R"(Measures what supervision costs, compared with plain CAF, with the article's design, and with
the limits to keep.

Each figure comes from its own process, with an actor system of one thread unless the line says
otherwise. The program interleaves the rounds. A ratio compares two figures of the same round. The
program prints medians and quartiles. Rates of requests count processor time, so that they mean
something on a machine that is not idle. Latencies and lateness use wall-clock time. Restarts and
figures with two threads use wall-clock time minus the time that other processes took.
docs/explanation/performance.md says what each line means.
)",
  R"(  versus                           everything, in about a quarter of an hour
  versus --quick                   smaller runs and fewer rounds: two minutes
  versus --only "window 64" --rounds 11
  perf record -g versus --subject "ours 64" --rounds 5
  versus --json --plot versus.svg > versus.json
)",
  "a measurement failed"};

// -- subjects and lines -------------------------------------------------------------------

// A number of what a subject measured.
struct Figure {
  std::string subject{}; // empty: there is none
  std::size_t index = 0;
  std::string over{}; // another subject, by whose first number it is divided; empty: none
  double factor = 1;  // by which it is multiplied

  // Returns the number; nothing if it was not measured in this round, or `over` is 0.
  std::optional<double> in(const Round& round) const {
    const auto it = round.find(subject);
    const auto below = over.empty() ? it : round.find(over);
    if (it == round.end() || below == round.end())
      return std::nullopt;
    const auto divisor = over.empty() ? 1 : below->second.front();
    return divisor == 0 ? std::nullopt : std::optional{it->second.at(index) * factor / divisor};
  }
};

// A line of the table.
struct Line {
  std::string what;
  std::string unit; // of `ours` and `beside`
  Figure ours;
  Figure beside{}; // what ours is divided by, round by round, if there is a subject
  std::optional<Goal> goal{};

  // Returns the line with its numbers, of the rounds in which all was measured.
  Row row(const std::vector<Round>& rounds) const {
    Row result{what, unit, goal};
    for (const auto& round : rounds) {
      const auto has_beside = !beside.subject.empty();
      const auto number = ours.in(round);
      const auto other = has_beside ? beside.in(round) : number;
      if (!number || !other)
        continue;
      result.ours.push_back(*number);
      if (has_beside)
        result.beside.push_back(*other);
    }
    return result;
  }
};

// How much is to be measured.
struct Scale {
  bool is_small;

  // Returns all of it, or a part of it if the scale is small.
  std::uint64_t of(std::uint64_t all, std::uint64_t part = 10) const {
    return is_small ? all / part : all;
  }
};

// The subjects, in the order in which a round measures them, and the lines of the table.
struct Plan {
  std::vector<Subject> subjects{};
  std::vector<Line> lines{};

  // Adds a subject that is measured in a process of its own.
  void subject(std::string name, const std::function<Figures()>& measure,
               std::size_t most_rounds = 1000) {
    subjects.push_back(
      {std::move(name), [measure] { return in_own_process(measure); }, most_rounds});
  }

  void line(Line line) { lines.push_back(std::move(line)); }

  // Leaves only the lines whose names have the text in them, and the subjects of these.
  void keep(const std::string& text) {
    std::erase_if(lines, [&](const Line& x) { return x.what.find(text) == std::string::npos; });
    std::set<std::string> wanted;
    for (const auto& x : lines)
      wanted.insert({x.ours.subject, x.ours.over, x.beside.subject, x.beside.over});
    std::erase_if(subjects, [&](const Subject& x) { return wanted.erase(x.name) == 0; });
    wanted.erase("");
    if (!wanted.empty())
      throw std::logic_error("nobody measures '" + *wanted.begin() + "'");
  }
};

void add_requests(Plan& plan, const Scale& scale) {
  const auto subject = [&](std::string name, Load load, std::size_t most_rounds = 1000) {
    load.operations = scale.of(load.groups > 1 ? 250'000 : 1'000'000, 5);
    plan.subject(
      std::move(name), [load] { return throughput(load); }, most_rounds);
  };
  const auto line = [&](const std::string& what, const std::string& ours, const std::string& beside,
                        std::optional<Goal> goal = {}) {
    plan.line({what, "M/s", {ours}, {beside}, goal});
  };
  for (const std::uint64_t window : {64U, 1024U}) {
    const auto at = " " + std::to_string(window);
    subject("plain" + at, {.window = window});
    subject("ours" + at, {.between = Between::ours, .window = window});
    subject("observed" + at, {.between = Between::ours_observed, .window = window});
    subject("relay" + at, {.between = Between::relay, .window = window});
    subject("plain requests" + at, {.window = window, .by_request = true});
    subject("ours requests" + at, {.between = Between::ours, .window = window, .by_request = true});
    const auto title = "request and reply, window" + at + ": ";
    // CAF 1.x has no means as cheap as those of 0.17.6.
    line(title + "ours / plain CAF", "ours" + at, "plain" + at, at_least(is_caf_1 ? 0.40 : 0.60));
    line(title + "four hops, no tracking / plain CAF", "relay" + at, "plain" + at);
    line(title + "ours / four hops, no tracking", "ours" + at, "relay" + at);
    line(title + "ours / plain CAF, by requests", "ours requests" + at, "plain requests" + at);
    line(title + "observed / not", "observed" + at, "ours" + at);
  }
  subject("ours by_sent 1024", {.between = Between::ours_by_sent, .window = 1024});
  subject("article 1024", {.between = Between::article, .window = 1024});
  const std::string title = "request and reply, window 1024: ";
  line(title + "ours, by Sent / plain CAF", "ours by_sent 1024", "plain 1024");
  line(title + "ours / the article's design", "ours 1024", "article 1024", at_least(3));

  subject("plain 100000", {.window = 100'000});
  subject("ours 100000", {.between = Between::ours, .window = 100'000});
  subject("article 100000",
          {.between = Between::article, .window = 100'000, .patience = scale.of(4, 2)}, 2);
  const std::string many = "100,000 outstanding: ";
  line(many + "ours / plain CAF", "ours 100000", "plain 100000");
  line(many + "the article's design / plain CAF", "article 100000", "plain 100000");
  plan.line({many + "growth of the cost from 64, ours / plain CAF",
             "x",
             {"ours 64", 0, "ours 100000"},
             {"plain 64", 0, "plain 100000"},
             at_most(1.5)});

  for (const auto threads : {1, 2}) {
    const auto at = " eight, " + std::to_string(threads);
    subject("plain" + at, {.window = 64, .groups = 8, .threads = threads});
    subject("ours" + at, {.between = Between::ours, .window = 64, .groups = 8, .threads = threads});
  }
  for (const auto& [who, name, goal] : {std::tuple{"ours", "ours", std::optional{at_least(1.8)}},
                                        std::tuple{"plain", "plain CAF", std::optional<Goal>{}}})
    plan.line({std::string{"eight senders: two threads / one, "} + name,
               "M/s",
               {std::string{who} + " eight, 2", 1},
               {std::string{who} + " eight, 1", 1},
               goal});
}

void add_latencies(Plan& plan, const Scale& scale) {
  for (const auto& [name, between] :
       {std::pair{"plain latency", Between::nobody}, std::pair{"relay latency", Between::relay},
        std::pair{"ours latency", Between::ours}})
    plan.subject(
      name, [between = between, count = scale.of(100'000, 5)] { return latency(between, count); });
  for (const std::size_t index : {0U, 1U}) {
    const std::string part = index == 0 ? "median" : "99th percentile";
    const auto title = "latency, one at a time, " + part + ": ours / plain CAF";
    plan.line({title + " with one actor more",
               "us",
               {"ours latency", index},
               {"relay latency", index},
               at_most(1.3)});
    plan.line({title, "us", {"ours latency", index}, {"plain latency", index}});
  }
}

void add_lateness(Plan& plan, const Scale& scale) {
  for (const auto& [after, delay, all, shares] :
       {std::tuple{"5 ms", 5ms, 500U, false}, std::tuple{"100 ms", 100ms, 100U, false},
        std::tuple{"100 ms, shared queue", 100ms, 100U, true}}) {
    const auto late = std::string{" late "} + after;
    for (const auto& [who, sleeper] :
         {std::pair{"caf", Sleeper::caf}, std::pair{"ours", Sleeper::ours}})
      plan.subject(
        who + late,
        [sleeper = sleeper, delay = delay, count = scale.of(all), shares = shares] {
          return lateness(sleeper, delay, count, shares);
        },
        3);
    plan.line({std::string{"lateness of a resend after "} + after
                 + ", 99th percentile: ours / CAF's delayed message",
               "ms",
               {"ours" + late},
               {"caf" + late},
               ours_at_most(2)});
  }
}

void add_restarts(Plan& plan, const Scale& scale) {
  for (const auto& [name, ending, goal] :
       {std::tuple{" quits", Ending::quits, 50}, std::tuple{" throws", Ending::throws, 20}}) {
    const std::string how = name;
    for (const auto& [who, restarter, all] : {std::tuple{"ours", Restarter::ours, 100'000U},
                                              std::tuple{"article", Restarter::article, 5'000U},
                                              std::tuple{"by hand", Restarter::by_hand, 100'000U}})
      plan.subject(who + how, [restarter = restarter, ending = ending, count = scale.of(all, 5)] {
        return restarts(restarter, ending, count);
      });
    const auto title = "restarts, child" + how + ": ours / ";
    plan.line(
      {title + "the article's design", "k/s", {"ours" + how}, {"article" + how}, at_least(goal)});
    plan.line({title + "plain CAF by hand", "k/s", {"ours" + how}, {"by hand" + how}});
  }
}

void add_recoveries(Plan& plan, const Scale& scale) {
  const auto many = scale.of(1'000'000);
  plan.subject("ours recovers 10000", [] { return recovery(Restarter::ours, 10'000); });
  plan.subject("ours recovers many", [many] { return recovery(Restarter::ours, many); });
  plan.subject(
    "article recovers 10000", [] { return recovery(Restarter::article, 10'000); }, 2);
  const auto title = "recovery after a crash, each of ";
  plan.line({title + grouped(many) + " / each of 10,000",
             "us",
             {"ours recovers many"},
             {"ours recovers 10000"},
             ours_at_most(1)});
  plan.line({title + grouped(many) + ", linear from 10,000",
             "us",
             {"ours recovers many"},
             {"ours recovers 10000"},
             at_most(1.5)});
  plan.line({title + std::string{"10,000: ours / the article's design"},
             "us",
             {"ours recovers 10000"},
             {"article recovers 10000"}});
}

// Adds another benchmark, which prints JSON: the medians of these figures, each with its row and
// column.
void add_program(Plan& plan, std::string name, const std::vector<std::string>& command,
                 const std::vector<std::pair<std::string, std::string>>& wanted) {
  const auto measure = [=] {
    const auto output = nlohmann::json::parse(output_of(command));
    Figures result;
    for (const auto& [row, column] : wanted)
      for (const auto& line : output.at("rows"))
        if (line.at("what") == row)
          result.push_back(line.at(column).at("median").get<double>());
    if (result.size() != wanted.size())
      throw std::runtime_error(command.front() + " lacks a row");
    return result;
  };
  plan.subjects.push_back({std::move(name), measure, 3});
}

void add_children(Plan& plan, const Scale& scale, const std::string& programs) {
  const auto count = scale.of(100'000);
  const auto children = grouped(count);
  const auto back = "crashed and back, ns";
  add_program(plan, "children down",
              {programs + "/supervisor_scale", "--json", "--rounds", "1", "--children",
               std::to_string(count)},
              {{"supervisor, " + children, back},
               {"supervisor, 1,000", back},
               {"by hand, " + children, back},
               {"dynamic supervisor, " + children, back}});
  const auto down = [](std::size_t index, double factor) {
    return Figure{"children down", index, "", factor};
  };
  const auto seconds = static_cast<double>(count) / 1e9;
  const auto title = children + " children down at once, all back: ";
  plan.line({title + "supervisor / by hand", "s", down(0, seconds), down(2, seconds)});
  plan.line({title + "dynamic supervisor / by hand", "s", down(3, seconds), down(2, seconds)});
  plan.line({"children down at once, each of " + children + " / each of 1,000", "us", down(0, 1e-3),
             down(1, 1e-3), at_most(1.5)});
}

void add_memory(Plan& plan, const Scale& scale) {
  const auto count = scale.of(1'000'000);
  for (const auto& [name, pair] :
       {std::pair{"plain pairs", Pair::plain}, std::pair{"ours pairs", Pair::ours},
        std::pair{"ours pairs, each", Pair::ours_each}, std::pair{"ours unused", Pair::unused},
        std::pair{"observed pairs", Pair::observed},
        std::pair{"observed unused", Pair::observed_unused}})
    plan.subject(
      name, [pair = pair, count] { return idle_pairs(pair, count); }, 3);
  const auto idle = grouped(count) + " idle senders";
  const auto unused = idle + ", child started on first use";
  const auto plain = " / two plain actors";
  plan.line({idle + " with child" + plain,
             "bytes",
             {"ours pairs"},
             {"plain pairs"},
             ours_at_most(2.8 * 1024)});
  plan.line({unused + plain, "bytes", {"ours unused"}, {"plain pairs"}, ours_at_most(1.5 * 1024)});
  plan.line({idle + " with child, options of their own" + plain,
             "bytes",
             {"ours pairs, each"},
             {"plain pairs"}});
  plan.line(
    {idle + " with child" + plain + ": spawning", "us", {"ours pairs", 1}, {"plain pairs", 1}});
  plan.line({unused + plain + ": spawning", "us", {"ours unused", 1}, {"plain pairs", 1}});
  plan.line({idle + " with child: observed / not", "bytes", {"observed pairs"}, {"ours pairs"}});
  plan.line({unused + ": observed / not", "bytes", {"observed unused"}, {"ours unused"}});

  for (const std::string how : {"plain sends", "requests"}) {
    for (const std::string where : {"sender", "mailbox"})
      plan.subject(
        where + ", " + how,
        [count, at_sender = where == "sender", by_request = how == "requests"] {
          return waiting(at_sender, by_request, count);
        },
        1);
    plan.line({"a delivery that waits / CAF's queued message, " + how,
               "bytes",
               {"sender, " + how},
               {"mailbox, " + how},
               at_most(2)});
  }
}

void add_instructions(Plan& plan) {
  const std::string title = "instructions, ";
  // An outbox of 1000 does not grow beyond 1024.
  for (const auto& [name, counted] :
       {std::pair{"few", CountedSender{.outbox = 1000}},
        std::pair{"million", CountedSender{.outbox = 1'000'000}},
        std::pair{"window 64", CountedSender{.outbox = 64, .window = 64}},
        std::pair{"observed", CountedSender{.outbox = 64, .window = 64, .is_observed = true}}})
    plan.subjects.push_back(
      {title + name, [counted = counted] { return sender_instructions(counted); }, 1});
  plan.line({"submission and acknowledgement, window 64: observed / not",
             "instructions",
             {title + "observed", 2},
             {title + "window 64", 2},
             at_most(1.02)});
  for (const std::size_t index : {0U, 1U})
    plan.line({std::string{index == 0 ? "submission" : "acknowledgement"}
                 + ": outbox of 1,000,000 / of 1,000",
               "instructions",
               {title + "million", index},
               {title + "few", index},
               at_most(1.5)});
}

void add_durable(Plan& plan, const Scale& scale, const std::string& programs) {
  add_program(plan, "durable",
              {programs + "/durable_sender", "--json", "--rounds", "1", "--messages",
               std::to_string(scale.of(20'000))},
              {{"1", "commits/delivery"},
               {"100", "commits/delivery"},
               {"100", "durable, deliveries/s"},
               {"100", "in memory, deliveries/s"}});
  const std::string title = "durable outbox, window ";
  plan.line({title + "1: syncs per delivery", "", {"durable", 0}, {}, at_most(2)});
  plan.line({title + "100: syncs per delivery", "", {"durable", 1}});
  plan.line({title + "100: durable / in memory", "1/s", {"durable", 2}, {"durable", 3}});
}

void add_peers(Plan& plan, const Scale& scale, const std::string& programs) {
  // A peer prints a rate per second of processor time first.
  const auto subject = [&](std::string name, const std::vector<std::string>& command, double unit) {
    plan.subjects.push_back(
      {std::move(name), [=] { return Figures{std::stod(output_of(command)) / unit}; }});
  };
  const auto erlang = [&](std::string name, const std::vector<std::string>& what, double unit) {
    // One scheduler, which does not spin while it has nothing to do, and no report of each crash.
    std::vector<std::string> command{"erl",     "-noshell",     "+S",   "1:1",      "+sbwt",
                                     "none",    "+sbwtdcpu",    "none", "+sbwtdio", "none",
                                     "-kernel", "logger_level", "none", "-pa",      programs,
                                     "-run",    "peers"};
    command.insert(command.end(), what.begin(), what.end());
    subject(std::move(name), command, unit);
  };
  erlang("erlang 1024", {"requests", "1024", std::to_string(scale.of(1'000'000, 5))}, 1e6);
  const std::string title = "request and reply, window 1024: ours";
  plan.line(
    {title + " / Erlang's gen_server", "M/s", {"ours 1024"}, {"erlang 1024"}, at_least(1.5)});
  plan.line(
    {title + ", by Sent / Erlang's gen_server", "M/s", {"ours by_sent 1024"}, {"erlang 1024"}});
  for (const std::string ending : {"quits", "throws"}) {
    erlang("erlang " + ending, {"restarts", ending, std::to_string(scale.of(5'000, 5))}, 1e3);
    subject("suture " + ending,
            {"env", "GOMAXPROCS=1", programs + "/suture_restarts", ending,
             std::to_string(scale.of(100'000, 5))},
            1e3);
    const auto what = "restarts, child " + ending + ": ours / ";
    plan.line({what + "OTP's supervisor", "k/s", {"ours " + ending, 1}, {"erlang " + ending}});
    plan.line({what + "Go's suture", "k/s", {"ours " + ending, 1}, {"suture " + ending}});
  }
}

// All that can be measured; other benchmarks are in the folder `programs`, and the peers below it.
Plan everything(const Scale& scale, const std::string& programs, bool with_peers) {
  Plan plan;
  add_requests(plan, scale);
  add_latencies(plan, scale);
  add_lateness(plan, scale);
  add_restarts(plan, scale);
  add_recoveries(plan, scale);
  add_children(plan, scale, programs);
  add_memory(plan, scale);
  add_instructions(plan);
  add_durable(plan, scale, programs);
  if (with_peers)
    add_peers(plan, scale, programs + "/peers");
  return plan;
}

// -- the program --------------------------------------------------------------------------

struct Question {
  std::uint64_t rounds = 0;
  bool is_quick = false;
  bool has_peers = false;
  std::string only;
  std::string subject;
  std::string picture;
};

Report measure_one(const std::string& name, const std::vector<Subject>& subjects,
                   std::uint64_t rounds) {
  const auto it = std::ranges::find(subjects, name, &Subject::name);
  if (it == subjects.end()) {
    auto text = "--subject: got '" + name + "', allowed one of these:";
    for (const auto& subject : subjects)
      text += "\n  " + subject.name;
    throw BadInput(text);
  }
  std::ostringstream out;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (const auto figure : it->measure())
      out << figure << ' ';
    out << '\n';
  }
  return {out.str()};
}

Report measure(const Question& question) {
  auto plan = everything({question.is_quick}, folder_of_programs(), question.has_peers);
  const std::uint64_t usual_rounds = question.is_quick ? 3 : 5;
  const auto rounds = question.rounds == 0 ? usual_rounds : question.rounds;
  if (!question.subject.empty())
    return measure_one(question.subject, plan.subjects, rounds);
  plan.keep(question.only);
  if (plan.lines.empty())
    throw BadInput("--only: got '" + question.only + "', allowed what is in the name of a line");
  const auto measured = in_turn(rounds, plan.subjects);
  std::vector<Row> results;
  for (const auto& line : plan.lines)
    if (auto row = line.row(measured); !row.ours.empty())
      results.push_back(std::move(row));
  if (!question.picture.empty())
    plot(results, question.picture);
  auto report = compared(results);
  report.json["caf"] = VERSUS_CAF_VERSION;
  return report;
}

} // namespace

} // namespace versus

int main(int argc, char** argv) {
  versus::Question question;
  benchmarks::Program program{versus::words};
  program.number("--rounds", question.rounds, 0, 1001,
                 "number of rounds; 0 means 5, or 3 with --quick");
  program.flag("--quick", question.is_quick, "do fewer and smaller runs");
  program.text("--only", question.only, "TEXT", "only the lines whose name contains TEXT");
  program.flag("--peers", question.has_peers,
               "also compare with Erlang and Go; ./dev bench --peers installs them");
  program.text("--subject", question.subject, "NAME",
               "measure only NAME and print its raw figures, for a profiler");
  program.text("--plot", question.picture, "FILE",
               "also draw how far the limits are kept: an SVG, with gnuplot");
  return program.run(argc, argv, [&] { return versus::measure(question); });
}
