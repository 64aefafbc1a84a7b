// top, with servers that speak TLS, wrongly or not at all.

#include "backoffctl/top/top_source.hpp"

#include "backoff_actor/web/web_server.hpp"
#include "common/certificates.hpp"

#include <event2/listener.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace backoffctl::top_tls_test {

namespace {

using namespace std::chrono_literals;
using backoff_actor::Observatory;
using backoff_actor::Tls;
using backoff_actor::WebOptions;
using backoff_actor::WebServer;
using backoff_actor::test::Authority;
using backoff_actor::test::CertificateFolder;
using backoff_actor::test::CertificateWish;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string problems_of(const Tls& flags) {
  backoff_actor::Problems problems;
  const auto make_tls = make_top_tls("127.0.0.1", flags, problems);
  EXPECT_EQ(!make_tls, !problems.empty());
  return to_string(problems);
}

// A listener at a port of 127.0.0.1. It keeps the first bytes of its last client, answers, and
// closes the connection.
class Eavesdropper {
public:
  explicit Eavesdropper(EventLoop& loop, std::string answer = {})
    : loop_(loop), answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener_.reset(evconnlistener_new_bind(loop.base(), &Eavesdropper::on_client, this,
                                            LEV_OPT_CLOSE_ON_FREE, -1,
                                            reinterpret_cast<sockaddr*>(&address), sizeof address));
    socklen_t size = sizeof address;
    getsockname(evconnlistener_get_fd(listener_.get()), reinterpret_cast<sockaddr*>(&address),
                &size);
    port_ = ntohs(address.sin_port);
  }

  std::uint16_t port() const { return port_; }
  const std::string& heard() const { return heard_; }

private:
  static void on_client(evconnlistener*, evutil_socket_t client, sockaddr*, int, void* self) {
    auto& its = *static_cast<Eavesdropper*>(self);
    its.client_ = LoopEvent::on_readable(its.loop_, client, [&its, client] {
      its.heard_.resize(10'000);
      const auto count = read(client, its.heard_.data(), its.heard_.size());
      its.heard_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
      EXPECT_EQ(write(client, its.answer_.data(), its.answer_.size()),
                static_cast<ssize_t>(its.answer_.size()));
      its.client_->cancel();
      close(client);
    });
  }

  EventLoop& loop_;
  std::string answer_;
  std::unique_ptr<evconnlistener, decltype(&evconnlistener_free)> listener_{nullptr,
                                                                            &evconnlistener_free};
  std::unique_ptr<LoopEvent> client_;
  std::uint16_t port_ = 0;
  std::string heard_;
};

class TopTlsTest : public ::testing::Test {
protected:
  TopTlsTest() {
    std::signal(SIGPIPE, SIG_IGN);
    authority.write(folder.path_of("authority.pem"));
    other_authority.write(folder.path_of("other.pem"));
    options.port = 0;
    options.on_network_event = [](const backoff_actor::NetworkEvent&) {};
    flags.authority = folder.path_of("authority.pem");
  }

  Tls issue(const std::string& name, const CertificateWish& wish, const Authority& signer) {
    return issue_to_node(folder, name, wish, signer);
  }

  void serve(const CertificateWish& wish) {
    options.tls = issue("server", wish, authority);
    options.tls->authority.clear();
    server = std::make_unique<WebServer>(observatory, options);
  }

  // What top says of the address with this port, without the page in front.
  std::string ask(const std::string& url) { return ask(url, server->port()); }
  std::string ask(std::string url, std::uint16_t port) {
    url += ":" + std::to_string(port);
    const auto parsed = parse_status_url(url).value();
    backoff_actor::Problems problems;
    const auto make_tls =
      parsed.is_https ? make_top_tls(host_of(parsed), flags, problems) : MakeTls{};
    EXPECT_EQ(to_string(problems), "");
    TopSource source{loop, parsed, make_tls};
    std::optional<TopAnswer> answer;
    source.ask([&](const TopAnswer& x) {
      answer = x;
      loop.stop();
    });
    loop.run();
    const auto trouble = answer.value().trouble;
    const auto page = url + "/status";
    if (trouble.empty())
      return answer->json.starts_with(R"({"senders":[)") ? "it is read" : answer->json;
    return trouble.starts_with(page) ? trouble.substr(page.size()) : trouble;
  }

  EventLoop loop;
  CertificateFolder folder;
  Authority authority{"our authority"};
  Authority other_authority{"another authority"};
  Observatory observatory;
  WebOptions options;
  Tls flags;
  std::unique_ptr<WebServer> server;
};

} // namespace

TEST_F(TopTlsTest, a_server_is_read_whose_certificate_is_right_for_the_host) {
  serve({.names = {"127.0.0.1", "localhost"}});
  EXPECT_EQ(ask("https://127.0.0.1"), "it is read");
  EXPECT_EQ(ask("https://localhost"), "it is read");
}

TEST_F(TopTlsTest, an_address_of_ipv6_is_compared_with_those_of_the_certificate) {
  options.address = "::1";
  try {
    serve({.names = {"::1"}});
  } catch (const std::system_error&) {
    GTEST_SKIP() << "this machine has no ::1";
  }
  EXPECT_EQ(ask("https://[::1]"), "it is read");
  server.reset();
  serve({.names = {"::2", "127.0.0.1"}});
  EXPECT_EQ(ask("https://[::1]"), ": its certificate was made for ::2, 127.0.0.1, not for ::1");
}

TEST_F(TopTlsTest, a_certificate_for_another_host_is_refused_and_says_which) {
  serve({.names = {"shop.example", "127.0.0.2"}});
  EXPECT_EQ(ask("https://127.0.0.1"),
            ": its certificate was made for shop.example, 127.0.0.2, not for 127.0.0.1");
  EXPECT_EQ(ask("https://localhost"),
            ": its certificate was made for shop.example, 127.0.0.2, not for localhost");
}

