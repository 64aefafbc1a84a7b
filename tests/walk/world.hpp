#pragma once

#include "supervisor_fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/messages/internal/own_words.hpp>
#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <vector>

// Senders and supervisors as programs have them, and workers that do everything wrong, for random
// walks in virtual time.

namespace backoff_actor::actor_test::sender_walk {

/// What a worker does about a number that it is given.
enum class Fault { none, crash, error, quit, keep };

/// How senders, workers and what is above them are made.
struct Conditions {
  enum class Shape { alone, nested, supervised, nested_and_supervised };

  Shape shape = Shape::alone;
  Acknowledgement acknowledgement = Acknowledgement::by_reply;
  Strategy strategy = Strategy::one_for_one;
  bool has_ack_timeout = false;
  bool clings = false;     ///< workers link themselves to their senders
  bool is_linked = false;  ///< the factory links them
  bool lingers = false;    ///< workers do not end when they are asked to
  bool may_end = false;    ///< senders and supervisors are told to end, and killed
  bool may_freeze = false; ///< workers are stuck now and then
};

/// What is known of the workers of one sender, and what they are to do.
struct Desk {
  Conditions conditions;
  std::deque<Fault> faults{};        ///< of the next numbers
  std::set<std::uint64_t> done{};    ///< numbers that a worker answered
  std::vector<caf::actor_addr> of{}; ///< the workers so far
  int alive = 0;
  bool had_twins = false; ///< two workers were alive at a time

  caf::actor worker() const {
    return of.empty() ? caf::actor{} : caf::actor_cast<caf::actor>(of.back());
  }
};

/// Answers with the number it is given, if nothing goes wrong.
class WalkWorker : public caf::event_based_actor {
public:
  WalkWorker(caf::actor_config& config, std::shared_ptr<Desk> desk, caf::actor_addr parent)
    : caf::event_based_actor(config), desk_(std::move(desk)), sender_(std::move(parent)) {
    compat::keep_cause(*this);
    desk_->of.push_back(address());
    if (++desk_->alive > 1)
      desk_->had_twins = true;
  }

  caf::behavior make_behavior() override {
    if (desk_->conditions.clings)
      link_to(sender_);
    const auto number = [this](std::uint64_t x) -> caf::result<std::uint64_t> {
      switch (next()) {
      case Fault::crash:
        throw std::runtime_error("crash");
      case Fault::error:
        return caf::make_error(caf::sec::runtime_error);
      case Fault::quit:
        quit();
        break;
      case Fault::keep: // CAF 0.17.6 answers nobody for a promise that ends with its actor
        kept_.push_back(make_response_promise<std::uint64_t>());
        return kept_.back();
      case Fault::none:
        break;
      }
      desk_->done.insert(x);
      return x;
    };
    const auto tracked = [this](const TrackedMsg& x) -> caf::result<caf::message> {
      if (!x.payload.match_elements<std::uint64_t>())
        return caf::make_message(Reject{x.id, caf::make_error(caf::sec::unexpected_message)});
      const auto what = x.payload.get_as<std::uint64_t>(0);
      switch (next()) {
      case Fault::crash:
        throw std::runtime_error("crash");
      case Fault::error:
        return caf::make_message(Nack{x.id, caf::make_error(caf::sec::runtime_error)});
      case Fault::quit:
        quit();
        break;
      case Fault::keep:
        return caf::message{};
      case Fault::none:
        break;
      }
      desk_->done.insert(what);
      return caf::make_message(Sent{x.id, caf::make_message(what)});
    };
    const auto other = [](const std::string& text) { return text; };
    if (!desk_->conditions.lingers)
      return {number, tracked, other};
    return {compat::on_exit_message(*this, [](const caf::exit_msg&) {}), number, tracked, other};
  }

  void on_exit() override {
    --desk_->alive;
    kept_.clear();
  }

private:
  Fault next() const {
    if (desk_->faults.empty())
      return Fault::none;
    const auto result = desk_->faults.front();
    desk_->faults.pop_front();
    return result;
  }

  std::shared_ptr<Desk> desk_;
  caf::actor_addr sender_;
  std::vector<caf::typed_response_promise<std::uint64_t>> kept_;
};

/// Sends one message to somebody, and does not mind what comes back.
class WalkStranger : public compat::RequestingActor {
public:
  enum class How { request, plain_send };

  WalkStranger(caf::actor_config& config, const caf::actor& to, const caf::message& what, How how)
    : RequestingActor(config, compat::TakesWords{}), to_(to), what_(what), how_(how) {}

  caf::behavior make_behavior() override {
    if (how_ == How::request) {
      make_request(1, to_, what_, compat::Priority::normal);
    } else {
      compat::OpenRequest in_my_name{ctrl(), caf::make_message_id()};
      pass_on(in_my_name, what_, to_);
    }
    to_ = nullptr;
    return complete_with_words();
  }

private:
  void on_message(caf::message&&) override {}
  void on_system_message(caf::message) override {}
  bool on_word(const compat::Word&) override { return true; }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor to_;
  caf::message what_;
  How how_;
};

/// Submits a number, by a request or a plain send, and counts what comes back.
class WalkClient : public compat::RequestingActor {
public:
  struct Answers {
    std::vector<std::uint64_t> values{};
    std::size_t errors = 0;

    std::size_t count() const { return values.size() + errors; }
  };

  WalkClient(caf::actor_config& config, caf::actor to, std::uint64_t number, bool by_request,
             std::shared_ptr<Answers> answers)
    : RequestingActor(config), sender_(std::move(to)), number_(number), by_request_(by_request),
      answers_(std::move(answers)) {}

  caf::behavior make_behavior() override {
    if (by_request_) {
      make_request(1, sender_, caf::make_message(number_), compat::Priority::normal);
    } else {
      compat::OpenRequest in_my_name{ctrl(), caf::make_message_id()};
      pass_on(in_my_name, caf::make_message(number_), sender_);
    }
    sender_ = nullptr;
    return complete([this](std::uint64_t x) { answers_->values.push_back(x); });
  }

private:
  void on_submission(caf::message, caf::response_promise) override {}
  void on_response(std::uint64_t, caf::message&& content, const caf::strong_actor_ptr&) override {
    if (content.match_elements<std::uint64_t>())
      answers_->values.push_back(content.get_as<std::uint64_t>(0));
    else
      ++answers_->errors;
  }
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor sender_;
  std::uint64_t number_;
  bool by_request_;
  std::shared_ptr<Answers> answers_;
};

/// Keeps why an actor ended.
class WalkWatcher : public compat::RequestingActor {
public:
  WalkWatcher(caf::actor_config& config, const caf::actor& whom, std::shared_ptr<bool> has_ended)
    : RequestingActor(config), has_ended_(std::move(has_ended)) {
    watch_actor(whom);
  }

  caf::behavior make_behavior() override {
    return complete([](const WakeUp&) {});
  }

private:
  void on_submission(caf::message, caf::response_promise) override {}
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override { *has_ended_ = true; }

  std::shared_ptr<bool> has_ended_;
};

} // namespace backoff_actor::actor_test::sender_walk
