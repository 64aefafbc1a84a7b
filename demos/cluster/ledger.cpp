#include "ledger.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace cluster {

Micros now() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string to_line(const Call& call) {
  std::ostringstream line;
  line << call.epoch << ' ' << call.delivery << ' ' << call.job << ' ' << call.key << ' '
       << call.node << ' ' << call.step << ' ' << call.is_out_of_turn << '\n';
  return line.str();
}

Call read_call(const std::string& line) {
  std::istringstream words{line};
  Call call;
  if (!(words >> call.epoch >> call.delivery >> call.job >> call.key >> call.node >> call.step
        >> call.is_out_of_turn))
    throw std::invalid_argument("no call of the service: " + line);
  return call;
}

namespace {

std::string words_of(const Call& call) {
  std::ostringstream text;
  text << "job " << call.job << " (delivery " << call.delivery << ", key " << call.key << ", epoch "
       << call.epoch << ", node " << call.node << ", at " << call.at << ')';
  return text.str();
}

void note(std::uint64_t& count, std::string& first, const Call& call, const Call& before) {
  if (count++ == 0)
    first = words_of(call) + " after " + words_of(before);
}

} // namespace

Verdict judge(const std::vector<std::uint64_t>& confirmed, const std::vector<Call>& calls) {
  Verdict verdict;
  std::unordered_set<std::uint64_t> done;
  std::unordered_map<std::uint64_t, std::uint64_t> job_of;
  std::unordered_map<std::uint64_t, std::uint64_t> delivery_of;
  std::map<std::string, const Call*> last_of_key;
  std::uint64_t epoch = 0;
  for (const auto& call : calls) {
    if (call.is_refused) {
      ++verdict.stale_refused;
      continue;
    }
    verdict.stale_accepted += call.epoch < epoch ? 1 : 0;
    epoch = std::max(epoch, call.epoch);
    if (job_of.try_emplace(call.delivery, call.job).first->second != call.job
        || delivery_of.try_emplace(call.job, call.delivery).first->second != call.delivery)
      ++verdict.renumbered;
    if (call.step != 0)
      continue;
    if (!done.insert(call.job).second) {
      ++verdict.done_again;
      continue;
    }
    if (call.is_out_of_turn)
      continue;
    auto& last = last_of_key[call.key];
    if (last != nullptr && call.delivery < last->delivery)
      note(verdict.out_of_order, verdict.first_out_of_order, call, *last);
    else
      last = &call;
  }
  const std::set<std::uint64_t> owed{confirmed.begin(), confirmed.end()};
  verdict.confirmed = owed.size();
  verdict.done = done.size();
  verdict.lost = static_cast<std::uint64_t>(
    std::count_if(owed.begin(), owed.end(), [&](auto job) { return !done.contains(job); }));
  return verdict;
}

HandOver judge_hand_over(const std::vector<Transaction>& transactions,
                         const std::vector<Call>& calls) {
  struct Job {
    const Transaction* transaction;
    std::size_t place;
    bool is_done = false;
  };
  struct Latest {
    const Transaction* transaction = nullptr; // the one that began last, of those with a job done
    const Call* call = nullptr;               // of a job of it
    std::map<const Transaction*, std::size_t> places{}; // of the last job done
  };
  HandOver result;
  std::unordered_map<std::uint64_t, Job> jobs;
  for (const auto& x : transactions) {
    (x.is_committed ? result.committed : result.rolled_back) += x.jobs.size();
    for (std::size_t place = 0; place < x.jobs.size(); ++place)
      jobs.emplace(x.jobs[place], Job{&x, place});
  }
  std::map<std::string, Latest> latest_of_key;
  for (const auto& call : calls) {
    const auto found = jobs.find(call.job);
    if (call.is_refused || call.step != 0 || found == jobs.end()
        || std::exchange(found->second.is_done, true))
      continue;
    const auto& [transaction, place, is_done] = found->second;
    ++(transaction->is_committed ? result.done : result.done_of_rolled_back);
    auto& latest = latest_of_key[call.key];
    const auto [last, is_first] = latest.places.try_emplace(transaction, place);
    const auto is_behind_its_own = !is_first && place < last->second;
    const auto is_behind_another =
      latest.transaction != nullptr && latest.transaction->begin > transaction->end;
    if (is_behind_its_own || is_behind_another)
      note(result.out_of_order, result.first_out_of_order, call, *latest.call);
    last->second = std::max(last->second, place);
    if (latest.transaction == nullptr || transaction->begin >= latest.transaction->begin) {
      latest.transaction = transaction;
      latest.call = &call;
    }
  }
  result.lost = result.committed - result.done;
  return result;
}

std::string to_string(const HandOver& hand_over) {
  std::ostringstream text;
  text << "handed over by transaction " << hand_over.committed << ", rolled back "
       << hand_over.rolled_back << ", done " << hand_over.done << ", done of rolled back "
       << hand_over.done_of_rolled_back << ", lost " << hand_over.lost;
  if (hand_over.out_of_order > 0)
    text << ", OUT OF ORDER " << hand_over.out_of_order << ": " << hand_over.first_out_of_order;
  return text.str();
}

std::string to_string(const Verdict& verdict) {
  std::ostringstream text;
  text << "jobs confirmed " << verdict.confirmed << ", done " << verdict.done << ", done again "
       << verdict.done_again << ", lost " << verdict.lost << ", out of order "
       << verdict.out_of_order << ", stale calls refused " << verdict.stale_refused;
  if (verdict.stale_accepted > 0)
    text << ", STALE CALLS ACCEPTED " << verdict.stale_accepted;
  if (verdict.renumbered > 0)
    text << ", RENUMBERED " << verdict.renumbered;
  if (verdict.out_of_order > 0)
    text << "\n  out of order: " << verdict.first_out_of_order;
  return text.str();
}

} // namespace cluster
