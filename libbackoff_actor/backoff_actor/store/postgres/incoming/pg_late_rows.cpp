#include "backoff_actor/store/postgres/incoming/internal/pg_late_rows.hpp"

#include <algorithm>
#include <charconv>

namespace backoff_actor::detail {

namespace {

// Who writes is asked no more often.
constexpr std::chrono::milliseconds between_questions{10};

// A transaction takes long if it takes longer: each look meanwhile passes the entries of this time.
constexpr std::chrono::milliseconds long_transaction{100};

// The lower half of a number, as locks have it. `text` then begins behind the character that
// follows.
std::uint32_t take_number(std::string_view& text) {
  std::uint64_t result = 0;
  const auto* const end = text.data() + text.size();
  const auto* const read = std::from_chars(text.data(), end, result).ptr;
  text.remove_prefix(static_cast<std::size_t>(std::min(read + 1, end) - text.data()));
  return static_cast<std::uint32_t>(result);
}

} // namespace

PgSnapshot::PgSnapshot(std::string_view text) {
  take_number(text); // the first that is running
  end_ = take_number(text);
  while (!text.empty())
    running_.push_back(take_number(text));
}

bool PgSnapshot::has_ended(std::uint32_t transaction) const {
  // Numbers begin anew after 2^32.
  constexpr std::uint32_t half = 1U << 31U;
  return end_ - transaction - 1 < half
         && std::find(running_.begin(), running_.end(), transaction) == running_.end();
}

PgPlace PgLateRows::floor_of_ended(const PgSnapshot& seen) const {
  auto result = floor_;
  for (const auto& one : writers_)
    if (seen.has_ended(one.transaction))
      result = lower_of(result, one.above);
  return result;
}

void PgLateRows::note_writers(const std::vector<std::uint32_t>& writers, const PgPlace& done,
                              const PgPlace& top, Time now) {
  for (const auto transaction : writers)
    if (std::none_of(writers_.begin(), writers_.end(),
                     [&](const Writer& x) { return x.transaction == transaction; }))
      writers_.push_back({transaction, top_when_asked_, now});
  base_ = done;
  top_when_asked_ = top;
  ask_at_ = now + between_questions;
}

void PgLateRows::note_look(const PgSnapshot& seen, const PgPlace& left, Time now) {
  std::erase_if(writers_, [&](const Writer& x) { return seen.has_ended(x.transaction); });
  floor_ = lower_of(base_, left);
  for (const auto& one : writers_)
    if (now - one.since < long_transaction)
      floor_ = lower_of(floor_, one.above);
}

} // namespace backoff_actor::detail
