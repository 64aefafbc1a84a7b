#pragma once

#include "backoffctl/top/top.hpp"

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
  // The tables as they are read of a page; whole numbers are those of the page.
  const auto page = read_status(
    R"({"senders":[],"senders_left_out":0,"supervisors_left_out":0,)"
    R"("guards":[{"name":"mail","breaker":"closed","retries_left":9.25},)"
    R"({"name":"payments","breaker":"open","calls_left":50}],)"
    R"("supervisors":[{"name":"root#1","running":3,"starting":0,"waiting":1,"ending":0,)"
    R"("stopped":0,"restarts":14,"escalations":0}],)"
    R"("outboxes":[{"name":"orders","commits":5200,"failures":4,"waiting_changes":3,)"
    R"("is_failing":true,"failing_for_seconds":12},)"
    R"({"name":"letters","commits":12,"failures":0,"waiting_changes":0,)"
    R"("is_failing":false,"failing_for_seconds":0}],)"
    R"("ownerships":[{"name":"orders","is_owner":true,"epoch":7,"sure_for_seconds":8.5,)"
    R"("takeovers":1,"next_entry_in_seconds":90.5,"entry_problems":2},)"
    R"({"name":"refunds","is_owner":false,"epoch":0,"sure_for_seconds":0,)"
    R"("takeovers":2}]})");
  moment.status.guards = page.guards;
  moment.status.supervisors = page.supervisors;
  moment.status.outboxes = page.outboxes;
  moment.status.ownerships = page.ownerships;
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
