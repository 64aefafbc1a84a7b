#pragma once

#include "top_status.hpp"
#include "top_table.hpp"
#include "top_view.hpp"

#include <string>
#include <vector>

namespace backoffctl {

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

} // namespace backoffctl
