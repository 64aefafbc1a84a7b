#include "backoff_actor/caf/offered/offer_workers.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/engine/offers/worker_offer.hpp"
#include "backoff_actor/retry/default_draws.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_workers = 1000;

class OfferingProcess final : public compat::RequestingActor {
public:
  OfferingProcess(caf::actor_config& config, OfferOptions options)
    : RequestingActor(config, compat::TakesWords{}), options_(std::move(options)),
      offer_(BackOff{options_.backoff, seed_of_this_process(), next_stream_of_this_process()},
             options_.workers),
      places_(options_.workers) {
    compat::keep_cause(*this);
  }

  const char* name() const override { return "backoff_actor.offering_process"; }
  bool can_finish_work() const override { return true; }

  caf::behavior make_behavior() override {
    keep_alive_ = ctrl();
    carry_out(offer_.begin());
    return complete_with_words();
  }

  void on_exit() override {
    kill_workers();
    answer_stops();
    forget_owner();
    search_ = nullptr;
    options_ = {};
    keep_alive_ = nullptr;
    RequestingActor::on_exit();
  }

private:
  using Act = WorkerOffer::Act;
  using Phase = WorkerOffer::Phase;

  // One place for a worker.
  struct Place {
    caf::actor worker{};
    std::shared_ptr<ChildStart> start{}; // none: no worker is being made
    compat::OpenRequest client{};        // that waits for it
  };

  // -- what is decided ------------------------------------------------------------------

  void carry_out(const WorkerOffer::Acts& acts) {
    for (const auto act : acts)
      carry_out(act);
    if (offer_.due() != Instant::never())
      wake_at(offer_.due());
  }

  void carry_out(Act act) {
    switch (act) {
    case Act::find_owner:
      return find_owner();
    case Act::offer:
      return make_request(++last_offer_, asked_, caf::make_message(OfferWorkers{options_.workers}),
                          compat::Priority::normal);
    case Act::withdraw:
      return withdraw_from(taker_ ? taker_ : asked_);
    case Act::end_workers:
      return end_workers();
    case Act::kill_workers:
      return kill_workers();
    case Act::quit:
      return quit();
    }
  }

  // A request, so that the sender sees whose workers they are.
  void withdraw_from(const caf::actor& whom) {
    make_request(0, whom, caf::make_message(WithdrawWorkers{}), compat::Priority::normal);
  }

  void tell(const std::string& text) {
    if (!options_.on_notice)
      return;
    try {
      options_.on_notice(text);
    } catch (...) {
      // As with a sender: the hook must not stop it.
    }
  }

  // -- the owner ------------------------------------------------------------------------

  void find_owner() {
    search_ = std::make_shared<ChildStart>(address(), ++last_start_);
    try {
      options_.find_owner(this, ChildPromise{search_});
    } catch (...) {
      search_ = nullptr;
      not_found(compat::render(home_system(), compat::error_of(std::current_exception())));
    }
  }

  void not_found(const std::string& why) {
    tell_once("no sender is found: " + why);
    carry_out(offer_.not_found(now()));
  }

  void on_found() {
    auto result = std::exchange(search_, nullptr)->take(this);
    if (!result.child)
      return not_found(result.text);
    asked_ = std::move(result.child);
    carry_out(offer_.found(now()));
  }

  void on_response(std::uint64_t number, caf::message&& answer,
                   const caf::strong_actor_ptr&) override {
    const auto taker =
      answer.match_elements<WorkersTaken>() ? answer.get_as<WorkersTaken>(0).taker : caf::actor{};
    const auto waits = offer_.phase() == Phase::asking || offer_.phase() == Phase::working;
    if (number != last_offer_ || !waits) {
      // This answer comes too late: another sender was asked since.
      if (taker && taker != taker_ && !(asked_ && asked_.node() == taker.node()))
        withdraw_from(taker);
      return;
    }
    if (taker)
      return on_taken(taker);
    const auto* const error = compat::error_in(answer);
    tell_once("the workers are refused: "
              + (error ? compat::render(home_system(), *error) : "an unexpected answer"));
    if (taker_)
      give_up_owner();
    forget_owner();
    carry_out(offer_.refused(now()));
  }

  void on_taken(const caf::actor& taker) {
    offer_.taken(now());
    wake_at(offer_.due());
    if (taker == taker_)
      return; // it has them still
    forget_taker();
    taker_ = taker;
    told_.clear();
    tell("a sender has taken the workers");
    watch_actor(taker_);
  }

  void forget_taker() {
    if (taker_)
      unwatch_actor(taker_);
    taker_ = nullptr;
  }

  void forget_owner() {
    forget_taker();
    asked_ = nullptr;
  }

  // It may have taken the workers, or take them yet.
  void give_up_owner() {
    if (asked_)
      withdraw_from(taker_ ? taker_ : asked_);
    forget_owner();
  }

  // The same failure again and again is told once.
  void tell_once(std::string text) {
    if (text != told_)
      tell(told_ = std::move(text));
  }

  // The sender has ended, or the line to it has failed.
  void lose_owner(const caf::error& reason) {
    forget_owner();
    tell("the sender of the workers is gone: " + compat::render(home_system(), reason));
    carry_out(offer_.owner_gone(now()));
  }

  // -- the workers ----------------------------------------------------------------------

  bool is_owner(const caf::strong_actor_ptr& who) const {
    return asked_ && who && who->node() == asked_.node();
  }

