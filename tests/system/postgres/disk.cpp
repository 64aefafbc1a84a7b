#include "postgres/disk.hpp"

#include <array>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace backoff_actor::system_test {

std::unique_ptr<SmallDisk> SmallDisk::at(const std::filesystem::path& folder,
                                         std::size_t megabytes) {
  // In a namespace of its own it goes with this process.
  const auto options = "size=" + std::to_string(megabytes) + "m";
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
      || mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) != 0)
    return nullptr;
  std::filesystem::permissions(folder, std::filesystem::perms{0755});
  return std::unique_ptr<SmallDisk>{new SmallDisk{folder}};
}

SmallDisk::~SmallDisk() { umount2(folder_.c_str(), MNT_DETACH); }

void SmallDisk::fill() const {
  const auto file =
    open((folder_ / "filling").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  static constexpr std::array<char, 65536> block{};
  for (auto size = block.size(); size > 0; size /= 2)
    while (write(file, block.data(), size) > 0) {
    }
  close(file);
}

void SmallDisk::make_room() const { std::filesystem::remove(folder_ / "filling"); }

} // namespace backoff_actor::system_test
