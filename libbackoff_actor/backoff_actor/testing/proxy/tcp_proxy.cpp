#include "backoff_actor/testing/proxy/tcp_proxy.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/testing/proxy/internal/proxied_connection.hpp"
#include "backoff_actor/testing/proxy/internal/proxy_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

namespace {

using namespace std::chrono_literals;
using detail::Descriptor;
using detail::ProxiedConnection;
using detail::ProxyTime;

// The identifiers for epoll of the sockets that are not connections.
constexpr auto listener_name = std::numeric_limits<std::uint64_t>::max();
constexpr auto bell_name = listener_name - 1;

// How long the proxy accepts nobody after the system ran out of sockets.
constexpr auto accept_pause = 10ms;

constexpr std::size_t most_buffer_bytes = 1U << 30;

std::vector<net::Address> check(const std::string& host, std::uint16_t port,
                                const TcpProxyOptions& options) {
  Problems problems;
  auto service = net::resolve(host, port);
  if (!service.error.empty())
    problems.add("host", host, "an address or a name that can be resolved; " + service.error);
  if (port == 0)
    problems.add("port", "0", "1..65535");
  if (options.buffer_bytes == 0 || options.buffer_bytes > most_buffer_bytes)
    problems.add("options.buffer_bytes", backoff_actor::detail::text_of_count(options.buffer_bytes),
                 "1.." + std::to_string(most_buffer_bytes));
  problems.raise_if_any();
  return std::move(service.addresses);
}

} // namespace

