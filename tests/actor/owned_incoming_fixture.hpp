#pragma once

#include "owned_fixture.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test {

/// A server to which other programs write. Their messages are of the type `text`: an exclamation
/// mark, then the text that the child gets.
class OwnedIncoming : public OwnedTest {
protected:
  static std::vector<std::byte> bytes_of(const std::string& text) {
    const auto all = std::as_bytes(std::span{text});
    return {all.begin(), all.end()};
  }

  static caf::message decode(std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with('!'))
      throw std::runtime_error("no exclamation mark");
    return caf::make_message(text.substr(1));
  }

  SharedOutbox with_decoder(const std::string& node) {
    auto result = shared(node);
    return result.foreign("text", decode);
  }

  Process& start(const std::string& node, FaultPlan faults = {},
                 SenderOptions options = default_options()) {
    const DangerousActor worker{std::move(faults)};
    auto& process = start_process(node, worker.factory(), std::move(options), with_decoder(node));
    process.danger = worker;
    return process;
  }

  static IncomingMessage message(const std::string& text, const std::string& key = {}) {
    IncomingMessage result;
    result.type = "text";
    result.payload = bytes_of("!" + text);
    result.key = key;
    return result;
  }

  // The same with an idempotency key.
  static IncomingMessage named(const std::string& text, const std::string& idempotency_key) {
    auto result = message(text);
    result.idempotency_key = idempotency_key;
    return result;
  }

  std::vector<StoredDeadLetter> dead_letters() {
    std::vector<StoredDeadLetter> result;
    const auto content = std::const_pointer_cast<testing::MemoryStore>(server.content());
    content->for_each_dead_letter([&](StoredDeadLetter x) { result.push_back(std::move(x)); });
    return result;
  }
};

} // namespace backoff_actor::actor_test
