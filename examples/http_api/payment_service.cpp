#include "payment_service.hpp"

#include <httplib.h>

#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace http_api {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{1};

} // namespace

class PaymentService::Implementation {
public:
  Implementation() {
    server_.Post("/charges",
                 [this](const auto& request, auto& response) { answer(request.body, response); });
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
  void answer(const std::string& order, httplib::Response& response) {
    if (order == "unpaid") {
      response.status = 422;
      response.set_content("{\"error\": \"the card has expired\"}", "application/json");
    } else if (!is_charged(order)) {
      response.status = order == "busy" ? 503 : 500;
      if (order == "busy")
        response.set_header("Retry-After", std::to_string(patience.count()));
      if (order == "slow")
        std::this_thread::sleep_for(patience);
    } else {
      response.set_content(order + " is charged", "text/plain");
    }
  }

  bool is_charged(const std::string& order) {
    const std::lock_guard lock{mutex_};
    const auto is_first = ++calls_[order] == 1;
    if (order == "busy" && is_first)
      welcome_ = Clock::now() + patience;
    else if (order == "busy" && Clock::now() < welcome_)
      ++too_early_;
    return !is_first || (order != "busy" && order != "slow" && order != "broken");
  }

  mutable std::mutex mutex_;
  std::map<std::string, int> calls_;
  Clock::time_point welcome_;
  int too_early_ = 0;
  httplib::Server server_;
  int port_ = -1;
  std::thread thread_;
};

PaymentService::PaymentService() : implementation_(std::make_unique<Implementation>()) {}

PaymentService::~PaymentService() = default;

std::string PaymentService::url() const {
  return "http://127.0.0.1:" + std::to_string(implementation_->port());
}

int PaymentService::too_early() const { return implementation_->too_early(); }

} // namespace http_api
