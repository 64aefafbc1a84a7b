#include "watchers/processor_time.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace watchers {

std::set<std::string> threads_now() {
  std::set<std::string> result;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task", ignored})
    result.insert(thread.path().filename());
  return result;
}

double time_of(const std::set<std::string>& threads) {
  double nanoseconds = 0;
  for (const auto& thread : threads) {
    double running = 0; // what comes first
    std::ifstream{"/proc/self/task/" + thread + "/schedstat"} >> running;
    nanoseconds += running;
  }
  return nanoseconds / 1e9;
}

double time_of_all() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace watchers