TEST_F(TopTlsTest, a_certificate_of_another_authority_is_refused) {
  serve({});
  flags.authority = folder.path_of("other.pem");
  EXPECT_EQ(ask("https://127.0.0.1"), ": its certificate was not signed by an authority in "
                                        + folder.path_of("other.pem")
                                        + ", but by CN = our authority");
}

TEST_F(TopTlsTest, without_an_authority_those_of_the_machine_count) {
  serve({});
  const auto theirs = std::exchange(flags.authority, "");
  EXPECT_EQ(ask("https://127.0.0.1"),
            ": its certificate was not signed by an authority that this machine knows (--authority "
            "FILE names others), but by CN = our authority");
  setenv("SSL_CERT_FILE", theirs.c_str(), 1);
  EXPECT_EQ(ask("https://127.0.0.1"), "it is read");
  unsetenv("SSL_CERT_FILE");
}

TEST_F(TopTlsTest, a_certificate_that_is_not_valid_now_is_refused) {
  serve({.from = -2h, .until = -1h});
  EXPECT_THAT(ask("https://127.0.0.1"),
              StartsWith(": its certificate has expired: it was valid until "));
  server.reset();
  serve({.from = 1h, .until = 2h});
  EXPECT_THAT(ask("https://127.0.0.1"), StartsWith(": its certificate is not valid before "));
}

TEST_F(TopTlsTest, a_certificate_for_clients_alone_is_refused) {
  serve({.purpose = "clientAuth"});
  EXPECT_EQ(ask("https://127.0.0.1"), ": its certificate was not made for servers");
}

TEST_F(TopTlsTest, a_server_that_wants_a_certificate_gets_one) {
  options.tls = issue("server", {}, authority);
  server = std::make_unique<WebServer>(observatory, options);
  EXPECT_EQ(ask("https://127.0.0.1"),
            ": it wants a certificate of its clients; give --certificate and --key");

  const auto anna = issue("anna", {.subject = "anna", .names = {"anna.example"}}, authority);
  flags.certificate = anna.certificate;
  flags.key = anna.key;
  EXPECT_EQ(ask("https://127.0.0.1"), "it is read");

  const auto stranger = issue("stranger", {}, other_authority);
  flags.certificate = stranger.certificate;
  flags.key = stranger.key;
  EXPECT_EQ(ask("https://127.0.0.1"),
            ": it refuses the certificate in " + stranger.certificate + ": unknown CA");
}

TEST_F(TopTlsTest, who_begins_with_the_wrong_scheme_is_told) {
  serve({});
  EXPECT_EQ(ask("http://127.0.0.1"), ": its pages are encrypted; begin with https");
  const Eavesdropper plain{loop, "HTTP/1.1 400 Bad Request\r\n\r\n"};
  EXPECT_EQ(ask("https://127.0.0.1", plain.port()), ": it does not speak TLS; begin with http");
}

TEST_F(TopTlsTest, a_server_of_an_older_version_is_told_from_one_without_tls) {
  const Eavesdropper old{loop, {"\x15\x03\x03\x00\x02\x02\x46", 7}}; // alert 70: protocol version
  EXPECT_EQ(ask("https://127.0.0.1", old.port()), ": it does not speak TLS 1.3");
  const Eavesdropper strange{loop, {"\x15\x03\x03\x00\x02\x02\x50", 7}}; // 80: internal error
  EXPECT_EQ(ask("https://127.0.0.1", strange.port()), ": TLS failed: it says internal error");
}

TEST_F(TopTlsTest, a_port_where_nobody_listens_is_no_question_of_tls) {
  serve({});
  const auto port = server->port();
  server.reset();
  EXPECT_EQ(ask("https://127.0.0.1", port),
            ": Connection refused; does the program run, and does its WebServer listen there?");
}

TEST_F(TopTlsTest, a_name_is_sent_so_that_the_server_can_choose_its_certificate) {
  const Eavesdropper server_of_many{loop};
  EXPECT_EQ(ask("https://localhost", server_of_many.port()),
            ": it closed the connection in the handshake of TLS; if it has none, begin with http");
  EXPECT_THAT(server_of_many.heard(), HasSubstr("localhost"));
  ask("https://127.0.0.1", server_of_many.port());
  EXPECT_THAT(server_of_many.heard(), StartsWith("\x16\x03"));
  EXPECT_THAT(server_of_many.heard(), Not(HasSubstr("127.0.0.1")));
}

TEST_F(TopTlsTest, files_that_cannot_be_used_are_named_with_their_flags) {
  const auto anna = issue("anna", {}, authority);
  const auto bert = issue("bert", {}, authority);
  std::ofstream{folder.path_of("nonsense")} << "nonsense";
  EXPECT_EQ(problems_of({}), "");
  EXPECT_EQ(problems_of({.authority = "/no/authority.pem"}),
            "--authority: got '/no/authority.pem', allowed a file that can be read: No such file "
            "or directory");
  EXPECT_THAT(problems_of({.authority = folder.path_of("nonsense")}),
              HasSubstr("nonsense', allowed certificates in PEM format: "));
  EXPECT_EQ(problems_of({.certificate = anna.certificate}),
            "--key: got nothing, allowed the path of a file");
  EXPECT_EQ(problems_of({.key = anna.key}),
            "--certificate: got nothing, allowed the path of a file");
  EXPECT_EQ(problems_of({.certificate = anna.certificate, .key = bert.key}),
            "--key: got '" + bert.key
              + "', allowed the certificate's key in PEM format, without a passphrase: key values "
                "mismatch");
}

} // namespace backoffctl::top_tls_test
