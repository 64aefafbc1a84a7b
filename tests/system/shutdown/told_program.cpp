#include "told_program.hpp"

#include "common/becomes_true.hpp"
#include "common/patience.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::system_test {

namespace {

constexpr int patience =
  static_cast<int>(std::chrono::milliseconds{test::patience}.count()); // milliseconds

// The signals that wait to be taken by any thread of a process, a bit each.
std::uint64_t waiting_signals(const std::string& process) {
  std::ifstream status{"/proc/" + process + "/status"};
  constexpr std::string_view name = "ShdPnd:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name))
      return std::stoull(line.substr(name.size()), nullptr, 16);
  return 0;
}

} // namespace

ToldProgram::ToldProgram(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "no pipe to the program");
  output_ = example::FileDescriptor{ends[0]};
  const example::FileDescriptor its_end{ends[1]};
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").parent_path()
                                   / "shutdown_program"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  process_.emplace(command, example::Process::Streams{.out = its_end.get(), .err = its_end.get()});
}

bool ToldProgram::read_some() {
  pollfd one{output_.get(), POLLIN, 0};
  is_silent_ = poll(&one, 1, patience) <= 0;
  if (is_silent_)
    return false;
  std::array<char, 4096> buffer;
  const auto size = read(output_.get(), buffer.data(), buffer.size());
  if (size <= 0)
    return false;
  for (const auto c : std::string_view{buffer.data(), static_cast<std::size_t>(size)})
    if (c == '\n')
      lines_.push_back(std::exchange(line_, {}));
    else
      line_ += c;
  return true;
}

std::string ToldProgram::wait_for(std::string_view beginning) {
  for (std::size_t i = 0;; ++i) {
    while (i == lines_.size())
      if (!read_some())
        return {};
    if (lines_[i].starts_with(beginning))
      return lines_[i];
  }
}

void ToldProgram::wait_until_taken(int signal) const {
  const auto process = all("ready ").at(0);
  const auto bit = std::uint64_t{1} << (signal - 1);
  EXPECT_TRUE(test::becomes_true([&] { return (waiting_signals(process) & bit) == 0; }));
}

int ToldProgram::wait() {
  while (read_some()) {
  }
  if (is_silent_)
    return -1;
  const auto status = process_->wait().status;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::size_t ToldProgram::count(std::string_view beginning) const { return all(beginning).size(); }

std::vector<std::string> ToldProgram::all(std::string_view beginning) const {
  std::vector<std::string> result;
  for (const auto& line : lines_)
    if (line.starts_with(beginning))
      result.push_back(line.substr(beginning.size()));
  return result;
}

std::string ToldProgram::text() const {
  std::string result;
  for (const auto& line : lines_)
    result += line + '\n';
  return result + line_;
}

} // namespace backoff_actor::system_test
