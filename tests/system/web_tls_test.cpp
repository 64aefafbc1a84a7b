// Pages by HTTPS: who gets them, and what strangers can do.

#include "backoff_actor/web/web_server.hpp"

#include "common/becomes_true.hpp"
#include "common/certificates.hpp"
#include "common/seeds.hpp"
#include "common/tls_client.hpp"
#include "system/web_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::web_tls_test {

namespace {

using namespace std::chrono_literals;
using test::Authority;
using test::becomes_true;
using test::CertificateFolder;
using test::CertificateWish;
using test::request_for;
using test::TcpStream;
using test::TlsClient;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr auto token = "0123456789abcdef";

class WebTls : public ::testing::Test {
protected:
  WebTls() {
    authority.write(folder.path_of("authority.pem"));
    options.port = 0;
    options.tls = issue("server", {.subject = "server"}, authority);
    options.tls->authority.clear();
    options.on_network_event = [this](const NetworkEvent& event) {
      const std::lock_guard lock{mutex};
      told.push_back(event);
    };
  }

  Tls issue(const std::string& name, const CertificateWish& wish, const Authority& signer) {
    return issue_to_node(folder, name, wish, signer);
  }

  void serve() { server = std::make_unique<WebServer>(observatory, options); }

  // A client that trusts the authority; with a certificate if that is not null.
  std::unique_ptr<TlsClient> connect(const Tls* own = nullptr) const {
    return std::make_unique<TlsClient>(server->port(), [&](SSL_CTX* context) {
      SSL_CTX_load_verify_locations(context, folder.path_of("authority.pem").c_str(), nullptr);
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
      if (own == nullptr)
        return;
      SSL_CTX_use_certificate_chain_file(context, own->certificate.c_str());
      SSL_CTX_use_PrivateKey_file(context, own->key.c_str(), SSL_FILETYPE_PEM);
    });
  }

  // The answer; empty: TLS has failed, as `problem` says.
  std::string ask(const std::string& request, const Tls* own = nullptr) {
    const auto client = connect(own);
    std::string result;
    if (client->shakes_hands() && client->send(request))
      result = client->receive_until({});
    problem = client->problem();
    return result;
  }

  std::vector<NetworkEvent> events() const {
    const std::lock_guard lock{mutex};
    return told;
  }
  // The event of this number, as one line without the client's port.
  std::string event(std::size_t number) const {
    EXPECT_TRUE(becomes_true([&] { return events().size() > number; }));
    const auto all = events();
    if (all.size() <= number)
      return "nothing";
    auto one = all[number];
    one.peer = one.peer.substr(0, one.peer.find(':'));
    return to_string(one);
  }

  CertificateFolder folder;
  Authority authority{"our authority"};
  Authority other_authority{"another authority"};
  Observatory observatory;
  WebOptions options;
  std::unique_ptr<WebServer> server;
  std::string problem;

private:
  mutable std::mutex mutex;
  std::vector<NetworkEvent> told;
};

std::string error_of(const WebOptions& options) {
  try {
    const WebServer server{Observatory{}, options};
    return "it serves";
  } catch (const std::exception& error) {
    return error.what();
  }
}

} // namespace

