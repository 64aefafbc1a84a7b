#include "backoff_actor/net/network_event.hpp"
#include "backoff_actor/sinks/log_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace backoff_actor {

using Kind = NetworkEvent::Kind;

TEST(network_event, is_one_line_with_all_that_is_known) {
  EXPECT_EQ(to_string(NetworkEvent{Kind::refused, "10.0.0.7:40112", "CN = worker-7",
                                   "its certificate has expired"}),
            "refused 10.0.0.7:40112 (CN = worker-7): its certificate has expired");
  EXPECT_EQ(to_string(NetworkEvent{Kind::connected, "[::1]:4711"}), "connected [::1]:4711");
  EXPECT_EQ(to_string(NetworkEvent{Kind::files_reread, {}, {}, "new"}), "files_reread: new");
}

TEST(network_event, is_a_line_of_a_log) {
  const NetworkEvent refused{Kind::refused, "10.0.0.7:40112", "CN = worker-7", "it has expired"};
  const std::chrono::sys_time<Duration> at{};
  EXPECT_EQ(line_of(refused, at), "1970-01-01T00:00:00.000000Z warning network: refused "
                                  "10.0.0.7:40112 (CN = worker-7): it has expired");
  EXPECT_EQ(line_of(refused, at, LogFormat::logfmt),
            "ts=1970-01-01T00:00:00.000000Z level=warning event=refused peer=10.0.0.7:40112 "
            "subject=\"CN = worker-7\" text=\"it has expired\"");
  EXPECT_EQ(line_of(NetworkEvent{Kind::files_reread}, at, LogFormat::json),
            R"({"ts":"1970-01-01T00:00:00.000000Z","level":"info","event":"files_reread"})");
}

TEST(network_event, goes_into_the_log_of_all_others) {
  std::string text;
  {
    LogWriter log{{}, [&](std::string_view lines) { text += lines; }};
    const NetworkEventHook hook = log.hook();
    hook({Kind::refused, "10.0.0.7:40112"});
  }
  EXPECT_EQ(text.substr(text.find('Z')), "Z warning network: refused 10.0.0.7:40112\n");
}

TEST(network_event, has_a_name_and_a_severity_for_each_kind) {
  struct Row {
    Kind kind;
    const char* name;
    Severity severity;
  };
  for (const auto& x :
       {Row{Kind::listening, "listening", Severity::info},
        Row{Kind::open_to_anybody, "open_to_anybody", Severity::warning},
        Row{Kind::connected, "connected", Severity::info},
        Row{Kind::ended, "ended", Severity::info}, Row{Kind::refused, "refused", Severity::warning},
        Row{Kind::broken_off, "broken_off", Severity::warning},
        Row{Kind::no_descriptors, "no_descriptors", Severity::error},
        Row{Kind::paused, "paused", Severity::error},
        Row{Kind::files_reread, "files_reread", Severity::info},
        Row{Kind::files_not_usable, "files_not_usable", Severity::error}}) {
    EXPECT_EQ(to_string(NetworkEvent{x.kind}), x.name);
    EXPECT_EQ(severity_of(NetworkEvent{x.kind}), x.severity) << x.name;
  }
  EXPECT_EQ(to_string(NetworkEvent{static_cast<Kind>(99)}), "unknown");
}

} // namespace backoff_actor
