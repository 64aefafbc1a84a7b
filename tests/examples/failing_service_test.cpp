#include "common/becomes_true.hpp"
#include "common/temporary_folder.hpp"
#include "http_guard/failing_service.hpp"
#include "web_server.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace http_guard::failing_service_test {

// The first id, from `from` on, whose first call meets this fault.
std::uint64_t first_id_with(Fault fault, std::uint64_t from = 1) {
  auto id = from;
  while (fault_of(1, std::to_string(id), 0) != fault)
    ++id;
  return id;
}

// Returns whether the second call came before its time.
bool is_told_to_wait() {
  const example::TemporaryFolder folder{"http_guard"};
  FailingService service{1, folder / "ledger.txt"};
  const auto limited = first_id_with(Fault::error_429);
  const auto well = first_id_with(Fault::none);
  const auto well_too = first_id_with(Fault::none, well + 1);
  {
    const WebServer server{
      [&](const auto& request, auto& response) { service.serve(request, response); }};
    httplib::Client client{server.url()};
    const auto status_of = [&](std::uint64_t id) {
      return client.Put("/jobs/" + std::to_string(id), "", "text/plain")->status;
    };
    EXPECT_EQ(status_of(well), 200);
    EXPECT_EQ(status_of(limited), 429);
    if (status_of(well_too) != 429)
      return false;
  }
  const auto ledger = read_ledger(folder / "ledger.txt");

  EXPECT_EQ(ledger.calls.size(), 3u);
  EXPECT_EQ(ledger.executions.size(), 1u);
  EXPECT_EQ(ledger.wishes.size(), 2u);
  if (ledger.wishes.size() == 2) {
    EXPECT_EQ(ledger.wishes[0].welcome - ledger.wishes[0].told, 1'000'000);
    EXPECT_EQ(ledger.wishes[1].welcome, ledger.wishes[0].welcome);
  }
  EXPECT_EQ(ledger.too_early(), 1u);
  return true;
}

TEST(failing_service, a_call_before_its_time_gets_a_429_and_the_ledger_shows_it) {
  EXPECT_TRUE(backoff_actor::test::becomes_true(is_told_to_wait)); // a busy machine may be late
}

} // namespace http_guard::failing_service_test
