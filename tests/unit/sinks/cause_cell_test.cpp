#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace backoff_actor::cause_cell_test {

namespace {

using namespace std::chrono_literals;
using detail::CauseCell;
using detail::ObservatoryState;
using detail::OwnershipSeat;
using detail::SenderSeat;

Instant at(Duration since_origin) { return {since_origin}; }

std::string kept_of(const std::string& text) {
  CauseCell cell;
  cell.write(text, at(1s));
  return cell.read().text;
}

} // namespace

TEST(cause_cell, has_nothing_before_the_first_cause) {
  EXPECT_EQ(CauseCell{}.read().at, Instant::never());
}

TEST(cause_cell, keeps_the_last_cause) {
  CauseCell cell;
  cell.write("the service is down, and will be for a while", at(1s));
  cell.write("timeout", at(2s));
  EXPECT_EQ(cell.read().text, "timeout");
  EXPECT_EQ(cell.read().at, at(2s));
}

TEST(cause_cell, keeps_the_beginning_of_a_long_cause) {
  EXPECT_EQ(kept_of(std::string(160, 'x')), std::string(160, 'x'));
  EXPECT_EQ(kept_of(std::string(161, 'x')), std::string(160, 'x'));
  EXPECT_EQ(kept_of(""), "");
}

TEST(cause_cell, cuts_no_character_in_two) {
  EXPECT_EQ(kept_of(std::string(159, 'x') + "\xC3\xA9"), std::string(159, 'x'));
  EXPECT_EQ(kept_of(std::string(158, 'x') + "\xC3\xA9"), std::string(158, 'x') + "\xC3\xA9");
}

TEST(cause_cell, never_shows_parts_of_two_causes) {
  CauseCell cell;
  std::atomic<bool> is_over = false;
  std::thread writer{[&] {
    for (int i = 0; !is_over; ++i)
      cell.write(std::string(static_cast<std::size_t>(i % 150), static_cast<char>('a' + i % 26)),
                 at(1s));
  }};
  for (int i = 0; i != 20'000; ++i) {
    const auto text = cell.read().text;
    EXPECT_EQ(text.find_first_not_of(text.substr(0, 1)), text.npos) << text;
  }
  is_over = true;
  writer.join();
}

TEST(observed_sender, has_its_last_cause_and_the_end_of_its_delay) {
  ObservatoryState state{{}};
  SenderSeat seat{state.senders("orders"), 1};
  SenderSeat well{state.senders("orders"), 2};
  SenderGlance glance;
  glance.due = at(12s);
  glance.owed = 1;
  seat.publish(glance, at(7s));
  well.publish({}, at(7s));
  seat.note_cause("Danger, High Voltage!", at(7s));
  const auto senders = state.status(2, at(10s)).senders;
  ASSERT_EQ(senders.size(), 2U);
  EXPECT_EQ(senders[0].last_cause, "Danger, High Voltage!");
  EXPECT_EQ(senders[0].cause_at, at(7s));
  EXPECT_EQ(senders[0].glance.due, at(12s));
  EXPECT_EQ(senders[1].last_cause, "");
  EXPECT_EQ(senders[1].cause_at, Instant::never());
  EXPECT_EQ(senders[1].glance.due, Instant::never());
}

TEST(observed_ownership, is_owned_or_stands_by) {
  ObservatoryState state{{}};
  OwnershipSeat seat{state.ownerships("orders")};
  const auto ownership = [&] { return state.status(0, at(10s)).ownerships.at(0); };
  EXPECT_EQ(ownership().name, "orders");
  EXPECT_EQ(ownership().epoch, 0U);
  EXPECT_EQ(ownership().sure_for, 0s);
  seat.own(3);
  EXPECT_EQ(ownership().epoch, 3U);
  EXPECT_EQ(ownership().sure_for, 0s) << "not sure yet";
  seat.set_sure_until(at(25s));
  EXPECT_EQ(ownership().sure_for, 15s);
  seat.lose();
  EXPECT_EQ(ownership().epoch, 0U);
  EXPECT_EQ(ownership().sure_for, 0s);
  EXPECT_EQ(ownership().takeovers, 1U);
}

TEST(observed_ownership, has_what_the_calendar_of_the_owner_says) {
  ObservatoryState state{{}};
  OwnershipSeat seat{state.ownerships("orders")};
  const auto calendar = [&] { return state.status(0, at(10s)).ownerships.at(0).calendar; };
  seat.own(3);
  EXPECT_EQ(calendar(), std::nullopt);
  seat.set_calendar(at(15s), 0);
  EXPECT_EQ(calendar(), (CalendarOutlook{5s, 0}));
  seat.set_calendar(at(7s), 2);
  EXPECT_EQ(calendar(), (CalendarOutlook{-3s, 2})) << "it is overdue";
  seat.set_calendar(Instant::never(), 0);
  EXPECT_EQ(calendar(), CalendarOutlook{});
  seat.lose();
  EXPECT_EQ(calendar(), std::nullopt);
}

} // namespace backoff_actor::cause_cell_test
