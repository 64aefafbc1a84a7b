#include "versus/other_programs.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace versus {

namespace {

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const auto& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str())); // is only read
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  std::perror(arguments.front());
  _exit(127);
}

std::string all_from(int end) {
  std::string result;
  std::array<char, 4096> part{};
  for (;;) {
    const auto size = read(end, part.data(), part.size());
    if (size <= 0)
      return result;
    result.append(part.data(), static_cast<std::size_t>(size));
  }
}

} // namespace

std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  std::fflush(nullptr);
  if (pipe(ends) != 0)
    throw std::runtime_error("cannot create a pipe");
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    become(command);
  }
  close(ends[1]);
  auto result = all_from(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(command.front() + " failed");
  return result;
}

nlohmann::json json_of(const std::vector<std::string>& command) {
  return nlohmann::json::parse(output_of(command));
}

} // namespace versus
