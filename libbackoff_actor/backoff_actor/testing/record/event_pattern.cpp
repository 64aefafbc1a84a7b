#include "backoff_actor/testing/record/event_pattern.hpp"

#include <utility>

namespace backoff_actor::testing {

EventPattern::EventPattern(std::string description, std::function<bool(const Event&)> fits)
  : EventPattern(
    std::move(description),
    [fits = std::move(fits)](const Event& event, std::string_view) { return fits(event); },
    [](const Event&, std::string_view) { return false; }) {}

EventPattern::EventPattern(std::string description, Test fits, Test is_near)
  : description_(std::move(description)), fits_(std::move(fits)), is_near_(std::move(is_near)) {}

bool EventPattern::fits(const Event& event, std::string_view sender) const {
  return fits_(event, sender);
}

bool EventPattern::is_near(const Event& event, std::string_view sender) const {
  return is_near_(event, sender);
}

EventPattern EventPattern::of(std::string sender) const {
  const auto of_sender = [&sender](const Test& test) {
    return [test, name = sender](const Event& event, std::string_view from) {
      return from == name && test(event, from);
    };
  };
  return {description_ + " of " + sender, of_sender(fits_), of_sender(is_near_)};
}

EventPattern operator||(const EventPattern& a, const EventPattern& b) {
  const auto either = [](const EventPattern::Test& x, const EventPattern::Test& y) {
    return [x, y](const Event& event, std::string_view sender) {
      return x(event, sender) || y(event, sender);
    };
  };
  return {a.description_ + " or " + b.description_, either(a.fits_, b.fits_),
          either(a.is_near_, b.is_near_)};
}

} // namespace backoff_actor::testing
