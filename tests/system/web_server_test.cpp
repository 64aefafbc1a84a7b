#include "backoff_actor/web/web_server.hpp"

#include "backoff_actor/retry/steady_clock.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include "common/patience.hpp"
#include "system/web_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

namespace backoff_actor::web_server_test {

namespace {

using namespace std::chrono_literals;
using test::ask_raw;
using test::get;
using test::request_for;
using test::TcpStream;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A server with nothing to see, at any port of 127.0.0.1.
class WebServerTest : public ::testing::Test {
protected:
  static WebOptions at_any_port() {
    WebOptions result;
    result.port = 0;
    return result;
  }

  int status_for(const std::string& host) { return get(server_, "/status", host).status; }

  Observatory observatory_;
  WebServer server_{observatory_, at_any_port()};
};

std::string error_of(const WebOptions& options) {
  try {
    WebServer server{Observatory{}, options};
    return "it serves";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::set<std::string> threads_of_this_process() {
  std::set<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/task"})
    result.insert(entry.path());
  return result;
}

// The signals that a thread blocks, as a number in base 16.
std::string blocked_by(const std::string& thread) {
  std::ifstream file{thread + "/status"};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("SigBlk:\t"))
      return line.substr(8);
  return "";
}

} // namespace

// -- pages --------------------------------------------------------------------------

TEST_F(WebServerTest, serves_metrics) {
  const auto answer = get(server_, "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.body, to_exposition(observatory_.metrics()));
  EXPECT_THAT(answer.body, HasSubstr("# TYPE backoff_"));
}

TEST_F(WebServerTest, serves_the_status) {
  const auto answer = get(server_, "/status");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(answer.body, to_json(ObservedStatus{}) + "\n");
}

TEST_F(WebServerTest, names_its_pages) {
  const auto answer = get(server_, "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "text/html; charset=utf-8");
  for (const auto* page : {"/metrics", "/healthz", "/readyz", "/status"}) {
    EXPECT_THAT(answer.body, HasSubstr(page));
    EXPECT_EQ(get(server_, page).status, 200) << page;
  }
}

TEST_F(WebServerTest, tells_a_probe_that_a_scheduler_hangs) {
  EXPECT_EQ(get(server_, "/healthz").body, "ok\n");
  const auto heartbeat = observatory_.state()->add_heartbeat(SteadyClock{}.now() + -1h);
  for (const auto* page : {"/healthz", "/readyz", "/healthz?verbose"}) {
    const auto answer = get(server_, page);
    EXPECT_EQ(answer.status, 503) << page;
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; charset=utf-8");
    EXPECT_THAT(answer.body, StartsWith("the threads of the scheduler have been blocked for "));
    EXPECT_THAT(answer.body, ::testing::EndsWith("\n"));
  }
}

TEST_F(WebServerTest, tells_a_probe_that_a_sender_drains) {
  EXPECT_EQ(get(server_, "/readyz").body, "ok\n");
  detail::SenderSeat seat{observatory_.state()->senders("billing"), 17};
  SenderGlance glance;
  glance.phase = Phase::draining;
  seat.publish(glance, SteadyClock{}.now());
  EXPECT_EQ(get(server_, "/readyz").status, 503);
  EXPECT_THAT(get(server_, "/readyz").body, HasSubstr("billing#17: draining"));
  EXPECT_EQ(get(server_, "/healthz").status, 200) << "it is alive";
}

TEST_F(WebServerTest, shows_at_most_100_senders) {
  std::vector<std::unique_ptr<detail::SenderSeat>> seats;
  for (std::uint64_t i = 1; i <= 102; ++i) {
    seats.push_back(
      std::make_unique<detail::SenderSeat>(observatory_.state()->senders("billing"), i));
    SenderGlance glance;
    glance.owed = i;
    seats.back()->publish(glance, SteadyClock{}.now());
  }
  const auto body = get(server_, "/status").body;
  EXPECT_THAT(body, HasSubstr(R"("senders_left_out":2)"));
  EXPECT_THAT(body, HasSubstr(R"("billing#102")"));
  EXPECT_THAT(body, ::testing::Not(HasSubstr(R"("billing#2")")));
}

TEST_F(WebServerTest, escapes_names) {
  const detail::GuardSeat seat{observatory_.state()->guards("a\"b\nc\xFF"), GuardStatus{}, {}};
  const auto replaced = std::string{"\xEF\xBF\xBD"};
  EXPECT_THAT(get(server_, "/status").body, HasSubstr(R"("name":"a\"b\nc)" + replaced + '"'));
  EXPECT_THAT(get(server_, "/metrics").body, HasSubstr(R"("a\"b\\nc)" + replaced + '"'));
}

TEST_F(WebServerTest, answers_head_without_a_body) {
  const auto page = get(server_, "/metrics");
  const auto answer = ask_raw(server_.port(), request_for("/metrics", "localhost", "HEAD"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.headers.at("content-length"), page.headers.at("content-length"));
  EXPECT_EQ(answer.headers.at("content-type"), page.headers.at("content-type"));
  EXPECT_EQ(ask_raw(server_.port(), request_for("/no", "localhost", "HEAD")).status, 404);
  EXPECT_EQ(ask_raw(server_.port(), request_for("/healthz", "localhost", "HEAD")).status, 200);
}

TEST_F(WebServerTest, has_no_other_page) {
  for (const auto* path : {"/no", "/metrics/", "/Metrics", "//metrics", "/../../etc/passwd",
                           "/%2e%2e/%2e%2e/etc/passwd", "/metrics/../status", "/metrics%00",
                           "/%6eo", "/metrics/..%2f..%2fetc%2fpasswd", "ftp://localhost/metrics"}) {
    const auto answer = get(server_, path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "there is no such page; / names those that there are\n") << path;
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; charset=utf-8");
  }
}

TEST_F(WebServerTest, takes_get_and_head_only) {
  for (const auto* method :
       {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"}) {
    const auto answer = ask_raw(server_.port(), request_for("/metrics", "localhost", method));
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD") << method;
    EXPECT_EQ(answer.body, "the methods are GET and HEAD\n");
  }
}

TEST_F(WebServerTest, gives_a_page_whole_and_as_it_is) {
  const auto page = get(server_, "/status").body;
  const auto answer = ask_raw(server_.port(), "GET /status HTTP/1.1\r\nHost: localhost\r\n"
                                              "Range: bytes=0-0,0-0,1-1\r\n"
                                              "Accept-Encoding: gzip, br\r\n"
                                              "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, page);
}

// -- more metrics -------------------------------------------------------------------

TEST(web_server, shows_more_metrics_behind_its_own) {
  const Observatory observatory;
  WebOptions options;
  options.port = 0;
  options.more_metrics = [] { return std::string{"caf_\xFF{a=\"b\"} 1"}; };
  const WebServer server{observatory, options};
  EXPECT_EQ(get(server, "/metrics").body,
            to_exposition(observatory.metrics()) + "caf_\xFF{a=\"b\"} 1\n");
  EXPECT_EQ(get(server, "/status").body, to_json(ObservedStatus{}) + "\n");
}

TEST(web_server, shows_its_own_metrics_if_the_others_fail) {
  const Observatory observatory;
  WebOptions options;
  options.port = 0;
  options.more_metrics = []() -> std::string { throw std::runtime_error{"no"}; };
  const WebServer server{observatory, options};
  const auto answer = get(server, "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, to_exposition(observatory.metrics()));
}

// -- hosts --------------------------------------------------------------------------

TEST_F(WebServerTest, is_for_clients_that_call_it_by_its_own_names) {
  const auto own = ":" + std::to_string(server_.port());
  for (const auto& host : {"localhost" + own, std::string{"LocalHost"}, "127.0.0.1" + own,
                           std::string{"127.0.0.1:"}, "[::1]" + own, std::string{"[::1]"},
                           std::string{"[0:0:0:0:0:0:0:1]:80"}, std::string{"localhost:1"}})
    EXPECT_EQ(status_for(host), 200) << host;
}

TEST_F(WebServerTest, is_not_for_clients_that_call_it_otherwise) {
  for (const auto* host :
       {"evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example",
        "10.1.2.3", "[::2]", "[localhost]", "[::1", "[::1]80", "::1", ":80", "localhost:80:80",
        "localhost:x", "localhost@evil.example", "127.0.0.1 evil.example", "0x7f.1"}) {
    const auto answer = get(server_, "/metrics", host);
    EXPECT_EQ(answer.status, 403) << host;
    EXPECT_THAT(answer.body, HasSubstr("add it to WebOptions::allowed_hosts"));
  }
  EXPECT_EQ(get(server_, "/healthz", "evil.example").status, 403);
  EXPECT_EQ(get(server_, "/no", "evil.example").status, 403);
  EXPECT_THAT(get(server_, "/", "a\"b\xFF").body, HasSubstr("\"a\\\"b\xEF\xBF\xBD\""));
}

TEST_F(WebServerTest, takes_one_host_or_none) {
  const auto port = server_.port();
  EXPECT_EQ(ask_raw(port, "GET /healthz HTTP/1.0\r\n\r\n").status, 200);
  EXPECT_EQ(ask_raw(port, "GET /healthz HTTP/1.1\r\n\r\n").status, 200);
  EXPECT_EQ(ask_raw(port, "GET / HTTP/1.1\r\nhOST:localhost\r\n\r\n").status, 200);
  EXPECT_EQ(ask_raw(port, "GET / HTTP/1.1\r\nhOST:evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(ask_raw(port, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n").status, 403);
  EXPECT_EQ(ask_raw(port, "GET / HTTP/1.1\r\nX: y\r\nHost: evil\r\n\r\n").status, 403);
  EXPECT_EQ(ask_raw(port, "GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 403);
}

TEST(web_server, is_for_clients_that_use_an_allowed_host) {
  WebOptions options;
  options.port = 0;
  options.allowed_hosts = {"Metrics.example.org", "10.1.2.3", "fd00::1"};
  const WebServer server{Observatory{}, options};
  for (const auto* host : {"metrics.example.org", "METRICS.EXAMPLE.ORG:80", "10.1.2.3:9464",
                           "[fd00::1]:9464", "[FD00:0::1]", "localhost"})
    EXPECT_EQ(get(server, "/", host).status, 200) << host;
  for (const auto* host : {"example.org", "metrics.example.orgs", "10.1.2.4", "[fd00::2]"})
    EXPECT_EQ(get(server, "/", host).status, 403) << host;
}

TEST(web_server, that_others_reach_is_for_clients_that_use_any_ip_address) {
  WebOptions options;
  options.address = "0.0.0.0";
  options.port = 0;
  const WebServer server{Observatory{}, options};
  for (const auto* host : {"10.1.2.3", "10.1.2.3:9464", "[fd00::1]", "[fd00::1]:9464", "0.0.0.0"})
    EXPECT_EQ(get(server, "/", host).status, 200) << host;
  for (const auto* host : {"evil.example", "10.1.2.3.evil.example", "10.1.2", "0x7f.1", "[evil]",
                           "[::1%25lo]", "10.1.2.3:x", "1.2.3.4.", "256.1.1.1"})
    EXPECT_EQ(get(server, "/", host).status, 403) << host;
}

TEST(web_server, is_for_clients_that_use_its_address) {
  WebOptions options;
  options.address = "127.0.0.2";
  options.port = 0;
  const WebServer server{Observatory{}, options};
  const auto address = net::resolve("127.0.0.2", server.port()).addresses.front();
  const auto status_for = [&](std::string_view host) {
    TcpStream stream{net::connect(address, {net::Clock::now() + test::patience}).socket};
    stream.send(request_for("/", host));
    return test::web_answer_of(stream.receive_all()).status;
  };
  EXPECT_EQ(status_for("127.0.0.2:80"), 200);
  EXPECT_EQ(status_for("127.0.0.3:80"), 403);
}

// -- where --------------------------------------------------------------------------

TEST_F(WebServerTest, has_a_port_of_its_own) {
  EXPECT_NE(server_.port(), 0);
  const WebServer other{observatory_, at_any_port()};
  EXPECT_NE(other.port(), server_.port());
  EXPECT_EQ(get(other, "/").status, 200);
}

TEST_F(WebServerTest, does_not_share_its_port) {
  WebOptions options;
  options.port = server_.port();
  EXPECT_EQ(error_of(options),
            "127.0.0.1:" + std::to_string(server_.port()) + ": Address already in use");
  EXPECT_THROW(WebServer(observatory_, options), std::system_error);
}

TEST(web_server, gets_its_port_again_at_once) {
  WebOptions options;
  options.port = 0;
  std::optional<WebServer> server{std::in_place, Observatory{}, options};
  options.port = server->port();
  EXPECT_EQ(get(*server, "/").status, 200) << "its connection lingers in the system now";
  server.reset();
  EXPECT_EQ(error_of(options), "it serves");
}

TEST(web_server, says_where_it_cannot_listen) {
  WebOptions options;
  options.address = "192.0.2.1"; // nobody has it
  EXPECT_EQ(error_of(options), "192.0.2.1:9464: Cannot assign requested address");
  options.address = "2001:db8::1";
  EXPECT_THAT(error_of(options), StartsWith("[2001:db8::1]:9464: "));
}

TEST(web_server, says_all_that_is_wrong_with_its_options) {
  WebOptions options;
  options.address = "";
  options.allowed_hosts = {"ok.example", "a.example:80", "", "a\"b", "[::1]:80", "*.example"};
  const std::string allowed = ", allowed a host name or an IP address, without a port";
  EXPECT_EQ(error_of(options), "WebOptions: address: got \"\", allowed an address of this machine\n"
                               "WebOptions: allowed_hosts[1]: got \"a.example:80\""
                                 + allowed + "\nWebOptions: allowed_hosts[2]: got \"\"" + allowed
                                 + "\nWebOptions: allowed_hosts[3]: got \"a\\\"b\"" + allowed
                                 + "\nWebOptions: allowed_hosts[4]: got \"[::1]:80\"" + allowed
                                 + "\nWebOptions: allowed_hosts[5]: got \"*.example\"" + allowed);
  EXPECT_THROW(WebServer(Observatory{}, options), InvalidArgument);
  EXPECT_TRUE(check(WebOptions{}).empty());
}

// -- the rest of the program --------------------------------------------------------

TEST(web_server, leaves_signals_to_the_rest_of_the_program) {
  struct sigaction before {};
  struct sigaction own {};
  own.sa_handler = [](int) {};
  sigaction(SIGPIPE, &own, &before);
  const auto threads = threads_of_this_process();
  WebOptions options;
  options.port = 0;
  const WebServer server{Observatory{}, options};
  struct sigaction after {};
  sigaction(SIGPIPE, &before, &after);
  EXPECT_EQ(after.sa_handler, own.sa_handler);

  std::size_t count = 0;
  const auto all = blocked_by("/proc/self");
  for (const auto& thread : threads_of_this_process())
    if (!threads.contains(thread)) {
      const auto blocked = std::stoull(blocked_by(thread), nullptr, 16);
      for (const auto signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1})
        EXPECT_NE(blocked & (1ull << (signal - 1)), 0u) << signal;
      ++count;
    }
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(std::stoull(all, nullptr, 16) & (1ull << (SIGTERM - 1)), 0u) << "this thread does not";
}

} // namespace backoff_actor::web_server_test
