#include "redis_server.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace redis_client {

namespace {

std::string last_line_of(const std::filesystem::path& file) {
  std::ifstream stream{file};
  std::string result;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      result = line;
  return result;
}

} // namespace

void RedisServer::start() {
  const std::lock_guard lock{mutex_};
  const auto log = folder_ / "log";
  const example::FileDescriptor out{
    open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
  if (out.get() < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + log.string());
  const std::vector<std::string> command{"redis-server",
                                         "--bind",
                                         "127.0.0.1",
                                         "--port",
                                         std::to_string(port()),
                                         "--dir",
                                         folder_,
                                         "--appendonly",
                                         "yes",
                                         "--appendfsync",
                                         "always",
                                         "--save",
                                         ""};
  try {
    process_ = std::make_unique<example::Process>(
      command, example::Process::Streams{.out = out.get(), .err = out.get()});
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory)
      throw std::runtime_error("there is no redis-server in PATH; on Debian and Ubuntu: apt-get "
                               "install redis-server");
    throw;
  }
}

void RedisServer::kill() {
  const std::lock_guard lock{mutex_};
  process_ = nullptr;
}

std::string RedisServer::unexpected_ending() {
  const std::lock_guard lock{mutex_};
  const auto ending = process_ ? process_->ending() : std::nullopt;
  if (!ending)
    return {};
  const auto last_words = last_line_of(folder_ / "log");
  return "redis-server ended by itself with " + to_string(*ending)
         + (last_words.empty() ? "" : "; its log ends with: " + last_words);
}

} // namespace redis_client
