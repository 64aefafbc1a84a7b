#include "demo_service.hpp"

#include <httplib.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

namespace rest_client {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int failures = 2;
constexpr std::chrono::seconds patience{2};

} // namespace

class DemoService::Implementation {
public:
  Implementation() {
    server_.Get("/unsteady", [this](const auto&, auto& response) { unsteady(response); });
    server_.Get("/busy", [this](const auto&, auto& response) { busy(response); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    if (port_ < 0)
      throw std::runtime_error("cannot open a port for the service");
    thread_ = std::thread{[this] { server_.listen_after_bind(); }};
    while (!server_.is_running()) // stop() does nothing before
      std::this_thread::yield();
  }

  ~Implementation() {
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }

  int too_early() const {
    const std::lock_guard lock{mutex_};
    return too_early_;
  }

private:
  void unsteady(httplib::Response& response) {
    const std::lock_guard lock{mutex_};
    response.status = ++calls_ <= failures ? 503 : 200;
  }

  void busy(httplib::Response& response) {
    const auto now = Clock::now();
    const std::lock_guard lock{mutex_};
    if (welcome_ && now >= *welcome_) {
      response.status = 200;
      return;
    }
    if (welcome_)
      ++too_early_;
    else
      welcome_ = now + patience;
    response.status = 429;
    response.set_header("Retry-After", std::to_string(patience.count()));
  }

  mutable std::mutex mutex_;
  int calls_ = 0;
  int too_early_ = 0;
  std::optional<Clock::time_point> welcome_;
  httplib::Server server_;
  int port_ = -1;
  std::thread thread_;
};

DemoService::DemoService() : implementation_(std::make_unique<Implementation>()) {}

DemoService::~DemoService() = default;

std::string DemoService::url() const {
  return "http://127.0.0.1:" + std::to_string(implementation_->port());
}

int DemoService::too_early() const { return implementation_->too_early(); }

} // namespace rest_client
