// A door with TLS: whom it admits, and what each side says of the other.

#include "common/tls_client.hpp"
#include "system/door/door_fixture.hpp"

namespace backoff_actor::door {

namespace {

class TlsDoor : public ::testing::Test {
protected:
  TlsDoor() { authority.write(folder.path_of("authority.pem")); }

  // Makes a certificate, and returns what a node with it has.
  Tls node_with(const CertificateWish& wish, const Authority& signer) {
    return issue_to_node(folder, "node" + std::to_string(++nodes), wish, signer);
  }
  Tls node_with(const CertificateWish& wish = {}) { return node_with(wish, authority); }

  void make(Tls tls, GateOptions gate = patient_gate) {
    door.emplace(
      DoorOptions{.tls = std::move(tls), .longest_pause = 1h, .on_event = events.hook()});
    port = door->open(net::loopback(0), gate, ends.admit()).address.port();
  }

  // What a node says that connects: nothing if it is admitted.
  std::string connect(const Tls& tls, const std::string& host = "127.0.0.1") {
    client.emplace(DoorOptions{.tls = tls, .longest_pause = 1h, .on_event = client_events.hook()});
    wire = client->wire_to(connect_to(port), host);
    if (shake_hands(*wire) != net::WireState::ready)
      return wire->problem();
    // Only now the other node judges: with TLS 1.3, a client is ready first.
    auto state = net::WireState::wants_read;
    becomes_true([&] {
      state = receive(*wire, 1, 1ms).state;
      return state == net::WireState::failed || state == net::WireState::ended || ends.count() != 0;
    });
    return ends.count() != 0 ? "" : wire->problem();
  }

  // What the door says of whom it has refused last.
  std::string refused_since(std::size_t before) {
    EXPECT_TRUE(becomes_true([&] { return events.count(Kind::refused) > before; }));
    return events.last(Kind::refused).text;
  }

