#pragma once

#include "backoffctl/top/top_frame.hpp"

#include <string>

namespace backoffctl::top_samples {

inline TopSender quiet(const std::string& name, std::uint64_t acknowledged) {
  TopSender sender;
  sender.name = name;
  sender.phase = "running";
  sender.acknowledged = acknowledged;
  sender.rate_hz = 12.5;
  return sender;
}

/// A program with one of each, and with troubles.
inline TopMoment shop() {
  TopMoment moment{"http://127.0.0.1:9464", "21:03:12", {}, {}};
  auto billing = quiet("billing#17", 4000);
  billing.phase = "waiting";
  billing.is_held_back = true;
  billing.owed = 1200;
  billing.in_flight = 8;
  billing.oldest_s = 312;
  billing.failures = 12;
  billing.dead_lettered = 2;
  billing.cause = "Connection refused";
  billing.cause_s = 2.04;
  billing.rate_hz = 0;
  auto packer = quiet("packer#4", 70);
  packer.owed = 3;
  packer.in_flight = 3;
  packer.oldest_s = 0.25;
  packer.pool = TopPool{1, 6, 1, 0, 0, 2};
  auto mailer = quiet("mailer#9", 1);
  mailer.phase = "waiting";
  mailer.is_delayed = true;
  mailer.owed = 1;
  mailer.oldest_s = 7.5;
  mailer.due_s = 2.5;
  mailer.failures = 3;
  mailer.rate_hz.reset();
  moment.status.senders = {packer, quiet("log#2", 9), billing, mailer};
  moment.status.guards = {{"mail", "closed", 9.25, {}}, {"payments", "open", {}, 50}};
  moment.status.supervisors = {{"root#1", 3, 0, 1, 0, 0, 14, 0}};
  moment.status.outboxes = {{"orders", 5200, 4, 3, true, 12}, {"letters", 12, 0, 0, false, 0}};
  moment.status.ownerships = {{"orders", true, 7, 8.5, 1}, {"refunds", false, 0, 0, 2}};
  return moment;
}

/// The lines of a frame, joined; what stands behind an alarm has a `!` in front.
inline std::string text_of(const TopFrame& frame) {
  std::string text;
  for (const auto& line : frame.lines)
    text += (line.look == TopLook::alarm ? "!" : "") + line.text + '\n';
  return text;
}

} // namespace backoffctl::top_samples
