#pragma once

// Inside of the library; not for its users. Whether the failures of a sender's deliveries speak
// against these deliveries or against the service, for `Charging::Rule::by_evidence`.
//
//     quiet --a failure--> failing --too many, or a word--> down
//       ^                     |                              |
//       +-------answer--------+------------answer------------+
//
// An *answer* shows that the service is well: it did what it was asked, or refused it for good.
// A *word* says that the service is at fault. *Too many* have failed since the last answer if two
// of these deliveries were never charged, or if there are five of any kind.
//
//   - Down: no delivery is charged. What was charged since the last answer is taken back.
//   - Failing: a delivery that was charged before is charged again at once. So is a delivery that
//     also failed before the last answer. Any other stays *open*. The next answer to another
//     delivery charges it, once.
//   - A call began while the service was down, and fails after it was back: the service is at
//     fault.

#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace backoff_actor {

/// The evidence of one service.
///
/// @shape  a delivery has a slot and a number, as in `DeliverySlots`. It may have ended since: then
///         its slot is vacant, or has another number.
/// @errors none
/// @thread one at a time.
class FailureEvidence {
public:
  /// A delivery that failed since the last answer.
  struct Failed {
    std::uint32_t slot;
    std::uint64_t id;
    std::uint32_t charges; ///< since the last answer, without a word
    bool is_open;          ///< it was never charged when it failed
  };

  enum class Finding {
    message, ///< charge it now
    open,    ///< not yet
    service, ///< do not charge it
  };

  /// Whether anything failed since the last answer.
  bool is_quiet() const { return failures_ == 0; }

  bool is_down() const { return is_down_; }

  /// When the first failure since the last answer came; only if it is not quiet.
  Instant failing_since() const { return failing_since_; }

  /// How many failures came since the last answer.
  std::uint32_t failures() const { return failures_; }

  /// Whether somebody should know now that nothing succeeds: the service is down, or it had ten
  /// failures, whichever deliveries failed. True once before each answer.
  bool is_news() {
    const auto is_bad = is_down_ || failures_ >= many_failures;
    return is_bad && !std::exchange(is_told_, true);
  }

  /// Whether `is_news` was true since the last answer.
  bool is_told() const { return is_told_; }

  /// A delivery failed, and nobody says whose fault it is.
  ///
  /// @param was_charged whether it was charged with an earlier failure
  /// @param has_failed  whether it failed earlier, with or without a charge
  /// @param began     when it was handed over, or last gave a sign of life
  /// @param take_back called as `take_back(failed)` for each delivery whose `charges` are to be
  ///                  taken back
  template <class TakeBack>
  Finding note_failure(std::uint32_t slot, std::uint64_t id, bool was_charged, bool has_failed,
                       Instant began, Instant now, TakeBack take_back) {
    if (began < back_since_)
      return Finding::service;
    count(now);
    if (is_down_)
      return Finding::service;
    const auto before = size_;
    auto* const failed = find_or_add(slot, id);
    if (failed == nullptr || (!was_charged && is_second_open(*failed))) {
      go_down(take_back);
      return Finding::service;
    }
    failed->is_open = failed->is_open || !was_charged;
    const auto failed_before_the_last_answer = has_failed && size_ != before;
    if (!was_charged && !failed_before_the_last_answer)
      return Finding::open;
    ++failed->charges;
    return Finding::message;
  }

  /// Somebody says that the service failed.
  template <class TakeBack>
  void note_service_failure(Instant now, TakeBack take_back) {
    count(now);
    if (!is_down_)
      go_down(take_back);
  }

  /// The service answered the delivery with this number; 0: one of another sender.
  ///
  /// @param charge called as `charge(failed)` for each delivery to charge, once
  template <class Charge>
  void note_answer(std::uint64_t id, Instant now, Charge charge) {
    const auto failed = std::exchange(failed_, {});
    const auto size = std::exchange(size_, std::size_t{0});
    failures_ = 0;
    is_told_ = false;
    if (std::exchange(is_down_, false))
      back_since_ = now;
    for (std::size_t i = 0; i < size; ++i)
      if (failed[i].is_open && failed[i].charges == 0 && failed[i].id != id)
        charge(failed[i]);
  }

  /// What is known of this delivery says nothing any more.
  void forget(std::uint64_t id) {
    auto* const end = failed_.data() + size_;
    size_ -= static_cast<std::size_t>(
      end - std::remove_if(failed_.data(), end, [&](const Failed& x) { return x.id == id; }));
  }

private:
  static constexpr std::size_t most_failed = 4; // of the messages that fail while the service is up
  static constexpr std::uint32_t many_failures = 10; // without an answer

  void count(Instant now) {
    if (failures_ == 0)
      failing_since_ = now;
    failures_ += failures_ == UINT32_MAX ? 0 : 1;
  }

  // Null if there are too many.
  Failed* find_or_add(std::uint32_t slot, std::uint64_t id) {
    auto* const end = failed_.data() + size_;
    auto* const found =
      std::find_if(failed_.data(), end, [&](const Failed& x) { return x.id == id; });
    if (found == end && size_ == most_failed)
      return nullptr;
    if (found == end)
      failed_[size_++] = {slot, id, 0, false};
    return found;
  }

  bool is_second_open(const Failed& failed) const {
    return std::any_of(failed_.data(), failed_.data() + size_,
                       [&](const Failed& x) { return x.is_open && x.id != failed.id; });
  }

  template <class TakeBack>
  void go_down(TakeBack take_back) {
    is_down_ = true;
    const auto size = std::exchange(size_, std::size_t{0});
    for (std::size_t i = 0; i < size; ++i)
      if (failed_[i].charges != 0)
        take_back(failed_[i]);
  }

  std::array<Failed, most_failed> failed_{};
  std::size_t size_ = 0;
  Instant failing_since_{};
  Instant back_since_{Duration::min()}; // when it last answered after it was down
  std::uint32_t failures_ = 0;
  bool is_down_ = false;
  bool is_told_ = false;
};

} // namespace backoff_actor
