// A pool with four HTTP workers on each of two nodes, each node a process of its own. One of them
// is killed, and comes back.

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "common/process.hpp"
#include "web_server.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <variant>

namespace http_guard::http_pool_nodes_test {

using namespace std::chrono_literals;
using backoff_actor::test::becomes_true;

constexpr int keys = 32;
constexpr int jobs_of_a_key = 20;
constexpr auto time_of_a_call = 20ms;

// A node in a process of its own.
class NodeProcess {
public:
  explicit NodeProcess(std::uint16_t port = 0) {
    int ends[2];
    if (pipe(ends) != 0)
      throw std::runtime_error("no pipe");
    const example::FileDescriptor out{ends[0]};
    {
      const example::FileDescriptor its_end{ends[1]};
      const auto program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "http_pool_node";
      process_.emplace(std::vector<std::string>{program, std::to_string(port)},
                       example::Process::Streams{.out = its_end.get()});
    }
    char line[16] = "";
    if (read(out.get(), line, sizeof(line) - 1) <= 0)
      throw std::runtime_error("the node does not listen");
    port_ = static_cast<std::uint16_t>(std::stoi(line));
  }

  std::uint16_t port() const { return port_; }

  void kill() {
    process_->send(SIGKILL);
    process_->wait();
  }

private:
  std::optional<example::Process> process_;
  std::uint16_t port_ = 0;
};

// What the service executed, in order.
class Executions {
public:
  void add(const std::string& id) {
    const std::lock_guard lock{mutex_};
    const auto dash = id.find('-');
    const auto job = std::stoi(id.substr(dash + 1));
    auto& last = last_.try_emplace(id.substr(0, dash), -1).first->second;
    is_in_order_ &= job == last || job == last + 1; // once more, or the next
    last = std::max(last, job);
  }

  // Whether each key has had all jobs up to this one, each after the one before it.
  bool are_all_up_to(int job) const {
    const std::lock_guard lock{mutex_};
    return is_in_order_ && last_.size() == keys
           && std::all_of(last_.begin(), last_.end(), [=](auto& x) { return x.second == job; });
  }

private:
  mutable std::mutex mutex_;
  std::map<std::string, int> last_;
  bool is_in_order_ = true;
};

class HttpPoolNodes : public ::testing::Test {
protected:
  HttpPoolNodes() {
    backoff_actor::init_network(config_);
    system_.emplace(config_);
  }

  ~HttpPoolNodes() override {
    caf::anon_send_exit(sender_, caf::exit_reason::user_shutdown);
    sender_ = nullptr;
    system_->await_all_actors_done();
  }

  backoff_actor::ChildFactory workers_at(std::uint16_t port) const {
    return backoff_actor::remote_spawn({{"127.0.0.1", port}}, "http",
                                       caf::make_message(service_.url()), {.step_timeout = 2s});
  }

  void start(std::uint16_t one, std::uint16_t two) {
    backoff_actor::SenderOptions options;
    options.ordering = backoff_actor::Ordering::per_key;
    options.rare.key_of = [](const caf::message& job) {
      const auto& id = job.get_as<std::string>(0);
      return id.substr(0, id.find('-'));
    };
    options.backoff = "fixed(100ms)";
    options.pool.workers = {4, 4};
    options.pool.others = {{workers_at(two), {4, 4}}};
    options.on_event = [this](const backoff_actor::Event& event) {
      acknowledged_ += std::holds_alternative<backoff_actor::event::Acknowledged>(event);
      EXPECT_FALSE(std::holds_alternative<backoff_actor::event::DeadLettered>(event));
    };
    sender_ = backoff_actor::spawn_back_off_sender(*system_, workers_at(one), options);
    ASSERT_TRUE(serve(8));
  }

  // Waits until so many workers take messages.
  bool serve(long count) {
    caf::scoped_actor self{*system_};
    return becomes_true([&] {
      long serving = -1;
      self->request(sender_, caf::timespan{backoff_actor::test::patience}, backoff_actor::Status{})
        .receive(
          [&](const backoff_actor::SenderStatus& status) {
            const auto& all = status.pool.workers;
            serving = std::count_if(all.begin(), all.end(), [](const auto& worker) {
              return worker.state == backoff_actor::WorkerState::serving;
            });
          },
          [](const caf::error&) {});
      return serving == count;
    });
  }

  // Lets the pool do the next jobs of all keys. Prints how many it did in a second.
  template <class During>
  void work(const char* when, During during) {
    const auto goal = acknowledged_ + keys * jobs_of_a_key;
    const auto begin = std::chrono::steady_clock::now();
    for (auto job = next_; job < next_ + jobs_of_a_key; ++job)
      for (auto key = 0; key < keys; ++key)
        caf::anon_send(sender_, std::to_string(key) + '-' + std::to_string(job));
    next_ += jobs_of_a_key;
    during();
    ASSERT_TRUE(becomes_true([&] { return acknowledged_ == goal; }));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    std::cout << when << ": " << keys * jobs_of_a_key / time.count() << " jobs a second\n";
    EXPECT_TRUE(executions_.are_all_up_to(next_ - 1));
  }

  void work(const char* when) {
    work(when, [] {});
  }

private:
  Executions executions_;
  const WebServer service_{[this](const auto& request, auto& response) {
    std::this_thread::sleep_for(time_of_a_call);
    executions_.add(request.matches[1]);
    response.set_content("done", "text/plain");
  }};
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  caf::actor sender_;
  std::atomic<int> acknowledged_{0};
  int next_ = 0;
};

TEST_F(HttpPoolNodes, go_on_when_one_is_killed_and_share_the_work_again_when_it_is_back) {
  NodeProcess one;
  const NodeProcess two;
  start(one.port(), two.port());
  work("both nodes");
  work("one killed", [&] { one.kill(); });
  ASSERT_TRUE(serve(4));
  work("one node");
  const NodeProcess again{one.port()};
  ASSERT_TRUE(serve(8));
  work("both again");
}

} // namespace http_guard::http_pool_nodes_test
