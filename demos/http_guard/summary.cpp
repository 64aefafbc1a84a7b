#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <vector>

namespace http_guard {

namespace {

std::string duration(double seconds) {
  char text[32];
  if (seconds < 1)
    std::snprintf(text, sizeof(text), "%.0f ms", seconds * 1000);
  else
    std::snprintf(text, sizeof(text), "%.2f s", seconds);
  return text;
}

// The smallest value that at least this share of all is not above. There must be one.
double percentile(std::vector<double> values, double share) {
  const auto rank = std::ceil(share * static_cast<double>(values.size()));
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

void print(const std::string& what, const std::string& value) {
  std::printf("%-36s %12s\n", what.c_str(), value.c_str());
}

void print_causes(const Timeline& timeline, bool of_nacks) {
  std::vector<std::size_t> by_cause(timeline.causes.size());
  for (const auto& failure : timeline.failures)
    if (failure.is_nack == of_nacks)
      ++by_cause[failure.cause];
  for (std::size_t i = 0; i < by_cause.size(); ++i)
    if (by_cause[i] > 0)
      print("  " + timeline.causes[i], std::to_string(by_cause[i]));
}

double longest_delay(const Timeline& timeline) {
  auto result = 0.0;
  for (const auto& failure : timeline.failures)
    if (!failure.is_nack)
      result = std::max(result, failure.delay);
  return result;
}

} // namespace

Verdict verdict_on(const Options& options, const Jobs& jobs, const Ledger& before,
                   const Ledger& ledger) {
  Verdict result;
  for (const auto& [id, count] : before.executions)
    if (ledger.executions.at(id) > count)
      ++result.in_both_lives;
  result.duplicates = ledger.duplicates();
  result.too_early = ledger.too_early(options.workers);
  for (std::uint64_t job = 0; job < jobs.states.size(); ++job) {
    const auto state = jobs.states[job];
    if ((state == Jobs::State::submitted || state == Jobs::State::answered)
        && !ledger.executions.contains(jobs.id_of(job)))
      ++result.lost;
  }
  return result;
}

void print_summary(const Options& options, const Counts& counts, const Timeline& timeline) {
  print("requests, by " + std::to_string(std::min(options.clients, options.requests)) + " clients",
        std::to_string(options.requests));
  print("time", duration(timeline.end));
  print(options.workers > 1 ? "crashes of the workers" : "crashes of the worker",
        std::to_string(counts.crashes));
  print_causes(timeline, false);
  print("longest delay after one", duration(longest_delay(timeline)));
  print(options.workers > 1 ? "nacks; workers survive them" : "nacks; the worker survives them",
        std::to_string(counts.nacks));
  print_causes(timeline, true);
  if (timeline.longest_wish > 0)
    print("longest wait the service asked for", duration(timeline.longest_wish));
  if (!timeline.latencies.empty()) {
    print("longest wait of a client", duration(percentile(timeline.latencies, 1)));
    print("latency, 50th percentile", duration(percentile(timeline.latencies, 0.5)));
    print("latency, 99th percentile", duration(percentile(timeline.latencies, 0.99)));
  }
  print(options.workers > 1 ? "hand-overs to the workers" : "hand-overs to the worker",
        std::to_string(counts.hand_overs));
  print("  of them resends", std::to_string(counts.resends));
  std::fflush(stdout);
}

void print_durable_summary(const Life& life, const Counts& counts,
                           const std::optional<Verdict>& verdict) {
  print("restored from the file", std::to_string(counts.restored));
  if (life.role == Life::Role::second) {
    print("acknowledged before the kill", std::to_string(counts_before(life).acknowledged));
    print("recognised by key, not done again", std::to_string(counts.known));
    if (verdict && verdict->in_both_lives > 0)
      print("executed before and after the kill", std::to_string(verdict->in_both_lives));
    std::puts("  because its last writes were not in the file yet; all other duplicates are "
              "calls\n  that the service executed but did not answer\n"
              "time, causes and latencies are from after the kill; counts are from both lives");
  }
  if (counts.suspended > 0)
    print("still owed, kept in the file", std::to_string(counts.suspended));
  std::fflush(stdout);
}

std::string headline(const Counts& counts, const std::optional<Verdict>& verdict) {
  const auto or_none = [](std::uint64_t n) { return n == 0 ? "none" : std::to_string(n); };
  auto text = std::to_string(counts.accepted) + " requests, " + std::to_string(counts.crashes)
              + " crashes, " + std::to_string(counts.nacks) + " nacks, "
              + std::to_string(counts.acknowledged) + " answers";
  if (verdict)
    text += ", " + or_none(verdict->lost) + " lost, " + or_none(verdict->too_early) + " too early";
  return text;
}

std::string last_line(const Counts& counts, const std::optional<Verdict>& verdict) {
  const auto from_ledger = [&](std::uint64_t Verdict::*count) {
    return verdict ? std::to_string((*verdict).*count) : "?";
  };
  std::ostringstream line;
  line << "accepted " << counts.accepted << ", acknowledged " << counts.acknowledged
       << ", dead-lettered " << counts.dead_lettered << ", lost " << from_ledger(&Verdict::lost)
       << ", duplicates " << from_ledger(&Verdict::duplicates) << ", crashes " << counts.crashes
       << ", nacks " << counts.nacks << ", too early " << from_ledger(&Verdict::too_early);
  return line.str();
}

} // namespace http_guard
