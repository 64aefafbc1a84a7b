#include "backoff_actor/caf/outbox/internal/incoming_reader.hpp"

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/outbox/internal/incoming_desk.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace backoff_actor {

namespace {

// How long one wait takes at the most. Then the reader looks again, whether it was told or not.
constexpr std::chrono::seconds longest_rest{1};

// The delay after a failure, and after a message was given back.
const Policy again_policy =
  Exponential{.first = std::chrono::seconds{1}, .cap = std::chrono::seconds{10}};

// How many messages the reader takes at once after some were given back.
constexpr std::size_t few = 16;

class IncomingReader final : public caf::event_based_actor {
public:
  IncomingReader(caf::actor_config& config, std::uint64_t turn, const WriteQueue& queue)
    : caf::event_based_actor(config), desk_(queue.incoming()), seat_(queue.ownership_seat()),
      options_(queue.options()), has_own_thread_(queue.options().thread == WriterThread::own),
      delay_(again_policy, 0, 0), turn_(turn) {}

  const char* name() const override { return "backoff_actor.incoming_reader"; }

  caf::behavior make_behavior() override {
    compat::enqueue(caf::actor_cast<caf::actor>(this), GoOn{});
    return {[this](const GoOn&) { look(); },
            [this](const SleepOver& x) {
              if (x.sleep_id == last_sleep_)
                look();
            }};
  }

  void on_exit() override {
    intake_ = nullptr;
    if (desk_)
      desk_->leave(turn_);
    desk_ = nullptr; // a timer may still hold this actor, which must not keep the store open
    options_ = {};
  }

private:
  void look() {
    ++last_sleep_; // ends the present sleep
    const auto task = desk_->next_task(turn_);
    if (task.is_over)
      return quit();
    if (task.is_early)
      return sleep(std::chrono::milliseconds{10});
    try {
      take(task.look);
    } catch (const StoreError& error) {
      fail(error);
    } catch (const std::exception& exception) {
      fail(StoreError(StoreFailure::input_output,
                      std::string{"cannot read what came in: "} + exception.what()));
    }
  }

  void take(const IntakeRows::Look& may) {
    if (!intake_)
      intake_ = desk_->open(turn_);
    if (!intake_)
      return quit();
    if (may.is_to_catch_up)
      intake_->catch_up();
    if (!may.read_again.empty())
      intake_->give_back(may.read_again);
    if (!may.given_back.empty()) {
      intake_->give_back(may.given_back);
      is_careful_ = true;
      delay_ = delay_.next();
      return sleep(delay_.wait_time());
    }
    if (may.room == 0)
      return; // the desk tells
    const auto is_careful = std::exchange(is_careful_, false);
    auto messages =
      intake_->take(is_careful ? std::min(few, may.room) : may.room, desk_->in_hand());
    if (messages.empty() || !is_careful)
      delay_ = delay_.reset();
    show_calendar();
    const auto is_empty = messages.empty();
    desk_->put(turn_, std::move(messages), intake_->has_caught_up());
    if (is_empty)
      return rest();
    if (is_careful)
      sleep(longest_rest); // by then it is known whether these are given back, too
    else
      look_again();
  }

  void show_calendar() {
    const auto seat = seat_.lock();
    const auto outlook = seat ? intake_->calendar() : std::nullopt;
    if (!outlook)
      return;
    const Instant now{clock().now().time_since_epoch()};
    seat->set_calendar(outlook->next_in ? now + *outlook->next_in : Instant::never(),
                       outlook->problems);
  }

  void rest() {
    if (!has_own_thread_)
      return sleep(longest_rest);
    intake_->wait(longest_rest);
    look_again();
  }

  void look_again() { compat::enqueue(caf::actor_cast<caf::actor>(this), SleepOver{last_sleep_}); }

  void sleep(Duration span) { compat::send_later(*this, span, SleepOver{last_sleep_}); }

  void fail(const StoreError& error) {
    report(options_, error);
    delay_ = delay_.next();
    sleep(delay_.wait_time());
  }

  std::shared_ptr<IncomingDesk> desk_;
  const std::weak_ptr<detail::OwnershipSeat> seat_; // none: nobody sees the calendar
  DurableOptions options_;
  const bool has_own_thread_;
  BackOff delay_;
  const std::uint64_t turn_;
  std::uint64_t last_sleep_ = 1;
  std::shared_ptr<Intake> intake_; // none: it is not open
  bool is_careful_ = false;        // some were given back
};

} // namespace

void spawn_incoming_reader(caf::actor_system& system, const caf::actor_addr& sender,
                           const WriteQueue& queue) {
  const auto& desk = queue.incoming();
  const auto turn = desk->begin(sender);
  if (queue.options().thread == WriterThread::own)
    desk->keep(system.spawn<IncomingReader, caf::detached>(turn, queue));
  else
    desk->keep(system.spawn<IncomingReader>(turn, queue));
}

} // namespace backoff_actor
