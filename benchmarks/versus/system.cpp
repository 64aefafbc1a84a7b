#include "versus/system.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace versus {

double stolen_now(std::int64_t threads) {
  double nanoseconds = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task", ignored}) {
    double running = 0;
    double ready = 0;
    if (std::ifstream{thread.path() / "schedstat"} >> running >> ready)
      nanoseconds += ready;
  }
  return nanoseconds / 1e9 / static_cast<double>(threads);
}

} // namespace versus
