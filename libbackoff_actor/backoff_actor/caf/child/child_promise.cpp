#include "backoff_actor/caf/child/child_promise.hpp"

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"

#include <caf/actor_cast.hpp>

#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

void end(const ChildStart::Result& result) {
  if (result.child && result.ownership == Ownership::sole)
    compat::send_exit_now(result.child, caf::actor_addr{}, caf::exit_reason::kill);
}

} // namespace

// -- the promise ----------------------------------------------------------------------

class ChildPromise::Debt {
public:
  explicit Debt(std::shared_ptr<ChildStart> owed) : start(std::move(owed)) {}
  Debt(const Debt&) = delete;
  Debt& operator=(const Debt&) = delete;
  ~Debt() { start->tell({{}, {}, "the factory dropped its promise", {}}); }

  const std::shared_ptr<ChildStart> start;
};

ChildPromise::ChildPromise(std::shared_ptr<ChildStart> start)
  : debt_(std::make_shared<Debt>(std::move(start))) {}

void ChildPromise::deliver(const caf::actor& child, Ownership ownership) const {
  if (!child)
    return fail("the factory returned no actor");
  if (debt_)
    debt_->start->tell({child, ownership, {}, {}});
  else
    end({child, ownership, {}, {}});
}

void ChildPromise::fail(const std::string& text) const { fail(text, {}); }

void ChildPromise::fail(const std::string& text, caf::error root) const {
  if (debt_)
    debt_->start->tell({{}, {}, text, std::move(root)});
}

bool ChildPromise::is_wanted() const { return debt_ && debt_->start->is_open(); }

ChildPromise ChildPromise::wrapped(Wrap wrap) const {
  if (debt_)
    debt_->start->wrap(std::move(wrap));
  return *this;
}

// -- the start ------------------------------------------------------------------------

ChildStart::ChildStart(caf::actor_addr waiting, std::uint64_t number)
  : waiting_(std::move(waiting)), number_(number) {}

void ChildStart::tell(Result result) {
  // This handle must be released after the lock. If it is the last one, its release ends the actor.
  // The actor then calls `call_off`, which takes the lock.
  const auto waiting = caf::actor_cast<caf::actor>(waiting_);
  const detail::Lock lock{mutex_};
  if (state_ != State::open || !waiting)
    return end(result);
  state_ = State::told;
  result_ = std::move(result);
  compat::enqueue(waiting, StartNews{number_});
}

bool ChildStart::is_open() const {
  const detail::Lock lock{mutex_};
  return state_ == State::open;
}

void ChildStart::wrap(ChildPromise::Wrap wrap) { wraps_.push_back(std::move(wrap)); }

ChildStart::Result ChildStart::take(caf::event_based_actor* waiting) {
  Result result;
  {
    const detail::Lock lock{mutex_};
    state_ = State::over;
    result = std::exchange(result_, {});
  }
  for (auto wrap = wraps_.rbegin(); wrap != wraps_.rend() && result.child; ++wrap) {
    auto bare = std::exchange(result, {});
    try {
      result.child = (*wrap)(waiting, bare.child);
      if (result.child)
        continue; // the wrap's actor has taken its place
      result.text = "the factory returned no actor";
    } catch (const std::exception& exception) {
      result.text = exception.what();
      result.root = compat::error_of(std::current_exception());
    } catch (...) {
      result.text = "the factory threw an exception of unknown type";
      result.root = compat::error_of(std::current_exception());
    }
    end(bare);
  }
  wraps_.clear();
  return result;
}

void ChildStart::call_off() {
  Result result;
  {
    const detail::Lock lock{mutex_};
    state_ = State::over;
    result = std::exchange(result_, {});
  }
  wraps_.clear(); // they may hold handles that refer back to the waiting actor
  end(result);
}

} // namespace backoff_actor