  void make_worker(std::uint32_t number) {
    auto client = open_request();
    if (!is_owner(client.client) || !offer_.may_make(number))
      return refuse(client, caf::make_error(caf::sec::invalid_argument,
                                            std::string{"this process offers no such worker"}));
    auto& place = places_[number];
    end(place, caf::exit_reason::kill);
    place.client = std::move(client);
    place.start = std::make_shared<ChildStart>(address(), ++last_start_);
    offer_.note_made(number);
    try {
      options_.make_child(this, ChildPromise{place.start});
    } catch (...) {
      place.start = nullptr;
      refuse(place.client, compat::error_of(std::current_exception()));
      carry_out(offer_.note_gone(number));
    }
  }

  void on_start_news(std::uint64_t start) {
    if (search_ && search_->number() == start)
      return on_found();
    const auto found = std::ranges::find_if(
      places_, [&](const Place& x) { return x.start && x.start->number() == start; });
    if (found != places_.end())
      on_made(static_cast<std::uint32_t>(found - places_.begin()));
  }

  void on_made(std::uint32_t number) {
    auto& place = places_[number];
    auto result = std::exchange(place.start, nullptr)->take(this);
    if (!result.child) {
      refuse(place.client, make_error(SenderError::start_failed, result.text));
      return carry_out(offer_.note_gone(number));
    }
    place.worker = std::move(result.child);
    watch_actor(place.worker);
    if (place.worker.node() == node()) // the monitor reports the end; a link would end this actor
      unlink_from(place.worker);
    answer_request(place.client, caf::make_message(place.worker));
  }

  void end(Place& place, caf::exit_reason how) {
    if (place.worker) {
      unwatch_actor(place.worker);
      compat::send_exit_now(place.worker, address(), how);
      place.worker = nullptr;
    }
    if (const auto start = std::exchange(place.start, nullptr)) {
      start->call_off();
      refuse(place.client, make_error(SenderError::stopped));
    }
  }

  // They are watched until they have ended, or their places are wanted anew.
  void end_workers() {
    for (const auto& place : places_)
      if (place.worker)
        compat::send_exit_now(place.worker, address(), caf::exit_reason::user_shutdown);
  }

  void kill_workers() {
    for (auto& place : places_)
      end(place, caf::exit_reason::kill);
  }

  void on_down(const caf::actor_addr& who, const caf::error& reason) override {
    if (taker_ && taker_.address() == who)
      return lose_owner(reason);
    const auto place = std::ranges::find_if(
      places_, [&](const Place& x) { return x.worker && x.worker.address() == who; });
    if (place == places_.end())
      return;
    place->worker = nullptr;
    carry_out(offer_.note_gone(static_cast<std::uint32_t>(place - places_.begin())));
  }

  bool is_told_of_end(const caf::actor_addr& who) const override {
    return std::ranges::any_of(
      places_, [&](const Place& x) { return x.worker && x.worker.address() == who; });
  }

  // -- words ----------------------------------------------------------------------------

  bool on_word(const compat::Word& word) override {
    if (word.as<WakeUp>())
      on_wake_up();
    else if (const auto* const news = word.as<StartNews>())
      on_start_news(news->start);
    else if (const auto* const make = word.as<MakeWorker>())
      make_worker(make->place);
    else if (const auto* const stop = word.as<Stop>())
      on_stop(stop->grace);
    else if (const auto* const finish = word.as<FinishWork>())
      on_stop(finish->until - now());
    else
      return false;
    return true;
  }

  void on_wake_up() {
    if (offer_.phase() == Phase::asking && offer_.due() <= now()) {
      tell_once("no answer to the offer within " + to_string(WorkerOffer::answer_limit));
      give_up_owner();
    }
    carry_out(offer_.wake(now()));
  }

  void on_stop(Duration grace) {
    stops_.push_back(open_request());
    carry_out(offer_.stop(now(), grace));
  }

  void on_told_to_end(const caf::actor_addr&, const caf::error&) override {
    carry_out(offer_.stop(now(), Duration::zero()));
  }

  void answer_stops() {
    for (auto& client : std::exchange(stops_, {}))
      answer_request(client, caf::make_message(Stopped{}));
  }

  OfferOptions options_;
  WorkerOffer offer_;
  std::vector<Place> places_;
  std::shared_ptr<ChildStart> search_; // none: it does not search
  caf::actor asked_;                   // was offered the workers; none: nobody was
  caf::actor taker_;                   // has taken them; none: nobody has
  std::vector<compat::OpenRequest> stops_;
  std::string told_;             // the last failure
  std::uint64_t last_offer_ = 0; // the name of its request
  std::uint64_t last_start_ = 0; // the number of a search, or of the start of a worker
  caf::strong_actor_ptr keep_alive_;
};

} // namespace

Problems check(const OfferOptions& options) {
  Problems problems{"OfferOptions"};
  if (!options.find_owner)
    problems.add("find_owner", "an empty function", "remote_child(...)");
  if (!options.make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  detail::check_count(problems, "workers", options.workers, 1, most_workers);
  return problems;
}

caf::actor offer_workers(caf::actor_system& system, OfferOptions options) {
  check(options).raise_if_any();
  detail::require_init(system);
  return system.spawn<OfferingProcess>(std::move(options));
}

} // namespace backoff_actor
