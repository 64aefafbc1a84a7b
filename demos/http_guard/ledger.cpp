#include "ledger.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>

namespace http_guard {

LedgerTime ledger_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return LedgerTime{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

// -- read -------------------------------------------------------------------------

std::uint64_t Ledger::duplicates() const {
  std::uint64_t result = 0;
  for (const auto& [id, count] : executions)
    result += count - 1;
  return result;
}

// Threads write in no order, so the times are put into one.
std::uint64_t Ledger::too_early(std::uint64_t workers) const {
  auto in_order = calls;
  std::sort(in_order.begin(), in_order.end());
  auto told_in_order = wishes;
  std::sort(told_in_order.begin(), told_in_order.end(),
            [](const Wish& a, const Wish& b) { return a.told < b.told; });

  std::uint64_t result = 0;
  auto wish = told_in_order.begin();
  auto welcome = std::numeric_limits<LedgerTime>::min();
  std::uint64_t on_their_way = 0; // when the wish was told that holds now
  for (const auto call : in_order) {
    for (; wish != told_in_order.end() && wish->told < call; ++wish) {
      if (wish->told >= welcome)
        on_their_way = workers - 1;
      welcome = std::max(welcome, wish->welcome);
    }
    if (call >= welcome)
      continue;
    if (on_their_way > 0)
      --on_their_way;
    else
      ++result;
  }
  return result;
}

Ledger read_ledger(const std::filesystem::path& file) {
  Ledger result;
  std::ifstream lines{file};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    LedgerTime at = 0;
    LedgerTime welcome = 0;
    std::string what;
    std::string id;
    int status = 0;
    words >> at >> what >> id;
    if (what == "called")
      result.calls.push_back(at);
    else if (what == "executed")
      ++result.executions[id];
    else if (what == "answered" && words >> status >> welcome)
      result.wishes.push_back({at, welcome});
  }
  return result;
}

// -- write ------------------------------------------------------------------------

void LedgerWriter::called(LedgerTime at, const std::string& id) const {
  write_line(at, "called " + id);
}

void LedgerWriter::executed(LedgerTime at, const std::string& id) const {
  write_line(at, "executed " + id);
}

void LedgerWriter::answered(LedgerTime at, const std::string& id, int status,
                            std::optional<LedgerTime> welcome) const {
  write_line(at, "answered " + id + ' ' + std::to_string(status)
                   + (welcome ? ' ' + std::to_string(*welcome) : std::string{}));
}

void LedgerWriter::write_line(LedgerTime at, const std::string& fact) const {
  file_.write(std::to_string(at) + ' ' + fact);
}

} // namespace http_guard
