// The cable between an owner and the server is cut: nobody's kernel tells anybody.

#include "postgres/cluster_fixture.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace backoff_actor::system_test {

namespace {

// Takes the only network of this process up or down.
bool set_network(bool up) {
  const example::FileDescriptor socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (socket.get() < 0 || ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0)
    return false;
  const auto flags = static_cast<unsigned>(request.ifr_flags);
  request.ifr_flags = static_cast<short>(up ? flags | IFF_UP : flags & ~unsigned{IFF_UP});
  return ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

using PostgresCable = PostgresClusterTest;

} // namespace

TEST_F(PostgresCable, that_is_cut_costs_the_lease_and_both_sides_know_who_owns) {
  if (unshare(CLONE_NEWNET) != 0 || !set_network(true))
    GTEST_SKIP() << "this user may make no network namespace";
  lease_ = 4s; // a busy machine may take a part of it
  make_cluster();
  const auto remote = start(server_->connection()); // by TCP
  wait_until_owned_by(remote);
  const auto local = start(server_->socket_connection()); // needs no network
  wait_for_note(local, "up", 0);
  wait_for_calls(100);

  const auto at = cluster::now();
  ASSERT_TRUE(set_network(false));
  const auto takeover = taken_over_after(at, remote);
  EXPECT_GT(takeover, 2'000'000);
  wait_for_calls(50);
  // The old owner stopped by its own clock before the new one began. On a busy machine its four
  // children may be late with what they had in hand.
  EXPECT_LE(calls_of(remote, at + takeover).size(), 4u);

  const auto mended = cluster::now();
  ASSERT_TRUE(set_network(true));
  wait_for_note(remote, "disowned", at);
  wait_for_calls(50);
  for (const auto& call : calls_of(remote, mended))
    EXPECT_TRUE(call.is_refused) << call.job;

  cluster_->kill(local);
  wait_until_owned_by(remote);
  wait_for_calls(50);
  finish();
  EXPECT_EQ(owed(server_->socket_connection()), 0u);
}

} // namespace backoff_actor::system_test
