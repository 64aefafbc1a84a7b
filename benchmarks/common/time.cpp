#include "common/time.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace benchmarks {

namespace {

double now_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// In seconds; where Linux does not tell, 0.
struct Schedule {
  double running = 0;
  double ready = 0; // while others had the processors
};

Schedule schedule_of(const std::string& folder) {
  Schedule result;
  std::ifstream{folder + "/schedstat"} >> result.running >> result.ready;
  return {result.running / 1e9, result.ready / 1e9};
}

} // namespace

double wall_now() { return now_of(CLOCK_MONOTONIC); }

double cpu_now() { return now_of(CLOCK_PROCESS_CPUTIME_ID); }

double own_now(std::int64_t threads) {
  double stolen = 0;
  for (const auto& thread : threads_now())
    stolen += schedule_of(thread).ready;
  return wall_now() - stolen / static_cast<double>(threads);
}

double own_now_of_this_thread() { return wall_now() - schedule_of("/proc/thread-self").ready; }

std::set<std::string> threads_now() {
  std::set<std::string> result;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task", ignored})
    result.insert(thread.path());
  return result;
}

double cpu_of(const std::set<std::string>& folders) {
  double result = 0;
  for (const auto& folder : folders)
    result += schedule_of(folder).running;
  return result;
}

} // namespace benchmarks
