#include "backoff_actor/testing/record/ledger.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <ostream>
#include <unordered_map>
#include <utility>
#include <variant>

namespace backoff_actor::testing {

namespace {

// The notes on one key.
struct Account {
  std::string key;
  std::uint32_t submitted = 0;
  std::uint32_t executed = 0;
  std::uint32_t acknowledged = 0;
  std::uint32_t dead_lettered = 0;
  std::uint32_t refused = 0;
};

void add(LedgerFault& fault, std::uint64_t count, const std::string& key) {
  if (count == 0)
    return;
  fault.count += count;
  if (fault.keys.size() < LedgerFault::named)
    fault.keys.push_back(key);
  else
    ++fault.more_keys;
}

constexpr std::uint64_t beyond(std::uint64_t count, std::uint64_t most) {
  return count > most ? count - most : 0;
}

// Joins the faults that occurred into one text: `lost: a, b; phantoms: c`.
class FaultList {
public:
  void add(const char* name, const LedgerFault& fault, bool is_among = false) {
    if (fault.count == 0)
      return;
    text_.append(text_.empty() ? "" : "; ").append(name).append(is_among ? ", among: " : ": ");
    for (std::size_t i = 0; i < fault.keys.size(); ++i)
      text_.append(i == 0 ? "" : ", ").append(fault.keys[i]);
    if (fault.more_keys > 0)
      text_.append(" and ").append(std::to_string(fault.more_keys)).append(" more");
  }

  void add_losses(const LedgerSummary& summary) {
    add("lost", summary.lost, summary.owed > 0);
    add("acknowledged but never executed", summary.unexecuted);
  }

  std::string text() const { return text_; }

private:
  std::string text_;
};

} // namespace

struct Ledger::State {
  void note(std::string_view key, std::uint32_t Account::*what) {
    const std::lock_guard lock{mutex};
    ++(account_of(key).*what);
  }

  // Notes `what` unless it was noted for this key before.
  void note_first_of(std::string_view key, std::uint32_t Account::*what) {
    const std::lock_guard lock{mutex};
    auto& count = account_of(key).*what;
    count = std::max<std::uint32_t>(count, 1);
  }

  Account& account_of(std::string_view key) {
    auto entry = index.find(key);
    if (entry == index.end()) {
      auto& account = accounts.emplace_back(Account{std::string{key}});
      entry = index.emplace(account.key, &account).first;
    }
    return *entry->second;
  }

  std::mutex mutex;
  std::deque<Account> accounts; // in the order of their first note; they never move
  std::unordered_map<std::string_view, Account*> index;
};

Ledger::Ledger() : state_(std::make_shared<State>()) {}

void Ledger::submitted(std::string_view key) const { state_->note(key, &Account::submitted); }
void Ledger::executed(std::string_view key) const { state_->note(key, &Account::executed); }
void Ledger::acknowledged(std::string_view key) const { state_->note(key, &Account::acknowledged); }
void Ledger::dead_lettered(std::string_view key) const {
  state_->note(key, &Account::dead_lettered);
}
void Ledger::refused(std::string_view key) const { state_->note(key, &Account::refused); }

EventHook Ledger::hook(const std::string& sender) const {
  return [state = state_, prefix = sender.empty() ? sender : sender + " "](const Event& event) {
    const auto note = [&](std::uint64_t delivery, std::uint32_t Account::*what) {
      state->note(prefix + std::to_string(delivery), what);
    };
    if (const auto* accepted = std::get_if<event::Accepted>(&event))
      note(accepted->delivery, &Account::submitted);
    else if (const auto* acknowledged = std::get_if<event::Acknowledged>(&event))
      note(acknowledged->delivery, &Account::acknowledged);
    else if (const auto* dead_lettered = std::get_if<event::DeadLettered>(&event))
      note(dead_lettered->delivery, &Account::dead_lettered);
    else if (const auto* restored = std::get_if<event::Restored>(&event))
      state->note_first_of(prefix + std::to_string(restored->delivery), &Account::submitted);
  };
}

LedgerSummary Ledger::summary(std::uint64_t owed) const {
  const std::lock_guard lock{state_->mutex};
  LedgerSummary result;
  for (const auto& account : state_->accounts) {
    result.submitted += account.submitted;
    result.executed += account.executed;
    result.acknowledged += account.acknowledged;
    result.dead_lettered += account.dead_lettered;
    result.refused += account.refused;
  }
  const auto executions_are_noted = result.executed > 0;
  for (const auto& account : state_->accounts) {
    const auto ended =
      std::uint64_t{account.acknowledged} + account.dead_lettered + account.refused;
    if (account.submitted == 0) {
      add(result.phantoms, account.executed + ended, account.key);
      continue;
    }
    add(result.lost, beyond(account.submitted, ended), account.key);
    add(result.ended_twice, beyond(ended, account.submitted), account.key);
    add(result.duplicates, beyond(account.executed, account.submitted), account.key);
    if (executions_are_noted && account.executed == 0)
      add(result.unexecuted, account.acknowledged, account.key);
  }
  // Nobody says which of the messages without an ending are owed, so `lost` names all of them.
  result.owed = std::min(owed, result.lost.count);
  result.lost.count -= result.owed;
  if (result.lost.count == 0)
    result.lost = {};
  return result;
}

std::string to_string(const LedgerSummary& summary) {
  std::string result;
  const auto part = [&result](const char* name, std::uint64_t count) {
    result.append(result.empty() ? "" : ", ").append(name).append(" ");
    result.append(std::to_string(count));
  };
  const auto seldom = [&part](const char* name, std::uint64_t count) {
    if (count > 0)
      part(name, count);
  };
  part("submitted", summary.submitted);
  part("acknowledged", summary.acknowledged);
  part("dead-lettered", summary.dead_lettered);
  part("refused", summary.refused);
  seldom("owed", summary.owed);
  part("lost", summary.lost.count);
  part("duplicates", summary.duplicates.count);
  seldom("acknowledged but never executed", summary.unexecuted.count);
  seldom("ended twice", summary.ended_twice.count);
  seldom("phantoms", summary.phantoms.count);
  return result;
}

std::string LedgerSummary::losses_text() const {
  FaultList list;
  list.add_losses(*this);
  return list.text();
}

std::string LedgerSummary::faults_text() const {
  FaultList list;
  list.add_losses(*this);
  list.add("ended twice", ended_twice);
  list.add("phantoms", phantoms);
  return list.text();
}

std::string LedgerSummary::duplicates_text() const {
  FaultList list;
  list.add("duplicates", duplicates);
  return list.text();
}

std::ostream& operator<<(std::ostream& out, const Ledger& ledger) {
  return out << ledger.summary();
}

std::ostream& operator<<(std::ostream& out, const LedgerSummary& summary) {
  return out << to_string(summary);
}

} // namespace backoff_actor::testing
