#include "run.hpp"

#include <chrono>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace cluster {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Duration;

constexpr auto patience = 10s;
constexpr auto step = 5ms;

Micros micros(Duration span) {
  return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
}

// What the workers last complained about.
std::string last_error(const Cluster& cluster) {
  std::string result;
  for (const auto& note : cluster.notes())
    if (note.word == "error")
      result = ": " + note.text;
  return result;
}

class Demo {
public:
  Demo(const Options& options, Cluster& cluster, Shop* shop, Calendar* calendar,
       backoff_actor::StopSignals& signals)
    : options_(options), cluster_(cluster), shop_(shop), calendar_(calendar), signals_(signals),
      plan_(options.seed, options.lease) {}

  Run operator()() {
    cluster_.add();
    cluster_.add();
    for (std::uint64_t i = 0; i < options_.hands; ++i)
      cluster_.add_hand();
    for (std::size_t worker = 0; worker < cluster_.size(); ++worker)
      cluster_.start(worker);
    run_.workers = cluster_.size();
    const auto patient_until = now() + micros(patience);
    while (!cluster_.owner() && !waits()) {
      cluster_.look();
      if (now() > patient_until)
        throw std::runtime_error("no worker owns the outbox" + last_error(cluster_));
    }
    if (shop_ != nullptr)
      shop_->start(cluster_.outbox(), cluster_.keys()); // its first owner has made the outbox
    if (calendar_ != nullptr)
      calendar_->start();
    run_.begin = now();
    well_since_ = run_.begin;
    const auto end = run_.begin + micros(std::chrono::seconds{options_.seconds});
    while (now() < end && !waits()) {
      cluster_.look();
      if (calendar_ != nullptr)
        calendar_->go_on();
      go_on();
      show_progress();
    }
    finish();
    return run_;
  }

private:
  // Returns whether a signal came meanwhile.
  bool waits() {
    run_.is_early = run_.is_early || signals_.wait_for(step);
    return run_.is_early;
  }

  // -- faults -----------------------------------------------------------------------

  void go_on() {
    if (is_broken_) {
      watch_takeover();
      end_fault();
      return;
    }
    const auto owner = cluster_.owner();
    const auto fault = plan_(run_.faults.size(), options_.hands);
    if (!owner || now() < well_since_ + micros(fault.pause))
      return;
    const auto worker = fault.hand ? cluster_.size() - options_.hands + *fault.hand : *owner;
    run_.faults.push_back({fault.kind, worker, now(), now() + micros(fault.lasts), {}});
    if (fault.kind == Fault::Kind::kill)
      cluster_.kill(worker);
    else
      cluster_.freeze(worker);
    if (fault.hand)
      say(Cluster::node(worker) + (fault.kind == Fault::Kind::kill ? " was killed" : " was frozen")
          + "; it offers workers");
    is_broken_ = true;
    is_down_ = true;
  }

  void watch_takeover() {
    auto& fault = run_.faults.back();
    if (fault.owned || !cluster_.may_own(fault.worker))
      return;
    fault.owned = cluster_.owned_after(fault.at);
    if (!fault.owned)
      return;
    std::ostringstream text;
    text << Cluster::node(fault.worker)
         << (fault.kind == Fault::Kind::kill ? " was killed; " : " was frozen; ")
         << Cluster::node(*cluster_.owner()) << " owned the outbox "
         << (*fault.owned - fault.at + 500) / 1000 << " ms later";
    say(text.str());
  }

  void end_fault() {
    const auto& fault = run_.faults.back();
    if (is_down_ && now() >= fault.until) {
      mend();
      is_down_ = false;
    }
    // If the other was not there yet, the old one may still be the owner.
    const auto nobody_took_over = now() > fault.until + micros(2s) && cluster_.owner();
    const auto is_over = fault.owned || nobody_took_over || !cluster_.may_own(fault.worker);
    if (!is_down_ && is_over) {
      is_broken_ = false;
      well_since_ = now();
    }
  }

  void mend() {
    auto& fault = run_.faults.back();
    if (fault.kind == Fault::Kind::kill)
      cluster_.start(fault.worker);
    else
      cluster_.thaw(fault.worker);
    fault.until = now();
  }

  // -- the end ----------------------------------------------------------------------

  void finish() {
    if (is_down_)
      mend();
    for (std::size_t worker = 0; worker < cluster_.size(); ++worker)
      cluster_.quiet(worker);
    close_shop();
    if (calendar_ != nullptr)
      close_calendar(*calendar_);
    run_.is_drained = cluster_.wait_until_done(run_.is_early ? patience / 2 : 2 * patience);
    if (is_broken_ && !run_.faults.back().owned && cluster_.may_own(run_.faults.back().worker))
      run_.faults.back().owned = cluster_.owned_after(run_.faults.back().at);
    const auto owner = cluster_.owner();
    for (std::size_t worker = 0; worker < cluster_.size(); ++worker)
      if (worker != owner)
        cluster_.stop(worker, patience);
    if (owner)
      cluster_.stop(*owner, patience);
    run_.end = now();
  }

  // What it has committed is to be done.
  void close_shop() {
    if (shop_ == nullptr)
      return;
    shop_->stop(patience);
    run_.transactions = shop_->transactions();
    for (const auto& transaction : run_.transactions)
      if (transaction.is_committed)
        for (const auto job : transaction.jobs)
          cluster_.add_confirmed(job);
  }

  // All that it has made is to be done.
  void close_calendar(Calendar& calendar) {
    calendar.stop(patience);
    for (const auto& time : calendar.times())
      cluster_.add_confirmed(calendar_job(time.delivery));
  }

  // -- telling ----------------------------------------------------------------------

  void say(const std::string& text) const {
    std::cout << std::fixed << std::setprecision(1) << std::setw(6)
              << static_cast<double>(now() - run_.begin) / 1e6 << " s  " << text << std::endl;
  }

  void show_progress() {
    if (now() < next_line_)
      return;
    next_line_ = now() + micros(2s);
    const auto owner = cluster_.owner();
    std::ostringstream text;
    text << (owner ? Cluster::node(*owner) + " owns" : std::string{"nobody owns"});
    if (const auto epoch = cluster_.service().epoch(); owner && epoch > 0)
      text << ", epoch " << epoch;
    text << "; " << cluster_.confirmed() << " jobs confirmed, " << cluster_.service().count()
         << " calls of the service";
    say(text.str());
  }

  const Options& options_;
  Cluster& cluster_;
  Shop* shop_;         // null: there is none
  Calendar* calendar_; // null: there is none
  backoff_actor::StopSignals& signals_;
  FaultPlan plan_;
  Run run_;
  bool is_broken_ = false; // a fault is on, or the outbox has no new owner yet
  bool is_down_ = false;   // a worker is dead or frozen
  Micros well_since_ = 0;
  Micros next_line_ = 0;
};

} // namespace

Run run(const Options& options, Cluster& cluster, Shop* shop, Calendar* calendar,
        backoff_actor::StopSignals& signals) {
  return Demo{options, cluster, shop, calendar, signals}();
}

} // namespace cluster
