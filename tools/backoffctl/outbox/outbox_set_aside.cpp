#include "outbox.hpp"

#include "backoffctl/common/flag_values.hpp"
#include "backoffctl/text/number_text.hpp"

#include <chrono>
#include <set>
#include <stdexcept>
#include <vector>

namespace backoffctl {

namespace {

using namespace backoff_actor;

constexpr auto set_aside_description = R"(Turns owed deliveries into dead letters.

Use it for messages that block the outbox: a program does not open an outbox that holds messages of
types it does not know. resubmit reverses it. The sender must not be running.
)";

constexpr auto set_aside_footer = R"(
Examples:
  backoffctl outbox set-aside outbox.db 3 5
      set two messages aside
  backoffctl outbox set-aside outbox.db --type old_order
      set all messages with a part of this type aside
  backoffctl outbox set-aside 'postgres://worker@db1/shop#orders' --type old_order
      the same in an outbox on a server
)";

class SetAsideCommand final : public OutboxCommand {
public:
  explicit SetAsideCommand(CLI::App& outbox)
    : OutboxCommand(outbox, "set-aside", set_aside_description, set_aside_footer) {
    add_values("ID", given_, "numbers of owed messages, as backoffctl outbox list shows them",
               false);
    add_flag("--type", text(type_), "NAME", "set all messages with a part of this type aside");
  }

  void check(Problems& problems) override {
    OutboxCommand::check(problems);
    if (type_.has_value() == !given_.empty())
      problems.add("ID", type_ ? "numbers with --type" : "nothing",
                   "the numbers of messages that are owed, or --type");
    for (const auto& one : given_)
      if (const auto id = read_whole("ID", one, 1, INT64_MAX, problems))
        ids_.insert(*id);
  }

  std::string run() override {
    const auto store = open();
    const auto at = now();
    std::vector<StoreChange> changes;
    store->for_each_owed([&](const StoredDelivery& x) {
      if (type_ ? has_part(x.message, *type_) : ids_.erase(x.id) == 1)
        changes.emplace_back(change::Bury{x.id, DeadLetterReason::set_aside, x.attempts, "", at});
    });
    if (!ids_.empty())
      throw std::runtime_error(place_of(*store) + ": does not owe " + list(ids_)
                               + "; nothing was done");
    store->commit(changes);
    return "set aside " + counted(changes.size(), "message", "messages") + "\n";
  }

private:
  static WallTime now() {
    using namespace std::chrono;
    return {duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count()};
  }

  // The types of a message are separated by `;`.
  static bool has_part(const StoredMessage& message, const std::string& type) {
    return (";" + message.types + ";").find(";" + type + ";") != std::string::npos;
  }

  static std::string list(const std::set<std::uint64_t>& ids) {
    std::string result;
    for (const auto id : ids)
      result += (result.empty() ? "" : ", ") + std::to_string(id);
    return result;
  }

  std::vector<std::string> given_;
  std::optional<std::string> type_;
  std::set<std::uint64_t> ids_;
};

} // namespace

void add_set_aside_command(CLI::App& outbox, Commands& commands) {
  add_command<SetAsideCommand>(outbox, commands);
}

} // namespace backoffctl
