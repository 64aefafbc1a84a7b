#include "common/machine.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

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

double heap_now() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

void trim_memory() { malloc_trim(0); }

double resident_now() {
  double size = 0;
  double resident = 0;
  if (!(std::ifstream{"/proc/self/statm"} >> size >> resident))
    throw std::runtime_error("/proc/self/statm cannot be read");
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace benchmarks
