#include "backoff_actor/caf/door/network_event.hpp"

#include <gtest/gtest.h>

namespace backoff_actor {

using Kind = NetworkEvent::Kind;

TEST(network_event, is_one_line_with_all_that_is_known) {
  EXPECT_EQ(to_string(NetworkEvent{Kind::refused, "10.0.0.7:40112", "CN = worker-7",
                                   "its certificate has expired"}),
            "refused 10.0.0.7:40112 (CN = worker-7): its certificate has expired");
  EXPECT_EQ(to_string(NetworkEvent{Kind::connected, "[::1]:4711"}), "connected [::1]:4711");
  EXPECT_EQ(to_string(NetworkEvent{Kind::files_reread, {}, {}, "new"}), "files_reread: new");
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
    EXPECT_EQ(to_string(x.kind), x.name);
    EXPECT_EQ(severity_of(x.kind), x.severity) << x.name;
  }
  EXPECT_EQ(to_string(static_cast<Kind>(99)), "unknown");
}

} // namespace backoff_actor
