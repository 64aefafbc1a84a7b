#include "outage_record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace backoffctl {

namespace {

nlohmann::json parse(const std::string& line, const char* who) {
  auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("clock_s"))
    throw std::runtime_error{std::string{"cannot read a line that the "} + who
                             + " printed: " + line};
  return json;
}

std::uint64_t count(const nlohmann::json& json, const char* key) {
  return json.value(key, std::uint64_t{0});
}

} // namespace

// A second ends when its line is printed, or a little earlier; the next begins then.
void OutageRecord::add_load_line(const std::string& line) {
  const auto json = parse(line, "clients");
  const auto clock_s = json.value("clock_s", 0.0);
  if (!begun_clock_s_)
    begun_clock_s_ = clock_s - json.value("span_s", 1.0);
  const auto seconds = std::max<std::int64_t>(std::llround(clock_s - *begun_clock_s_), 1);
  clients_.resize(std::max(clients_.size(), static_cast<std::size_t>(seconds)));
  auto& second = clients_[static_cast<std::size_t>(seconds) - 1];
  const auto ok = count(json, "ok");
  second.attempts += count(json, "attempts");
  second.ok += ok;
  second.failed += count(json, "errors") + count(json, "timedout");
  second.latency_sum_s += json.value("latency_mean_s", 0.0) * static_cast<double>(ok);
}

void OutageRecord::add_server_line(const std::string& line) {
  const auto json = parse(line, "server");
  if (!begun_clock_s_)
    return;
  const auto at_s = json.value("clock_s", 0.0) - *begun_clock_s_;
  const auto second = static_cast<std::size_t>(std::max(std::floor(at_s), 0.0));
  server_.resize(std::max(server_.size(), second + 1));
  const auto before = server_[second].value_or(ServerSecond{});
  server_[second] = {json.value("concurrency", 0.0),
                     std::max(before.peak_concurrency, count(json, "peak_concurrency")),
                     before.lost_work + count(json, "finished_for_nobody"),
                     count(json, "worked_on_for_nobody")};
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
      server.peak_concurrency = static_cast<std::uint64_t>(server.concurrency);
    result.push_back({x.attempts, x.ok, x.failed, server.concurrency, server.peak_concurrency,
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
      result.lost_work += server_[i]->lost_work;
  if (!server_.empty() && server_.back())
    result.lost_work += server_.back()->worked_on_for_nobody;
  return result;
}

} // namespace backoffctl
