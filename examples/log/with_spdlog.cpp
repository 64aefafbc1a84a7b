// Events in spdlog, with its levels, beside what the program itself logs.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

caf::behavior worker(caf::event_based_actor*, std::shared_ptr<bool> has_failed) {
  return {[has_failed](const std::string& text) {
    if (!std::exchange(*has_failed, true))
      throw std::runtime_error("Danger, High Voltage!");
    return text + " done";
  }};
}

// [hook]
spdlog::level::level_enum level_of(backoff_actor::Severity severity) {
  switch (severity) {
  case backoff_actor::Severity::debug:
    return spdlog::level::debug;
  case backoff_actor::Severity::info:
    return spdlog::level::info;
  case backoff_actor::Severity::warning:
    return spdlog::level::warn;
  case backoff_actor::Severity::error:
    break;
  }
  return spdlog::level::err;
}

// spdlog writes in a thread of its own, so that no sender waits for it.
backoff_actor::EventHook hook_of(std::shared_ptr<spdlog::logger> log) {
  return [log = std::move(log)](const backoff_actor::Event& event) {
    if (const auto level = level_of(severity_of(event)); log->should_log(level))
      log->log(level, "{}", to_string(event));
  };
}
// [hook]

int main(int argc, char**) {
  if (argc > 1) {
    spdlog::error("usage: log_with_spdlog");
    return 2;
  }
  // [logger]
  const auto log =
    spdlog::create_async_nb<spdlog::sinks::stderr_sink_mt>("my_program"); // drops if it is behind
  // [logger]
  {
    caf::actor_system_config config;
    backoff_actor::init(config);
    caf::actor_system system{config};
    backoff_actor::SenderOptions options;
    options.name = "billing";
    options.backoff = "fixed(10ms)";
    options.on_event = hook_of(log);
    const auto sender = spawn_back_off_sender(
      system, backoff_actor::child_of(worker, std::make_shared<bool>(false)), options);
    caf::scoped_actor self{system};
    self->request(sender, caf::infinite, std::string{"order 7"})
      .receive([&](const std::string& answer) { log->info("{}", answer); },
               [&](const caf::error&) { log->error("order 7 failed"); });
  }
  spdlog::shutdown(); // writes what waits
}
