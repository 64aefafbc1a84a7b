#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoffctl {

/// What the senders are sorted by. All but the name begin with the largest.
enum class TopOrder : std::uint8_t { oldest, owed, rate, failures, name };

/// The orders, as `--sort` names them.
inline constexpr std::array<std::string_view, 5> top_orders{"oldest", "owed", "rate", "failures",
                                                            "name"};

inline std::string_view to_string(TopOrder order) {
  return top_orders.at(static_cast<std::size_t>(order));
}

/// Reads the name of an order; nothing if there is none.
std::optional<TopOrder> parse_order(std::string_view name);

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

} // namespace backoffctl