  CertificateFolder folder;
  Authority authority{"our authority"};
  Authority other_authority{"another authority"};
  int nodes = 0;
  Events events;
  Events client_events;
  Ends ends;
  std::optional<Door> door;
  std::optional<Door> client;
  std::unique_ptr<net::Wire> wire;
  std::uint16_t port = 0;
};

} // namespace

TEST_F(TlsDoor, admits_a_node_that_proves_who_it_is_and_proves_who_itself_is) {
  make(node_with({.subject = "worker-1"}));
  EXPECT_EQ(connect(node_with({.subject = "billing", .names = {"billing.example"}})), "");
  EXPECT_EQ(wire->subject(), "CN = worker-1");
  EXPECT_TRUE(send_all(*wire, client_greeting()));
  EXPECT_TRUE(events.has(Kind::connected, 1));
  EXPECT_EQ(events.last(Kind::connected).subject, "CN = billing");
  auto caf = ends.take();
  EXPECT_EQ(caf.receive(client_greeting().size()).bytes, client_greeting());

  const std::string payload(5'000'000, 'p');
  const auto sent = bytes_of({.size = 5'000'000}) + payload;
  std::thread sender{[&] { EXPECT_TRUE(send_all(*wire, sent)); }};
  EXPECT_TRUE(caf.receive(sent.size()).bytes == sent);
  sender.join();
  std::thread other_sender{[&] { caf.send(server_greeting() + sent); }};
  EXPECT_TRUE(receive(*wire, server_greeting().size() + sent.size()).bytes
              == server_greeting() + sent);
  other_sender.join();
  caf = {};
  EXPECT_EQ(receive(*wire, 1).state, net::WireState::ended);
}

TEST_F(TlsDoor, admits_only_the_names_that_it_was_given) {
  auto tls = node_with();
  tls.names = {"billing.example", "10.0.0.7"};
  make(tls);
  EXPECT_EQ(connect(node_with({.names = {"10.0.0.7"}})), "");
  ends.take();
  EXPECT_EQ(connect(node_with({.names = {"other.example", "billing.example"}})), "");
  ends.take();
  EXPECT_THAT(connect(node_with({.subject = "mail", .names = {"mail.example", "10.0.0.8"}})),
              HasSubstr("it refused this node's certificate"));
  // The first two connections are closed, and that may be told first.
  EXPECT_EQ(events.text_about(Kind::refused, "CN = mail"),
            "its certificate was made for mail.example, 10.0.0.8, not for billing.example, "
            "10.0.0.7");
  EXPECT_EQ(ends.count(), 0u);
}

TEST_F(TlsDoor, refuses_certificates_that_are_not_right_and_says_why_on_both_sides) {
  make(node_with());
  struct Row {
    const char* what;
    Tls tls;
    const char* door_says;
    const char* node_says;
  };
  const Row rows[] = {
    {"another authority", node_with({}, other_authority),
     "its certificate was not signed by this node's authority, but by CN = another authority",
     "it refused this node's certificate: its authority has not signed it"},
    {"expired", node_with({.from = -2h, .until = -1h}),
     "its certificate has expired: it was valid until ",
     "it refused this node's certificate: it has expired or is not valid yet, or a clock is wrong"},
    {"too early", node_with({.from = 1h, .until = 2h}), "its certificate is not valid before ",
     "it refused this node's certificate"},
    {"for servers only", node_with({.purpose = "serverAuth"}),
     "its certificate was not made for both servers and clients",
     "it refused this node's certificate: it was not made for both servers and clients"},
  };
  for (const auto& row : rows) {
    const auto before = events.count(Kind::refused);
    EXPECT_THAT(connect(row.tls), HasSubstr(row.node_says)) << row.what;
    EXPECT_THAT(refused_since(before), HasSubstr(row.door_says)) << row.what;
    EXPECT_EQ(events.last(Kind::refused).subject, "CN = node") << row.what;
  }
  EXPECT_EQ(ends.count(), 0u);
}

TEST_F(TlsDoor, refuses_who_shows_no_certificate_or_speaks_an_older_tls_or_none) {
  make(node_with());
  TlsClient nobody{port, [](SSL_CTX*) {}};
  nobody.shakes_hands();
  EXPECT_EQ(refused_since(0), "it has shown no certificate");
  for (const auto version : {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION}) {
    const auto before = events.count(Kind::refused);
    TlsClient older{port, [&](SSL_CTX* context) {
                      SSL_CTX_set_min_proto_version(context, version);
                      SSL_CTX_set_max_proto_version(context, version);
                    }};
    EXPECT_FALSE(older.shakes_hands());
    EXPECT_EQ(refused_since(before), "it does not speak TLS 1.3") << version;
  }
  for (const auto& said : {std::string{"GET / HTTP/1.1\r\n\r\n"}, client_greeting(),
                           std::string(200'000, 'j'), bytes_of({.size = 3})}) {
    const auto before = events.count(Kind::refused);
    auto plain = TcpStream::connect(port);
    plain.send(said);
    EXPECT_NE(plain.receive_all().ending, Ending::silent);
    EXPECT_EQ(refused_since(before), "it does not speak TLS") << said.substr(0, 10);
  }
  EXPECT_EQ(ends.count(), 0u);
}

TEST_F(TlsDoor, is_refused_itself_if_it_is_not_whom_a_node_wanted) {
  const auto node = node_with();
  make(node_with({.subject = "other", .names = {"other.example"}}));
  EXPECT_EQ(connect(node), "its certificate was made for other.example, not for 127.0.0.1");
  EXPECT_EQ(wire->subject(), "CN = other");
  EXPECT_THAT(refused_since(0), HasSubstr("it refused this node's certificate"));
  auto with_name = node;
  with_name.names = {"other.example"};
  EXPECT_EQ(connect(with_name), "");
  ends.take();
  EXPECT_EQ(connect(node, "other.example"), "");
  ends.take();

  make(node_with({}, other_authority));
  EXPECT_EQ(connect(node), "its certificate was not signed by this node's authority, but by CN = "
                           "another authority");
  make(node_with({.from = -2h, .until = -1h}));
  EXPECT_THAT(connect(node), HasSubstr("its certificate has expired: it was valid until "));
}

TEST_F(TlsDoor, names_a_stranger_that_has_gone_before_it_was_refused) {
  make(node_with());
  for (std::size_t round = 0; round != 50; ++round) {
    auto stranger = TcpStream::connect(port);
    stranger.send(std::string{"\x16\x03\x01\x00\x01\x7f", 6}); // a message that TLS does not have
    stranger.end_by_reset();
    stranger = {};
    ASSERT_TRUE(events.has(Kind::refused, round + 1));
    ASSERT_THAT(events.last(Kind::refused).peer, HasSubstr("127.0.0.1:"));
  }
}

TEST_F(TlsDoor, closes_who_is_slow_in_the_handshake) {
  make(node_with(), {.handshake_timeout = 300ms});
  auto silent = TcpStream::connect(port);
  auto slow = TcpStream::connect(port);
  const std::string beginning{"\x16\x03\x01\x02\x00", 5}; // of a record of TLS
  slow.send(beginning);
  for (int i = 0; i != 100 && slow.send("x", 1ms) && events.count(Kind::refused) < 2; ++i)
    slow.receive(1, 10ms);
  EXPECT_NE(silent.receive_all().ending, Ending::silent);
  EXPECT_TRUE(events.has(Kind::refused, 2));
  EXPECT_EQ(events.last(Kind::refused).text, "it did not prove who it is in time");
  EXPECT_EQ(ends.count(), 0u);
}

TEST_F(TlsDoor, is_not_kept_busy_by_one_who_wants_to_negotiate_anew) {
  make(node_with());
  const auto tls = node_with();
  TlsClient flood{port, [&](SSL_CTX* context) {
                    SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str());
                    SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM);
                  }};
  ASSERT_TRUE(flood.shakes_hands());
  const auto caf = ends.take();
  // TLS 1.3 has no renegotiation; new keys are what is left of it.
  EXPECT_NE(SSL_renegotiate(flood.ssl()), 1);
  for (int i = 0; i != 10'000 && SSL_key_update(flood.ssl(), SSL_KEY_UPDATE_REQUESTED) == 1; ++i)
    if (SSL_do_handshake(flood.ssl()) != 1)
      break;
  EXPECT_EQ(connect(tls), "");
}

TEST_F(TlsDoor, takes_new_files_for_new_connections_and_keeps_the_others) {
  auto tls = node_with({.subject = "old"});
  make(tls);
  const auto node = node_with();
  ASSERT_EQ(connect(node), "");
  auto old_caf = ends.take();
  auto old_wire = std::move(wire);
  EXPECT_EQ(old_wire->subject(), "CN = old");

  authority.issue({.subject = "new"}, tls.certificate, tls.key);
  EXPECT_TRUE(becomes_true([&] {
    EXPECT_EQ(connect(node), "");
    ends.take();
    return wire->subject() == "CN = new";
  }));
  EXPECT_TRUE(events.has(Kind::files_reread, 1));
  const auto sent = bytes_of({.size = 3}) + "abc";
  EXPECT_TRUE(send_all(*old_wire, client_greeting() + sent));
  old_caf.receive(client_greeting().size());
  EXPECT_EQ(old_caf.receive(sent.size()).bytes, sent);
}

TEST_F(TlsDoor, keeps_the_files_that_it_has_if_new_ones_cannot_be_used) {
  auto tls = node_with({.subject = "old"});
  make(tls);
  const auto other = node_with();
  std::filesystem::copy_file(other.key, tls.key, std::filesystem::copy_options::overwrite_existing);
  const auto node = node_with();
  EXPECT_TRUE(becomes_true([&] {
    EXPECT_EQ(connect(node), "");
    ends.take();
    return events.count(Kind::files_not_usable) != 0;
  }));
  EXPECT_EQ(wire->subject(), "CN = old");
  EXPECT_THAT(events.last(Kind::files_not_usable).text,
              HasSubstr("the certificate's key in PEM format, without a passphrase: "));
  EXPECT_THAT(events.last(Kind::files_not_usable).text, HasSubstr("; those before stay in force"));
}

TEST_F(TlsDoor, is_not_made_with_files_that_cannot_be_used) {
  const auto good = node_with();
  EXPECT_EQ(to_string(check(good)), "");
  EXPECT_EQ(to_string(check(Tls{})), "Tls: certificate: got \"\", allowed the path of a file\n"
                                     "Tls: key: got \"\", allowed the path of a file\n"
                                     "Tls: authority: got \"\", allowed the path of a file");
  auto missing = good;
  missing.key = "/nowhere/at all";
  EXPECT_EQ(to_string(check(missing)),
            "Tls: key: got \"/nowhere/at all\", allowed a file that can be read: No such file or "
            "directory");
  auto swapped = good;
  std::swap(swapped.certificate, swapped.key);
  EXPECT_THAT(to_string(check(swapped)), HasSubstr("allowed a certificate in PEM format: "));
  auto mixed = good;
  mixed.key = node_with().key;
  mixed.names = {"a", ""};
  EXPECT_THAT(to_string(check(mixed)),
              HasSubstr("names[1]: got \"\", allowed a name or an address"));
  mixed.names = {};
  EXPECT_THAT(to_string(check(mixed)),
              HasSubstr("allowed the certificate's key in PEM format, without a passphrase: "));
  EXPECT_THROW(Door{DoorOptions{.tls = mixed}}, InvalidArgument);
}

} // namespace backoff_actor::door
