// How a sender makes its children, at once or asynchronously.

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

constexpr auto itself_as_child = "the factory returned the sender itself";

} // namespace

void BackOffSender::give_to_child(const effect::HandOver& x) {
  auto& parcel = parcels_[x.slot];
  if (parcel.extra)
    parcel.extra->held = {};
  if (acknowledges_by_reply_)
    hand_over(x.incarnation, x.hand_over, parcel.payload);
  else
    hand_over(x.incarnation, x.hand_over,
              caf::make_message(TrackedMsg{id_of(x.hand_over), parcel.payload, parcel.source(),
                                           x.delivery, x.incarnation, origin_}));
}

void BackOffSender::start_child(std::uint32_t incarnation, bool is_fallback,
                                FollowUps& follow_ups) {
  const auto& make = is_fallback ? options().fallback : settings_->make_child;
  try {
    if (make.is_asynchronous()) {
      const auto start = std::make_shared<ChildStart>(address(), incarnation);
      rare().starts.push_back(start);
      return make(this, ChildPromise{start});
    }
    const auto child = make(this);
    if (!child)
      return follow_ups.add(not_started(incarnation, "the factory returned no actor"));
    if (child.address() == address())
      return follow_ups.add(not_started(incarnation, itself_as_child));
    adopt(incarnation, child);
    follow_ups.add_started(incarnation);
  } catch (const std::exception& exception) {
    call_off(incarnation);
    follow_ups.add(not_started(incarnation, exception.what()));
  } catch (...) {
    call_off(incarnation);
    follow_ups.add(not_started(incarnation, "the factory threw an exception of unknown type"));
  }
}

BackOffSender::News BackOffSender::not_started(std::uint32_t incarnation, const std::string& text) {
  auto error = make_error(SenderError::start_failed, text);
  const auto verdict = detail::decide(options().decider, FailureKind::start_failed, error).verdict;
  return {input::StartFailed{incarnation, {cause_of(error, false).code, text}, verdict},
          std::move(error)};
}

// Removes a pending start and returns it; none: it was called off.
std::shared_ptr<ChildStart> BackOffSender::take_start(std::uint64_t number) {
  if (!rare_)
    return nullptr;
  auto& starts = rare_->starts;
  const auto it = std::find_if(starts.begin(), starts.end(),
                               [&](const auto& start) { return start->number() == number; });
  if (it == starts.end())
    return nullptr;
  auto result = std::move(*it);
  starts.erase(it);
  return result;
}

void BackOffSender::on_start_news(std::uint64_t number) {
  const auto start = take_start(number);
  if (!start)
    return;
  const auto result = start->take(this);
  const auto incarnation = static_cast<std::uint32_t>(number);
  if (!result.child)
    return take(not_started(incarnation, result.text));
  if (result.child.address() == address())
    return take(not_started(incarnation, itself_as_child));
  adopt(incarnation, result.child, result.ownership);
  take(input::ChildStarted{incarnation});
}

void BackOffSender::call_off(std::uint32_t incarnation) {
  if (const auto start = take_start(incarnation))
    start->call_off();
}

} // namespace backoff_actor
