#include "kill.hpp"

#include "messages.hpp"

#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <cstddef>
#include <map>

namespace supervised_service {

namespace {

// A part, and whether it can be told to crash or hang. Supervisors and senders cannot: they take an
// exit message with an error for a crash.
struct Part {
  backoff_actor::ChildRef address;
  bool takes_orders;
};

std::map<std::string, Part> by_name(const Parts& parts) {
  std::map<std::string, Part> result{
    {"cache", {parts.cache, true}}, {"pool", {parts.pool, false}}, {"front", {parts.front, true}}};
  for (std::size_t n = 0; n < parts.senders.size(); ++n) {
    result.insert({nth("sender", n), {parts.senders[n], false}});
    result.insert({nth("worker", n), {parts.workers[n], true}});
  }
  return result;
}

std::string names(const std::map<std::string, Part>& parts) {
  std::string result;
  for (const auto& [name, part] : parts)
    result += (result.empty() ? "" : ", ") + name;
  return result;
}

} // namespace

Killed kill(const Parts& parts, const std::string& name, const std::string& how) {
  const auto all = by_name(parts);
  const auto found = all.find(name);
  if (found == all.end())
    return {404, "there is no " + name + ", only: " + names(all)};
  const auto& part = found->second;
  if (how != "crash" && how != "kill" && (how != "hang" || !part.takes_orders))
    return {400, "how: got " + (how.empty() ? "nothing" : how) + ", allowed for " + name
                   + " crash, kill" + (part.takes_orders ? ", hang" : "")};
  const auto actor = part.address.current();
  if (!actor)
    return {409, name + " is down already"};
  if (how == "kill")
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  else if (how == "hang")
    caf::anon_send(actor, Hang{});
  else if (part.takes_orders)
    caf::anon_send(actor, Crash{});
  else
    caf::anon_send(
      actor, caf::exit_msg{actor.address(),
                           caf::make_error(caf::sec::runtime_error, std::string{"told to crash"})});
  return {202, name + " will " + (how == "kill" ? "be killed" : how)};
}

} // namespace supervised_service
