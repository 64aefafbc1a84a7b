#pragma once

#include "backoff_actor/sinks/internal/operator.hpp"
#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "system/system.hpp"
#include "system/web_client.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::operator_test {

inline constexpr auto token = "0123456789abcdef";

inline std::atomic<bool> is_mended = false;
inline std::atomic<int> done = 0;

// Fails at `poison` until it is mended.
inline caf::behavior parser(caf::event_based_actor*) {
  return {[](const std::string& order) {
    if (order.starts_with("poison") && !is_mended)
      throw std::runtime_error("cannot parse " + order);
    ++done;
    return order + " parsed";
  }};
}

// What an operator did, as lines.
class Actions {
public:
  std::function<void(const OperatorEvent&)> hook() {
    return [this](const OperatorEvent& event) {
      const std::lock_guard lock{mutex_};
      lines_.push_back(event.who + " " + std::string{to_string(event.action)} + " "
                       + (event.is_done ? "done" : "not done") + " "
                       + std::to_string(event.letters));
    };
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock{mutex_};
    return lines_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class OperatorTest : public system_test::System {
protected:
  OperatorTest() {
    is_mended = false;
    done = 0;
    web_options_.port = 0;
    web_options_.token = token;
    web_options_.on_action = actions_.hook();
    web_ = std::make_unique<WebServer>(observatory_, web_options_);
  }

  SenderOptions options() const {
    SenderOptions result;
    result.name = "parser";
    result.backoff = RandomSlots{.slot_time = std::chrono::milliseconds{1}};
    result.max_attempts = 2;
    result.charging = Charging::every_failure();
    result.observed_by = observatory_;
    return result;
  }

  static std::string name_of(const caf::actor& sender) {
    return "parser#" + std::to_string(sender->id());
  }
  static std::string in_address(const caf::actor& sender) {
    return "sender=parser%23" + std::to_string(sender->id());
  }

  // With these headers, and without those that are empty.
  test::WebAnswer request(std::string_view method, const std::string& path,
                          std::map<std::string, std::string> headers) const {
    std::string text = std::string{method} + " " + path + " HTTP/1.1\r\n";
    headers.try_emplace("Host", "localhost");
    for (const auto& [name, value] : headers)
      if (!value.empty())
        text += name + ": " + value + "\r\n";
    return test::ask_raw(web_->port(), text + "\r\n");
  }
  static std::map<std::string, std::string> with_token() {
    return {{"Authorization", std::string{"Bearer "} + token}, {"X-Operator", "anna"}};
  }
  test::WebAnswer act(const std::string& path) const {
    return request("POST", "/act/" + path, with_token());
  }
  test::WebAnswer letters(const std::string& query) const {
    return request("GET", "/letters?" + query, with_token());
  }

  SenderStatus status_of(const caf::actor& sender) {
    caf::scoped_actor self{*system};
    SenderStatus result;
    self->request(sender, test::patience, Status{})
      .receive([&](const SenderStatus& x) { result = x; }, [](const caf::error&) { FAIL(); });
    return result;
  }
  bool becomes_dead(const caf::actor& sender, std::uint64_t count) {
    return test::becomes_true([&] { return status_of(sender).counters.dead_lettered == count; });
  }
  void send(const caf::actor& sender, const std::string& order) { compat::enqueue(sender, order); }

  Observatory observatory_;
  Actions actions_;
  WebOptions web_options_;
  std::unique_ptr<WebServer> web_;
};

} // namespace backoff_actor::operator_test
