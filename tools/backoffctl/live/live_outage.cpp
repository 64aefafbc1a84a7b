#include "live_outage.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <stdexcept>

namespace backoffctl {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t steady_seconds = 5;
constexpr backoff_actor::Duration longest_unsteadiness = 60s; // beyond the time to warm up
constexpr auto look_for_progress = 200ms;

double clock_s() { return std::chrono::duration<double>{EventLoop::now().since_origin}.count(); }

std::size_t whole_seconds(backoff_actor::Duration span) {
  return static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(span).count());
}

std::vector<std::string> command(std::vector<std::string> beginning,
                                 const std::vector<std::string>& end) {
  beginning.insert(beginning.end(), end.begin(), end.end());
  return beginning;
}

} // namespace

LiveOutage::LiveOutage(EventLoop& loop, const OutageSettings& settings)
  : loop_(loop), settings_(settings), at_end_of_outage_(loop, [this] { continue_server(); }),
    progress_tick_(loop, [this] { show_progress(); }) {
  server_ = std::make_unique<ChildProcess>(
    loop, command({"serve", "--json"}, settings_.server),
    [this](const std::string& line) { on_server_line(line); },
    [this] { throw std::runtime_error{"the server ended: " + server_->ending()}; });
}

void LiveOutage::on_server_line(const std::string& line) {
  if (phase_ != Phase::starting) {
    record_.add_server_line(line);
    return;
  }
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("listening"))
    throw std::runtime_error{"the server must print where it listens first, but printed: " + line};
  const auto url = "http://" + json["listening"].get<std::string>() + "/api";
  enter(Phase::warming_up, "before the outage", settings_.warm_up);
  clients_ = std::make_unique<ChildProcess>(
    loop_, command({"load", "--json", "--every", "1s", "--url", url}, settings_.clients),
    [this](const std::string& text) { on_load_line(text); },
    [this] { throw std::runtime_error{"the clients ended: " + clients_->ending()}; });
}

void LiveOutage::on_load_line(const std::string& line) {
  record_.add_load_line(line);
  if (phase_ == Phase::watching && record_.size() >= end_)
    loop_.stop();
  if (phase_ != Phase::warming_up || record_.size() < whole_seconds(settings_.warm_up))
    return;
  if (record_.is_steady(std::min(steady_seconds, whole_seconds(settings_.warm_up))))
    stop_server();
  else if (record_.size() >= whole_seconds(settings_.warm_up + longest_unsteadiness))
    throw std::runtime_error{"calls still fail before the outage, after "
                             + std::to_string(record_.size())
                             + " s: the server is too slow for so many clients"};
}

// Just now a second of the clients has ended, so that the outage begins with one.
void LiveOutage::stop_server() {
  server_->stop();
  record_.stopped(clock_s());
  enter(Phase::stopped, "the server is stopped", settings_.stop_for);
  at_end_of_outage_.in(settings_.stop_for);
}

void LiveOutage::continue_server() {
  server_->go_on();
  record_.back(clock_s());
  end_ =
    static_cast<std::size_t>(std::ceil(record_.times(0).back_s)) + whole_seconds(settings_.watch);
  enter(Phase::watching, "after the outage", settings_.watch);
}

void LiveOutage::enter(Phase phase, const char* what, backoff_actor::Duration span) {
  phase_ = phase;
  phase_begun_ = EventLoop::now();
  progress_.reset();
  progress_total_ = static_cast<std::uint64_t>(std::max<std::int64_t>(span / 1ms, 1));
  progress_.emplace(std::cerr, settings_.shows_progress, what, progress_total_);
  progress_tick_.in(look_for_progress);
}

void LiveOutage::show_progress() {
  const auto done = (EventLoop::now() - phase_begun_) / 1ms;
  progress_->at(std::min(static_cast<std::uint64_t>(done), progress_total_));
  progress_tick_.in(look_for_progress);
}

} // namespace backoffctl
