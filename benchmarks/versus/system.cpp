#include "versus/system.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace versus {

namespace {

// In seconds; where Linux does not tell, 0.
double stolen_from(const std::filesystem::path& thread) {
  double running = 0;
  double ready = 0;
  std::ifstream{thread / "schedstat"} >> running >> ready;
  return ready / 1e9;
}

} // namespace

double own_now(std::int64_t threads) {
  double stolen = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task", ignored})
    stolen += stolen_from(thread.path());
  return wall_now() - stolen / static_cast<double>(threads);
}

double own_now_of_this_thread() { return wall_now() - stolen_from("/proc/thread-self"); }

} // namespace versus
