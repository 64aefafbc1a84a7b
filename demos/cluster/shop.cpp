#include "shop.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace cluster {

namespace {

using namespace std::chrono_literals;

// The jobs of the workers' clients have lower numbers.
constexpr std::uint64_t first_order = 1'000'000'000'000'000;
constexpr auto look_interval = 5ms;

constexpr auto create_shop = "CREATE ROLE shop LOGIN IN ROLE backoff_producer;"
                             "CREATE TABLE shop_order(order_no bigint PRIMARY KEY, customer text);"
                             "GRANT INSERT ON shop_order TO shop";

// The folder of this program holds the script, too.
std::string script() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shop.py";
}

example::FileDescriptor open_to_write(const std::filesystem::path& file) {
  return example::FileDescriptor{open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)};
}

bool has_psycopg(const std::string& python) {
  const auto nowhere = open_to_write("/dev/null");
  try {
    return example::Process({python, "-c", "import psycopg"}, {-1, nowhere.get(), nowhere.get()})
      .wait()
      .is_success();
  } catch (const std::system_error&) {
    return false;
  }
}

} // namespace

std::optional<std::string> find_python() {
  // The first may be one that the user has built, without the packages of the system.
  for (const auto* const python : {"python3", "/usr/bin/python3"})
    if (has_psycopg(python))
      return python;
  return std::nullopt;
}

Shop::Shop(const example::PrivatePostgres& server, const std::filesystem::path& folder,
           std::string python)
  : server_(server), output_(folder / "shop"), python_(std::move(python)) {
  server_.query(create_shop);
}

void Shop::start(const std::string& outbox, std::uint64_t customers) {
  const auto out = open_to_write(output_);
  process_ = std::make_unique<example::Process>(
    std::vector<std::string>{"env", "PGHOST=127.0.0.1", "PGPORT=" + std::to_string(server_.port()),
                             "PGUSER=shop", "PGDATABASE=postgres", python_, script(), "--outbox",
                             outbox, "--first", std::to_string(first_order), "--customers",
                             std::to_string(customers)},
    example::Process::Streams{-1, out.get(), -1});
}

void Shop::stop(backoff_actor::Duration patience) {
  if (!process_)
    return;
  process_->send(SIGTERM);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!process_->ending() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(look_interval);
  if (const auto ending = process_->ending(); !ending)
    complaint_ = "the shop does not end";
  else if (!ending->is_success() && ending->status != SIGTERM) // it may not have begun yet
    complaint_ = "the shop ended with " + to_string(*ending);
  process_ = nullptr;
}

std::vector<Transaction> Shop::transactions() const {
  std::set<std::uint64_t> tried;
  std::ifstream lines{output_};
  for (std::string line; std::getline(lines, line);)
    tried.insert(std::stoull(line.substr(line.find_last_of(' ') + 1)));
  std::set<std::uint64_t> committed;
  std::istringstream rows{server_.query("SELECT order_no FROM shop_order")};
  for (std::uint64_t order = 0; rows >> order;)
    committed.insert(order);
  tried.insert(committed.begin(), committed.end()); // it was killed before it could say so
  std::vector<Transaction> result;
  for (const auto order : tried) {
    const auto place = static_cast<Micros>(order); // one comes after the other
    result.push_back(
      {.jobs = {order}, .begin = place, .end = place, .is_committed = committed.contains(order)});
  }
  return result;
}

} // namespace cluster
