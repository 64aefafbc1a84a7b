#include "service_process.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace http_guard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds start_limit{20'000};

// Returns what can be read, nothing if the stream has ended, or no value if neither is so in time.
std::optional<std::string> read_within(milliseconds limit, const example::FileDescriptor& stream) {
  pollfd one{stream.get(), POLLIN, 0};
  if (poll(&one, 1, static_cast<int>(limit.count())) <= 0)
    return std::nullopt;
  char buffer[64];
  const auto size = read(stream.get(), buffer, sizeof(buffer));
  return std::string(buffer, static_cast<std::size_t>(size < 0 ? 0 : size));
}

} // namespace

ServiceProcess::ServiceProcess(std::filesystem::path ledger, std::uint64_t seed,
                               std::vector<std::string> poison)
  : ledger_(std::move(ledger)), seed_(seed), poison_(std::move(poison)) {}

void ServiceProcess::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot open a pipe to the service");
  output_ = example::FileDescriptor{ends[0]};
  {
    const example::FileDescriptor its_end{ends[1]};
    const auto program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "http_guard_service";
    std::vector<std::string> command{
      program, "--port", std::to_string(port_.number()), "--ledger",
      ledger_, "--seed", std::to_string(seed_),          "--end-with-parent"};
    for (const auto& id : poison_)
      command.insert(command.end(), {"--poison", id});
    process_ =
      std::make_unique<example::Process>(command, example::Process::Streams{.out = its_end.get()});
  }
  const auto port = read_within(start_limit, output_);
  if (!port)
    throw std::runtime_error("the service did not start within "
                             + std::to_string(start_limit.count()) + "ms");
  if (port->empty())
    throw std::runtime_error("the service did not start: " + to_string(process_->wait()));
}

void ServiceProcess::kill() { process_ = nullptr; }

std::optional<example::Ending> ServiceProcess::unexpected_ending() {
  return process_ ? process_->ending() : std::nullopt;
}

} // namespace http_guard
