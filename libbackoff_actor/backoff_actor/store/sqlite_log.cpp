#include "backoff_actor/store/internal/sqlite_log.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace backoff_actor::detail {

namespace {

constexpr std::uint64_t page_size = 4096;

// If the disk has room for this many logs, the length of one log does not matter.
constexpr std::uint64_t much_room = 4;
constexpr std::uint64_t many_times = 8;
constexpr std::uint32_t short_log =
  256; // pages; to look for room costs nothing compared with writing them

} // namespace

std::uint32_t most_log_pages(std::uint32_t allowed, std::uint64_t file_pages, std::uint64_t room) {
  if (allowed <= short_log || room >= much_room * allowed * page_size)
    return allowed;
  const auto most = std::max<std::uint64_t>(short_log, many_times * file_pages);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, allowed));
}

std::uint32_t SqliteLog::most_pages(std::uint32_t allowed) const {
  std::error_code error;
  const auto space = std::filesystem::space(store_, error);
  const auto size = error ? 0 : std::filesystem::file_size(store_, error);
  return error ? allowed : most_log_pages(allowed, size / page_size, space.available);
}

bool SqliteLog::has_content() const {
  // A log begins with a number that is not 0.
  //
  // @source https://www.sqlite.org/fileformat2.html#walformat
  std::array<char, 4> begin{};
  return std::ifstream{path_, std::ios::binary}.read(begin.data(), begin.size())
         && begin != std::array<char, 4>{};
}

void SqliteLog::reserve(std::uint64_t bytes, std::filesystem::perms mode) const {
  const auto bits = static_cast<mode_t>(mode & std::filesystem::perms::mask);
  const auto descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, bits);
  if (descriptor < 0)
    return;
  fchmod(descriptor, bits);
  if (ftruncate(descriptor, 0) == 0)
    static_cast<void>(posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)));
  ::close(descriptor);
}

} // namespace backoff_actor::detail
