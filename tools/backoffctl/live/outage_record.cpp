#include "live.hpp"

#include "backoffctl/text/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace backoffctl {

// A second ends when it is told of, or a little earlier; the next begins then.
void OutageRecord::add_load(double clock_s, double span_s, const CallCounts& counts) {
  if (!begun_clock_s_)
    begun_clock_s_ = clock_s - span_s;
  const auto seconds = std::max<std::int64_t>(std::llround(clock_s - *begun_clock_s_), 1);
  clients_.resize(std::max(clients_.size(), static_cast<std::size_t>(seconds)));
  auto& second = clients_[static_cast<std::size_t>(seconds) - 1];
  second.attempts += counts.attempts;
  second.ok += counts.ok;
  second.failed += counts.errors + counts.timedout;
  second.latency_sum_s += seconds_of(counts.latency_sum);
}

void OutageRecord::add_server(const ServerSecond& told) {
  if (!begun_clock_s_)
    return;
  const auto at_s = told.clock_s - *begun_clock_s_;
  const auto second = static_cast<std::size_t>(std::max(std::floor(at_s), 0.0));
  server_.resize(std::max(server_.size(), second + 1));
  const auto before = server_[second].value_or(ServerSecond{});
  server_[second] = told;
  server_[second]->peak_concurrency = std::max(before.peak_concurrency, told.peak_concurrency);
  server_[second]->finished_for_nobody += before.finished_for_nobody;
}

bool OutageRecord::is_steady(std::size_t seconds) const {
  return clients_.size() >= seconds
         && std::all_of(clients_.end() - static_cast<std::ptrdiff_t>(seconds), clients_.end(),
                        [](const auto& second) { return second.ok > 0 && second.failed == 0; });
}

std::vector<backoff_actor::OutageSecond> OutageRecord::seconds() const {
  std::vector<backoff_actor::OutageSecond> result;
  ServerSecond server;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const auto& x = clients_[i];
    if (i < server_.size() && server_[i])
      server = *server_[i];
    else
      server.peak_concurrency = server.concurrency;
    result.push_back({x.attempts, x.ok, x.failed, static_cast<double>(server.concurrency),
                      server.peak_concurrency,
                      x.ok == 0 ? 0 : x.latency_sum_s / static_cast<double>(x.ok)});
  }
  return result;
}

backoff_actor::OutageTimes OutageRecord::times(double warm_s) const {
  const auto begun_s = begun_clock_s_.value_or(0);
  const auto stopped_s = stopped_clock_s_.value_or(begun_s) - begun_s;
  return {warm_s, stopped_s, back_clock_s_.value_or(begun_s) - begun_s};
}

backoff_actor::OutageSummary OutageRecord::summary(double warm_s) const {
  const auto when = times(warm_s);
  auto result = summarize(seconds(), when);
  for (auto i = static_cast<std::size_t>(std::max(when.stopped_s, 0.0)); i < server_.size(); ++i)
    if (server_[i])
      result.lost_work += server_[i]->finished_for_nobody;
  if (!server_.empty() && server_.back())
    result.lost_work += server_.back()->worked_on_for_nobody;
  return result;
}

} // namespace backoffctl