TEST_F(WebTls, serves_all_pages_to_who_trusts_its_certificate) {
  serve();
  EXPECT_THAT(ask(request_for("/healthz")), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask(request_for("/metrics")), HasSubstr("backoff_"));
  EXPECT_THAT(ask(request_for("/")), HasSubstr("<html"));
  EXPECT_THAT(ask(request_for("/nowhere")), StartsWith("HTTP/1.1 404 "));
  EXPECT_EQ(problem, "") << "the server ends the connection in order";
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(WebTls, serves_a_page_whole_that_is_larger_than_what_the_system_keeps) {
  const std::string large(10'000'000, 'x');
  options.more_metrics = [&] { return large; };
  serve();
  const auto is_served_whole = [&](int questions) {
    const auto client = connect();
    EXPECT_TRUE(client->shakes_hands());
    client->keep_unread(65'536);
    EXPECT_TRUE(client->send(request_for("/metrics")));
    auto answer = client->receive_until("HTTP/1.1 200 ");
    // The server sends a part of the page between each two, as long as the system takes it.
    for (auto i = 0; i < questions; ++i)
      EXPECT_THAT(ask(request_for("/healthz")), StartsWith("HTTP/1.1 200 "));
    answer += client->receive_until({});
    return answer.ends_with(large + "\n");
  };
  auto questions = 60;
  while (questions > 3 && !is_served_whole(questions))
    questions /= 2; // a busy machine needed more for them than the 30 s of an answer
  EXPECT_GT(questions, 3);
}

TEST_F(WebTls, takes_a_head_that_comes_byte_by_byte) {
  serve();
  const auto client = connect();
  ASSERT_TRUE(client->shakes_hands());
  for (const auto c : request_for("/healthz"))
    ASSERT_TRUE(client->send({&c, 1}));
  EXPECT_THAT(client->receive_until({}), StartsWith("HTTP/1.1 200 "));
}

TEST_F(WebTls, tells_a_client_of_plain_http_how_to_begin) {
  serve();
  const auto answer = test::get(*server, "/healthz");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "these pages are encrypted: begin with https\n");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
}

TEST_F(WebTls, a_client_of_tls_is_told_at_once_by_a_server_without) {
  options.tls.reset();
  serve();
  const auto client = connect();
  EXPECT_FALSE(client->shakes_hands());
  EXPECT_EQ(client->problem(), "wrong version number");
  const auto answer = test::ask_raw(server->port(), "\x16\x03\x01");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "these pages are not encrypted: begin with http\n");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size()));
}

TEST_F(WebTls, speaks_no_older_version_than_1_3) {
  serve();
  TlsClient client{server->port(), [](SSL_CTX* context) {
                     SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
                   }};
  EXPECT_FALSE(client.shakes_hands());
  EXPECT_EQ(event(0), "refused 127.0.0.1: it does not speak TLS 1.3");
}

