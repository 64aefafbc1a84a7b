#include "commands.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace remote_worker {

namespace {

/// What became of each number.
struct Fate {
  bool is_acknowledged = false;
  std::uint64_t executions = 0;
};

class Account {
public:
  explicit Account(std::uint64_t count) : fates_(count + 1) {}

  void read_acknowledged(const std::string& file) {
    for_each_line(file, [this](std::istream& line) {
      std::uint64_t number = 0;
      line >> number;
      fate_of(number).is_acknowledged = true;
    });
  }

  void read_ledger(const std::string& file) {
    for_each_line(file, [this](std::istream& line) {
      std::uint64_t process = 0;
      std::uint64_t number = 0;
      line >> process >> number;
      ++fate_of(number).executions;
      if (++in_one_life_[{process, number}] > 1)
        ++duplicates_in_one_life_;
    });
  }

  /// Says what came of all numbers. Returns whether it is as it should be.
  bool tell() const {
    std::uint64_t acknowledged = 0;
    std::uint64_t executed = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t lost = 0;
    for (std::uint64_t number = 1; number < fates_.size(); ++number) {
      const auto& fate = fates_[number];
      acknowledged += fate.is_acknowledged ? 1 : 0;
      executed += fate.executions;
      duplicates += std::max<std::uint64_t>(fate.executions, 1) - 1;
      if (fate.is_acknowledged && fate.executions > 0)
        continue;
      ++lost;
      std::cout << "lost: " << number << ", executed " << fate.executions << " times, "
                << (fate.is_acknowledged ? "" : "not ") << "acknowledged\n";
    }
    std::cout << "accepted " << fates_.size() - 1 << ", acknowledged " << acknowledged
              << ", executed " << executed << ", lost " << lost << ", duplicates " << duplicates
              << " (" << duplicates_in_one_life_ << " within one worker's life)" << std::endl;
    return lost == 0 && duplicates_in_one_life_ == 0;
  }

private:
  Fate& fate_of(std::uint64_t number) {
    return number == 0 ? throw std::out_of_range{"numbers begin with 1"} : fates_.at(number);
  }

  // Every line must be whole, with a number that there was.
  template <class Read>
  void for_each_line(const std::string& file, Read read) {
    std::ifstream lines{file};
    if (!lines)
      throw std::system_error(errno, std::generic_category(), file);
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      ++count;
      std::istringstream words{line};
      try {
        read(words);
      } catch (const std::out_of_range&) {
        words.setstate(std::ios::failbit);
      }
      if (!words || !(words >> std::ws).eof() || lines.eof())
        throw std::runtime_error(file + ':' + std::to_string(count) + ": no line of an account of "
                                 + std::to_string(fates_.size() - 1) + " numbers: " + line);
    }
  }

  std::vector<Fate> fates_; // by number; 0 is none
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> in_one_life_;
  std::uint64_t duplicates_in_one_life_ = 0;
};

} // namespace

int account(const AccountOptions& options) {
  Account result{options.count};
  try {
    result.read_acknowledged(options.acknowledged);
    for (const auto& ledger : options.ledgers)
      result.read_ledger(ledger);
  } catch (const std::system_error& error) {
    std::cerr << "remote_worker: " << error.what() << '\n';
    return exit_bad_input;
  }
  return result.tell() ? exit_done : exit_failed;
}

} // namespace remote_worker
