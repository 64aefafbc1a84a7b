#include "backoff_actor/observe/shutdown_summary.hpp"

#include <chrono>
#include <csignal>

namespace backoff_actor {

namespace {

// Nobody reads more digits.
Duration in_milliseconds(Duration span) {
  return std::chrono::round<std::chrono::milliseconds>(span);
}

void append_count(std::string& text, std::uint32_t count, const char* one, const char* many) {
  if (count > 0)
    text += ", " + std::to_string(count) + (count == 1 ? one : many);
}

} // namespace

std::string to_string(const ShutdownSummary& summary) {
  auto text = "stopped after " + to_string(in_milliseconds(summary.took)) + ": "
              + std::to_string(summary.acknowledged) + " acknowledged, "
              + std::to_string(summary.suspended) + " suspended, "
              + std::to_string(summary.dead_lettered) + " dead-lettered, "
              + std::to_string(summary.abandoned)
              + (summary.abandoned == 1 ? " child abandoned" : " children abandoned");
  append_count(text, summary.silent_roots, " root has not ended", " roots have not ended");
  append_count(text, summary.failed_roots, " root has failed", " roots have failed");
  return text;
}

int exit_code(const ShutdownSummary& summary) {
  if (!summary.is_complete())
    return 1;
  return summary.signal == SIGINT ? 128 + SIGINT : 0;
}

std::string announcement(int signal, Duration grace) {
  return std::string{signal == SIGINT ? "SIGINT" : "SIGTERM"} + ": stopping, within "
         + to_string(grace) + ". A second signal ends the program at once.";
}

} // namespace backoff_actor
