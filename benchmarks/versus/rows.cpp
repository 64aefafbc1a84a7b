#include "versus/rows.hpp"

#include "common/system.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace versus {

namespace {

using Rows = std::vector<Row>;

using benchmarks::at_least;
using benchmarks::at_most;
using benchmarks::ours_at_most;

void add_requests(Rows& rows) {
  constexpr auto unit = "M/s";
  // CAF 1.x has no means as cheap as those of 0.17.6.
  constexpr auto part_of_plain = benchmarks::is_caf_1 ? 0.40 : 0.60;
  for (const auto* window : {"64", "1024"}) {
    const auto at = std::string{" "} + window;
    const auto title = "request and reply, window" + at + ": ";
    rows.push_back({title + "ours / plain CAF", unit, figure_of("ours" + at),
                    figure_of("plain" + at), at_least(part_of_plain)});
    rows.push_back({title + "four hops, no tracking / plain CAF", unit, figure_of("relay" + at),
                    figure_of("plain" + at)});
    rows.push_back({title + "ours / four hops, no tracking", unit, figure_of("ours" + at),
                    figure_of("relay" + at)});
    rows.push_back({title + "ours / plain CAF, by requests", unit, figure_of("ours requests" + at),
                    figure_of("plain requests" + at)});
    rows.push_back(
      {title + "observed / not", unit, figure_of("observed" + at), figure_of("ours" + at)});
  }
  const auto at_1024 = [&](std::string what, const char* ours, const char* beside) {
    rows.push_back({std::string{"request and reply, window 1024: "}.append(what), unit,
                    figure_of(ours), figure_of(beside)});
  };
  at_1024("ours, by Sent / plain CAF", "ours by_sent 1024", "plain 1024");
  at_1024("through a ChildRef / plain CAF", "address 1024", "plain 1024");
  at_1024("ours / the article's design", "ours 1024", "article 1024");
  rows.back().bound = at_least(3);
  rows.push_back({"100,000 outstanding: ours / plain CAF", unit, figure_of("ours 100000"),
                  figure_of("plain 100000")});
  rows.push_back({"100,000 outstanding: the article's design / plain CAF", unit,
                  figure_of("article 100000"), figure_of("plain 100000")});
  rows.push_back({"100,000 outstanding: growth of the cost from 64, ours / plain CAF", "x",
                  quotient(figure_of("ours 64"), figure_of("ours 100000")),
                  quotient(figure_of("plain 64"), figure_of("plain 100000")), at_most(1.5)});
  for (const std::string who : {"ours", "plain"}) {
    rows.push_back({"eight senders: two threads / one, " + (who == "plain" ? "plain CAF" : who),
                    unit, figure_of(who + " eight, 2", 1), figure_of(who + " eight, 1", 1)});
    if (who != "plain")
      rows.back().bound = at_least(1.8);
  }
}

void add_latencies(Rows& rows) {
  std::size_t index = 0;
  for (const auto* part : {"median", "99th percentile"}) {
    const auto title = std::string{"latency, one at a time, "} + part + ": ";
    const auto ours = figure_of("ours latency", index);
    rows.push_back({title + "ours / plain CAF with one actor more", "us", ours,
                    figure_of("relay latency", index), at_most(1.3)});
    rows.push_back({title + "ours / plain CAF", "us", ours, figure_of("plain latency", index)});
    ++index;
  }
}

void add_lateness(Rows& rows) {
  for (const auto* after : {"5", "100", "100, sharing"}) {
    const auto name = std::string{" late "} + after;
    rows.push_back({std::string{"lateness of a resend after "}
                      + (after[1] == 0   ? "5 ms"
                         : after[3] == 0 ? "100 ms"
                                         : "100 ms, shared queue")
                      + ", 99th percentile: ours / CAF's delayed message",
                    "ms", figure_of("ours" + name), figure_of("caf" + name), ours_at_most(2)});
  }
}

void add_restarts(Rows& rows) {
  constexpr auto unit = "k/s";
  for (const auto& [ending, bound] : {std::pair{"quits", 50}, std::pair{"throws", 20}}) {
    const auto title = std::string{"restarts, child "} + ending + ": ";
    const auto ours = figure_of(std::string{"ours "} + ending);
    rows.push_back({title + "ours / the article's design", unit, ours,
                    figure_of(std::string{"article "} + ending), at_least(bound)});
    rows.push_back({title + "ours / plain CAF by hand", unit, ours,
                    figure_of(std::string{"by hand "} + ending)});
  }
}

void add_recoveries(Rows& rows, const Scale& scale) {
  const auto many = benchmarks::grouped(static_cast<std::int64_t>(scale.many));
  rows.push_back({"recovery after a crash, each of " + many + " / each of 10,000", "us",
                  figure_of("ours recovers many"), figure_of("ours recovers 10000"),
                  ours_at_most(1)});
  rows.push_back({"recovery after a crash, each of " + many + ", linear from 10,000", "us",
                  figure_of("ours recovers many"), figure_of("ours recovers 10000"), at_most(1.5)});
  rows.push_back({"recovery after a crash, each of 10,000: ours / the article's design", "us",
                  figure_of("ours recovers 10000"), figure_of("article recovers 10000")});
  const auto children = benchmarks::grouped(static_cast<std::int64_t>(scale.children));
  const auto seconds = static_cast<double>(scale.children) / 1e9;
  const auto down = [](std::size_t index) { return figure_of("children down", index); };
  rows.push_back({children + " children down at once, all back: supervisor / by hand", "s",
                  times(down(0), seconds), times(down(2), seconds)});
  rows.push_back({children + " children down at once, all back: dynamic supervisor / by hand", "s",
                  times(down(3), seconds), times(down(2), seconds)});
  rows.push_back({"children down at once, each of " + children + " / each of 1,000", "us",
                  times(down(0), 1e-3), times(down(1), 1e-3), at_most(1.5)});
}

void add_memory(Rows& rows, const Scale& scale) {
  const auto pairs = benchmarks::grouped(static_cast<std::int64_t>(scale.pairs));
  const auto beside = [&](const std::string& what, const char* unit, Figure ours,
                          std::size_t index) {
    rows.push_back(
      {pairs + " idle senders" + what, unit, std::move(ours), figure_of("plain pairs", index)});
  };
  beside(" with child / two plain actors", "bytes", figure_of("ours pairs"), 0);
  rows.back().bound = ours_at_most(2.8 * 1024);
  beside(", child started on first use / two plain actors", "bytes", figure_of("ours unused"), 0);
  rows.back().bound = ours_at_most(1.5 * 1024);
  beside(" with child, options of their own / two plain actors", "bytes",
         figure_of("ours pairs, each"), 0);
  beside(" with child / two plain actors: spawning", "us", figure_of("ours pairs", 1), 1);
  beside(", child started on first use / two plain actors: spawning", "us",
         figure_of("ours unused", 1), 1);
  for (const auto& [who, what] :
       {std::pair{"pairs", " with child: observed / not"},
        std::pair{"unused", ", child started on first use: observed / not"}})
    rows.push_back({pairs + " idle senders" + what, "bytes",
                    figure_of(std::string{"observed "} + who),
                    figure_of(std::string{"ours "} + who)});
  rows.push_back({"a delivery that waits / CAF's queued message, plain sends", "bytes",
                  figure_of("bytes waiting", 0), figure_of("bytes waiting", 1), at_most(2)});
  rows.push_back({"a delivery that waits / CAF's queued message, requests", "bytes",
                  figure_of("bytes waiting", 2), figure_of("bytes waiting", 3), at_most(2)});
  rows.push_back({"submission and acknowledgement, window 64: observed / not", "instructions",
                  figure_of("instructions, window 64, observed", 2),
                  figure_of("instructions, window 64", 2), at_most(1.02)});
  std::size_t index = 0;
  for (const auto* what : {"submission", "acknowledgement"}) {
    rows.push_back({std::string{what} + ": outbox of 1,000,000 / of 1,000", "instructions",
                    figure_of("instructions, million", index),
                    figure_of("instructions, few", index), at_most(1.5)});
    ++index;
  }
}

void add_durable(Rows& rows) {
  rows.push_back(
    {"durable outbox, window 1: syncs per delivery", "", figure_of("durable", 0), {}, at_most(2)});
  rows.push_back({"durable outbox, window 100: syncs per delivery", "", figure_of("durable", 1)});
  rows.push_back({"durable outbox, window 100: durable / in memory", "1/s", figure_of("durable", 2),
                  figure_of("durable", 3)});
}

} // namespace

std::vector<Row> all_rows(const Scale& scale) {
  Rows result;
  add_requests(result);
  add_latencies(result);
  add_lateness(result);
  add_restarts(result);
  add_recoveries(result, scale);
  add_memory(result, scale);
  add_durable(result);
  return result;
}

std::vector<benchmarks::Row> results_of(const std::vector<Row>& rows,
                                        const std::vector<Round>& rounds) {
  std::vector<benchmarks::Row> results;
  for (const auto& row : rows) {
    benchmarks::Row result{row.what, row.unit, row.bound};
    for (const auto& round : rounds) {
      const auto ours = row.ours.in_round(round);
      const auto beside = row.beside ? row.beside->in_round(round) : std::nullopt;
      if (!ours || (row.beside && !beside))
        continue;
      result.ours.push_back(*ours);
      if (beside)
        result.beside.push_back(*beside);
    }
    if (!result.ours.empty())
      results.push_back(std::move(result));
  }
  return results;
}

} // namespace versus