// The proxy's thread, and the state that it shares with other threads. The thread holds the mutex
// except while it waits and while it calls the hook. So other threads can do all its work, too.
class TcpProxy::Loop {
public:
  Loop(std::vector<net::Address> service, ConnectionPlan plan, TcpProxyOptions options)
    : service_(std::move(service)), options_(std::move(options)),
      listener_(detail::hold_port(options_.listen_port)), port_(net::port_of(listener_)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      plan_(std::move(plan)) {
    detail::listen_at(listener_);
    if (!epoll_ || !bell_ || !watch(listener_, listener_name) || !watch(bell_, bell_name))
      detail::raise_system_error(errno, "the proxy cannot wait for connections");
    thread_ = std::thread{[this] { run(); }};
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  ~Loop() {
    {
      const std::lock_guard lock{mutex_};
      is_stopping_ = true;
    }
    ring();
    thread_.join();
    for (const auto& x : connections_)
      x.second.connection->reset_both();
  }

  std::uint16_t port() const { return port_; }

  void set_plan(ConnectionPlan plan) {
    {
      std::unique_lock lock{mutex_};
      accept_all(lock); // they came under the old plan
      plan_ = std::move(plan);
      next_fault_ = 0;
    }
    ring();
  }

  std::size_t cut_all() {
    std::unique_lock lock{mutex_};
    return cut_all(lock);
  }

  std::size_t go_down() {
    std::unique_lock lock{mutex_};
    const auto result = cut_all(lock);
    if (std::exchange(is_up_, false))
      shutdown(listener_.get(), SHUT_RDWR); // Linux keeps the port, and lets it listen again
    return result;
  }

  void go_up() {
    const std::lock_guard lock{mutex_};
    if (!is_up_)
      detail::listen_at(listener_);
    is_up_ = true;
  }

  TcpProxyStatistics statistics() const {
    const std::lock_guard lock{mutex_};
    auto result = statistics_;
    result.open = connections_.size();
    return result;
  }

private:
  struct Entry {
    std::unique_ptr<ProxiedConnection> connection;
    std::optional<ProxyTime> alarm; // the earliest alarm that is set
  };
  using Alarm = std::pair<ProxyTime, std::uint64_t>;

  bool watch(const Descriptor& descriptor, std::uint64_t name) const {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.u64 = name;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor.get(), &event) == 0;
  }

  void ring() const { eventfd_write(bell_.get(), 1); }

  void run() {
    std::array<epoll_event, 64> events{};
    std::vector<std::uint64_t> next; // connections that have something to do
    std::unique_lock lock{mutex_};
    while (!is_stopping_) {
      next.clear();
      next.swap(ready_);
      const auto timeout = next.empty() ? milliseconds_to_alarm() : 0;
      lock.unlock();
      const auto count = epoll_wait(epoll_.get(), events.data(), int{events.size()}, timeout);
      lock.lock();
      for (auto i = 0; i < count; ++i)
        take(events.at(static_cast<std::size_t>(i)), next, lock);
      take_alarms(next, lock);
      for (const auto number : next)
        go_on(number);
    }
  }

  // Rounded up, because nothing is due before the alarm.
  int milliseconds_to_alarm() const {
    if (alarms_.empty())
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      alarms_.top().first - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
  }

  void take(const epoll_event& event, std::vector<std::uint64_t>& next,
            std::unique_lock<std::mutex>& lock) {
    const auto name = event.data.u64;
    if (name == listener_name) {
      accept_all(lock);
      return;
    }
    if (name == bell_name) {
      eventfd_t count = 0;
      eventfd_read(bell_.get(), &count);
      return;
    }
    const auto found = connections_.find(name / 2);
    if (found == connections_.end())
      return; // another thread has ended it meanwhile
    found->second.connection->note(static_cast<ProxiedConnection::Side>(name % 2), event.events);
    next.push_back(name / 2);
  }

  void take_alarms(std::vector<std::uint64_t>& next, std::unique_lock<std::mutex>& lock) {
    const auto now = std::chrono::steady_clock::now();
    while (!alarms_.empty() && alarms_.top().first <= now) {
      const auto [time, number] = alarms_.top();
      alarms_.pop();
      if (number == listener_name) {
        accept_all(lock);
        continue;
      }
      const auto found = connections_.find(number);
      if (found == connections_.end() || found->second.alarm != time)
        continue;
      found->second.alarm.reset();
      next.push_back(number);
    }
  }

  void go_on(std::uint64_t number) {
    const auto found = connections_.find(number);
    if (found == connections_.end())
      return;
    auto& [connection, alarm] = found->second;
    const auto state = connection->go_on(std::chrono::steady_clock::now(), statistics_);
    if (state == ProxiedConnection::State::ended) {
      connections_.erase(found);
      return;
    }
    if (state == ProxiedConnection::State::ready)
      ready_.push_back(number);
    const auto wake_at = connection->wake_at();
    if (wake_at && (!alarm || *wake_at < *alarm)) {
      alarm = wake_at;
      alarms_.emplace(*wake_at, number);
    }
  }

  void accept_all(std::unique_lock<std::mutex>& lock) {
    while (is_up_) {
      auto client = detail::accept_from(listener_);
      if (!client) {
        if (errno != EAGAIN)
          alarms_.emplace(std::chrono::steady_clock::now() + accept_pause, listener_name);
        return;
      }
      const auto number = statistics_.connections++;
      const auto fault = plan_[next_fault_++];
      begin(number, std::move(client), fault);
      if (options_.on_fault && fault != ConnectionFault{}) {
        lock.unlock();
        try {
          options_.on_fault(number, fault);
        } catch (...) {
          // An error of the hook must not affect the connection.
        }
        lock.lock();
      }
    }
  }

  void begin(std::uint64_t number, Descriptor client, const ConnectionFault& fault) {
    if (fault.kind == ConnectionFault::Kind::refuse) {
      ++statistics_.refused;
      detail::reset(client);
      return;
    }
    if (fault.kind == ConnectionFault::Kind::drop)
      ++statistics_.dropped;
    auto connection = std::make_unique<ProxiedConnection>(
      number, std::move(client), fault, service_, options_.buffer_bytes, epoll_.get(),
      std::chrono::steady_clock::now());
    connections_.emplace(number, Entry{std::move(connection), {}});
    go_on(number);
  }

  std::size_t cut_all(std::unique_lock<std::mutex>& lock) {
    accept_all(lock);
    const auto result = connections_.size();
    for (const auto& x : connections_)
      x.second.connection->reset_both();
    connections_.clear();
    statistics_.cut += result;
    return result;
  }

  const std::vector<net::Address> service_;
  const TcpProxyOptions options_;
  const Descriptor listener_;
  const std::uint16_t port_;
  const Descriptor epoll_;
  const Descriptor bell_;    // an eventfd: rung when there is news for the thread
  mutable std::mutex mutex_; // guards all members below
  ConnectionPlan plan_;
  std::uint64_t next_fault_ = 0;
  bool is_up_ = true;
  bool is_stopping_ = false;
  std::unordered_map<std::uint64_t, Entry> connections_; // by number
  std::vector<std::uint64_t> ready_; // numbers of connections that have more to do at once
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  TcpProxyStatistics statistics_;
  std::thread thread_;
};

TcpProxy::TcpProxy(const std::string& host, std::uint16_t port, ConnectionPlan plan,
                   TcpProxyOptions options) {
  auto service = check(host, port, options);
  loop_ = std::make_unique<Loop>(std::move(service), std::move(plan), std::move(options));
}

TcpProxy::~TcpProxy() = default;

std::uint16_t TcpProxy::port() const { return loop_->port(); }

void TcpProxy::set_plan(ConnectionPlan plan) { loop_->set_plan(std::move(plan)); }

std::size_t TcpProxy::cut_all() { return loop_->cut_all(); }

std::size_t TcpProxy::go_down() { return loop_->go_down(); }

void TcpProxy::go_up() { loop_->go_up(); }

TcpProxyStatistics TcpProxy::statistics() const { return loop_->statistics(); }

} // namespace backoff_actor::testing