TEST_F(WebTls, an_authority_lets_in_only_those_whom_it_has_signed) {
  options.tls->authority = folder.path_of("authority.pem");
  serve();
  const auto right = issue("right", {.subject = "prometheus", .names = {"anywhere"}}, authority);
  EXPECT_THAT(ask(request_for("/healthz"), &right), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(events(), IsEmpty());

  EXPECT_EQ(ask(request_for("/healthz")), "");
  EXPECT_EQ(problem, "tlsv13 alert certificate required") << "the client can tell its owner why";
  EXPECT_EQ(event(0), "refused 127.0.0.1: it has shown no certificate");
}

TEST_F(WebTls, a_client_with_a_wrong_certificate_is_told_of_by_its_name) {
  options.tls->authority = folder.path_of("authority.pem");
  serve();
  const auto wrong = issue("wrong", {.subject = "stranger"}, other_authority);
  EXPECT_EQ(ask(request_for("/healthz"), &wrong), "");
  EXPECT_EQ(problem, "tlsv1 alert unknown ca");
  EXPECT_EQ(event(0), "refused 127.0.0.1 (CN = stranger): its certificate was not signed by this "
                      "node's authority, but by CN = another authority");
}

TEST_F(WebTls, names_say_which_clients_of_the_authority_are_let_in) {
  options.tls->authority = folder.path_of("authority.pem");
  options.tls->names = {"anna.example"};
  serve();
  const auto anna = issue("anna", {.subject = "anna", .names = {"anna.example"}}, authority);
  const auto bert = issue("bert", {.subject = "bert", .names = {"bert.example"}}, authority);
  EXPECT_THAT(ask(request_for("/healthz"), &anna), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(ask(request_for("/healthz"), &bert), "");
  EXPECT_EQ(event(0), "refused 127.0.0.1 (CN = bert): its certificate was made for bert.example, "
                      "not for anna.example");
}

TEST_F(WebTls, a_certificate_for_servers_alone_lets_no_client_in) {
  options.tls->authority = folder.path_of("authority.pem");
  serve();
  const auto server_only =
    issue("server_only", {.subject = "cook", .purpose = "serverAuth"}, authority);
  EXPECT_EQ(ask(request_for("/healthz"), &server_only), "");
  EXPECT_EQ(event(0), "refused 127.0.0.1 (CN = cook): its certificate was not made for clients");
}

TEST_F(WebTls, refusals_are_told_once_a_second_and_counted) {
  options.tls->authority = folder.path_of("authority.pem");
  serve();
  const auto begin = std::chrono::steady_clock::now();
  unsigned long asked = 0;
  while (events().size() < 2) {
    EXPECT_EQ(ask(request_for("/healthz")), "");
    ++asked;
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
  const std::string text = "refused 127.0.0.1: it has shown no certificate (";
  const auto second = event(1);
  ASSERT_THAT(second, StartsWith(text));
  ASSERT_THAT(second, EndsWith(" more before it)"));
  const auto more = std::stoul(second.substr(text.size()));
  EXPECT_GE(more, 1u);
  EXPECT_LE(more, asked - 2);
}

TEST_F(WebTls, a_client_that_has_gone_is_still_named_when_it_is_refused) {
  for (std::size_t round = 0; round != 20; ++round) {
    serve(); // so that nothing was told within the last second
    auto stream = TcpStream::connect(server->port());
    stream.send(std::string{"\x16\x03\x01\x00\x01\x7f", 6}); // a message that TLS does not have
    stream.end_by_reset();
    stream = {};
    ASSERT_THAT(event(round), StartsWith("refused 127.0.0.1: "));
  }
}

TEST_F(WebTls, a_hook_that_throws_stops_no_action) {
  options.token = token;
  options.on_network_event = [](const NetworkEvent&) { throw std::runtime_error("no"); };
  serve();
  TcpStream::connect(server->port()).send(std::string{"\x16\x03\x01\x00\x01\x7f", 6});
  EXPECT_THAT(ask("POST /act/pause HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(WebTls, a_token_is_allowed_beyond_this_machine) {
  options.address = "0.0.0.0";
  options.token = token;
  serve();
  const auto act = [&](const std::string& more) {
    return ask("POST /act/close_guard?guard=none HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more + "\r\n");
  };
  const auto with_token =
    std::string{"Authorization: Bearer "} + token + "\r\nX-Operator: anna\r\n";
  EXPECT_THAT(act("X-Operator: anna\r\n"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(act(with_token), StartsWith("HTTP/1.1 404 ")) << "it may, but there is no such guard";
  EXPECT_THAT(act(with_token + "Origin: https://127.0.0.1\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(act(with_token + "Origin: http://127.0.0.1\r\n"), StartsWith("HTTP/1.1 403 "))
    << "anybody in between can make a page of that origin";

  options.tls.reset();
  EXPECT_EQ(error_of(options), "WebOptions: address: got \"0.0.0.0\", allowed a loopback address, "
                               "because there is a token and no tls");
}

TEST_F(WebTls, wrong_files_are_named_before_anything_is_served) {
  options.tls->certificate = folder.path_of("missing.pem");
  options.tls->key.clear();
  options.tls->names = {"anna.example"};
  const auto problems = check(options).list();
  ASSERT_THAT(problems, SizeIs(3));
  EXPECT_EQ(problems[0].field, "tls.certificate");
  EXPECT_EQ(problems[1].field, "tls.key");
  EXPECT_EQ(problems[2].field, "tls.names");
  EXPECT_EQ(problems[2].allowed, "none, because without an authority clients show no certificate");
  EXPECT_THAT(error_of(options), HasSubstr("tls.certificate"));
}

TEST_F(WebTls, a_certificate_that_is_replaced_is_in_force_and_one_that_is_broken_is_not) {
  serve();
  const auto subject = [&] {
    const auto client = connect();
    if (!client->shakes_hands())
      return std::string{"none"};
    const std::unique_ptr<X509, decltype(&X509_free)> certificate{
      SSL_get1_peer_certificate(client->ssl()), &X509_free};
    char name[100];
    X509_NAME_oneline(X509_get_subject_name(certificate.get()), name, sizeof name);
    return std::string{name};
  };
  EXPECT_EQ(subject(), "/CN=server");
  issue("server", {.subject = "next server"}, authority);
  EXPECT_TRUE(becomes_true([&] { return subject() == "/CN=next server"; }));
  EXPECT_EQ(event(0), "files_reread");
  std::ofstream{options.tls->certificate} << "nonsense";
  EXPECT_TRUE(becomes_true([&] {
    EXPECT_EQ(subject(), "/CN=next server");
    return events().size() == 2;
  }));
  EXPECT_THAT(event(1), StartsWith("files_not_usable: certificate: got \""));
}

TEST_F(WebTls, watchers_see_what_happens) {
  serve();
  std::vector<std::unique_ptr<TlsClient>> watchers;
  for (auto i = 0; i < 8; ++i) {
    watchers.push_back(connect());
    ASSERT_TRUE(watchers.back()->shakes_hands());
    ASSERT_TRUE(watchers.back()->send(request_for("/events")));
  }
  for (const auto& watcher : watchers)
    EXPECT_THAT(watcher->receive_until("data:"), HasSubstr("text/event-stream"));
  for (const auto& watcher : watchers)
    EXPECT_THAT(watcher->receive_until("\n\n"), HasSubstr("\n\n")) << "the stream goes on";
}

TEST_F(WebTls, clients_that_say_nothing_or_stop_halfway_keep_nobody_out) {
  serve();
  std::vector<TcpStream> silent;
  std::vector<std::unique_ptr<TlsClient>> halfway;
  const auto hello = std::string{"\x16\x03\x01\x02\x00\x01", 6};
  for (auto i = 0; i < 150; ++i) {
    silent.push_back(TcpStream::connect(server->port()));
    if (i % 2 == 0)
      silent.back().send(hello);
    halfway.push_back(connect());
    if (i % 3 == 0)
      halfway.back()->shakes_hands();
    else
      halfway.back()->shakes_hands(0ms);
  }
  EXPECT_THAT(ask(request_for("/healthz")), StartsWith("HTTP/1.1 200 "));
}

TEST_F(WebTls, random_bytes_do_nothing_to_it) {
  options.tls->authority = folder.path_of("authority.pem");
  serve();
  SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(test::first_seed()));
  const auto right = issue("right", {.subject = "anna"}, authority);
  std::mt19937_64 random{test::first_seed()};
  for (auto round = 0; round < 200; ++round) {
    auto stream = TcpStream::connect(server->port());
    std::string bytes(random() % 2000, '\0');
    for (auto& c : bytes)
      c = static_cast<char>(random());
    if (bytes.size() > 5 && random() % 2 == 0)
      bytes.replace(0, 5, std::string{"\x16\x03\x01\x01\x00", 5}); // the head of a record
    stream.send(bytes);
    if (random() % 2 == 0)
      stream.end_by_reset();
    if (random() % 4 == 0)
      stream.receive_all(10ms);
  }
  EXPECT_THAT(ask(request_for("/healthz"), &right), StartsWith("HTTP/1.1 200 "));
}

// After the handshake, the client breaks the protocol of TLS.
TEST_F(WebTls, a_client_that_breaks_tls_is_ended) {
  serve();
  const auto client = connect();
  ASSERT_TRUE(client->shakes_hands());
  TcpStream raw{net::Descriptor{dup(SSL_get_fd(client->ssl()))}};
  raw.send(request_for("/healthz"));
  EXPECT_EQ(client->receive_until({}), "");
  EXPECT_THAT(ask(request_for("/healthz")), StartsWith("HTTP/1.1 200 "));
}

} // namespace backoff_actor::web_tls_test
