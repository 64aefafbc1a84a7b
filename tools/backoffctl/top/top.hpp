#pragma once

// What `backoffctl top` shows: a page of status, the view that the user has of it, and the screen
// that is made of both. Without sockets, and without a terminal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoffctl {

// -- tables ---------------------------------------------------------------------------------

/// A width or a height that has no end: that of a file.
inline constexpr std::size_t endless = std::numeric_limits<std::size_t>::max() / 2;

/// How a line is shown on a terminal.
enum class TopLook : std::uint8_t { plain, heading, alarm };

/// A line of a screen.
struct TopLine {
  std::string text{}; ///< of characters that take one place each
  TopLook look = TopLook::plain;
};

/// A column of a table.
struct TopColumn {
  std::string title{};
  bool is_text = false;   ///< to the left; else to the right, as numbers are
  std::size_t leaves = 0; ///< where the width does not suffice, the largest goes first; 0: it stays
};

/// A row of a table.
struct TopRow {
  std::vector<std::string> cells{}; ///< as many as there are columns
  bool is_alarm = false;
};

/// A table, of which the first column names the rows, and the last one may be cut.
struct TopTable {
  std::vector<TopColumn> columns{};
  std::vector<TopRow> rows{};
};

/// Renders the title of the columns, and then the rows, none wider than that.
std::vector<TopLine> lay_out(const TopTable& table, std::size_t width);

/// Returns as much of a text as fits, with `…` for the rest. Control characters become `?`.
std::string cut(std::string_view text, std::size_t width);

// -- the page -------------------------------------------------------------------------------

/// The workers of a pool, by their state.
struct TopPool {
  std::uint64_t starting = 0;
  std::uint64_t serving = 0;
  std::uint64_t waiting = 0;
  std::uint64_t leaving = 0;
  std::uint64_t resting = 0;
  std::uint64_t ready = 0; ///< deliveries that wait for a worker alone
};

/// A sender.
///
/// @units seconds
struct TopSender {
  std::string name{};
  std::string phase{};
  bool is_paused = false;
  bool is_held_back = false;
  bool is_on_fallback = false;
  bool is_delayed = false;
  bool is_store_behind = false;
  std::uint64_t owed = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t abandoned = 0;
  double oldest_s = 0; ///< how long the oldest message is owed
  double silent_s = 0; ///< since its last turn, if it owes something
  std::uint64_t acknowledged = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t failures = 0;      ///< crashes, failed starts and hangs of its children
  std::optional<double> due_s{};   ///< until its delay ends, if the program says so
  std::string cause{};             ///< why it last failed, if the program says so
  double cause_s = 0;              ///< since then
  std::optional<TopPool> pool{};   ///< of several workers
  std::optional<double> rate_hz{}; ///< acknowledged a second, once it was seen twice
};

/// What a program says of itself: its page `/status`. What is no sender is a row of a table; what
/// somebody should look at comes first.
struct TopStatus {
  std::vector<TopSender> senders{};
  std::uint64_t senders_left_out = 0;
  TopTable ownerships{}; ///< of outboxes that several processes want
  TopTable outboxes{};
  TopTable guards{};
  TopTable supervisors{};
  std::uint64_t supervisors_left_out = 0;
};

/// Reads a page. Keys that it does not know do not matter; a key that an earlier version of the
/// library does not write may be missing.
///
/// @errors throws `std::runtime_error` that names what is missing or of another type.
TopStatus read_status(const std::string& json);

/// Sets the rate of each sender that was there before.
///
/// @units seconds between the two
/// @range more than 0
void set_rates(TopStatus& status, const TopStatus& before, double span_s);

/// Renders an age or a rest of time, in two units at most: `4 ms`, `1.5 s`, `12 s`, `5 min 12 s`,
/// `3 h 4 min`, `2 d 5 h`.
///
/// @units seconds
std::string age_text(double age_s);

// -- the view -------------------------------------------------------------------------------

/// What the senders are sorted by. All but the name begin with the largest.
enum class TopOrder : std::uint8_t { oldest, owed, rate, failures, name };

/// The orders, as `--sort` names them.
inline constexpr std::array<std::string_view, 5> top_orders{"oldest", "owed", "rate", "failures",
                                                            "name"};

inline std::string_view to_string(TopOrder order) {
  return top_orders.at(static_cast<std::size_t>(order));
}

/// What the user has asked to see.
struct TopView {
  TopOrder order = TopOrder::oldest;
  std::string filter{};      ///< only what has this text, whatever its letters' case
  bool is_filtering = false; ///< the filter is being typed
  bool is_frozen = false;
  std::size_t first = 0; ///< how many senders are scrolled away
};

/// What the user wants after some keys.
enum class TopWish : std::uint8_t { go_on, end };

/// Changes the view as the keys say that a terminal has sent, in one piece or several. Keys without
/// a meaning do nothing.
///
/// @param page how many senders fit on the screen
TopWish press(TopView& view, std::string_view keys, std::size_t page);

// -- rows -----------------------------------------------------------------------------------

/// An age at which somebody should look at a message, and a silence that is more than a pause.
///
/// @units seconds
inline constexpr double top_long_s = 60;

/// Says in a word what a sender is doing: what holds it back, else its phase.
std::string state_of(const TopSender& sender);

/// Says what holds a sender back, and why it last failed; empty if nothing is known.
std::string reason_of(const TopSender& sender);

/// Whether somebody should look at a sender.
bool is_alarming(const TopSender& sender);

/// Returns the senders that the view asks for, in its order.
std::vector<TopSender> chosen_senders(const TopStatus& status, const TopView& view);

/// The table of the senders, and that of their pools; of those, what somebody should look at comes
/// first.
TopTable sender_table(const std::vector<TopSender>& senders);
TopTable pool_table(const std::vector<TopSender>& senders);

/// Returns the table with the rows that the view asks for.
TopTable chosen_rows(TopTable table, const TopView& view);

// -- the screen -----------------------------------------------------------------------------

/// What is to be shown.
struct TopMoment {
  std::string address{}; ///< of the program
  std::string clock{};   ///< when the status came: `21:03:12`
  TopStatus status{};
  std::string trouble{}; ///< why there is no newer one; empty: all is well
};

/// The places of a terminal.
struct TopSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// What a terminal shows.
struct TopFrame {
  std::vector<TopLine> lines{}; ///< as many as the terminal has, at most
  std::size_t first = 0; ///< how many senders are scrolled away: at most those that there are
  std::size_t page = 1;  ///< how many senders fit
};

/// Makes the screen: of the moment, the view and the size alone. One without an end has no footer.
TopFrame frame_of(const TopMoment& moment, const TopView& view, const TopSize& size);

/// Makes all tables, for a file: nothing is cut or left out, and no keys are named.
std::string tables_of(const TopMoment& moment, const TopView& view);

/// Makes what draws a screen on a terminal that is in its alternate screen.
std::string drawing_of(const TopFrame& frame, bool is_coloured);

} // namespace backoffctl
