// The server fails over to a replica that lacks what was committed last. The owner has it in
// memory.

#include "postgres/cluster_fixture.hpp"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace backoff_actor::system_test {

namespace {

class PostgresFailover : public PostgresClusterTest {
protected:
  /// Runs one of PostgreSQL's programs as the server's user. Returns whether it succeeded.
  static bool run(const std::string& program, const std::string& arguments) {
    const auto as_user = geteuid() == 0 ? "runuser -u postgres -- " : "";
    const auto command = as_user + (example::PrivatePostgres::programs() / program).string() + ' '
                         + arguments + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0; // NOLINT(cert-env33-c)
  }

  /// The connection to whichever of the two can be written.
  std::string connection_of_both() const {
    return "host=127.0.0.1,127.0.0.1 port=" + std::to_string(server_->port()) + ','
           + std::to_string(replica_->port())
           + " user=postgres dbname=postgres target_session_attrs=read-write";
  }

  /// Makes the second server a replica of the first as that is now. It gets nothing later.
  void copy_to_replica() {
    replica_->stop();
    for (const auto& entry : std::filesystem::directory_iterator{replica_->data()})
      std::filesystem::remove_all(entry.path());
    ASSERT_TRUE(run("pg_basebackup", "-h " + server_->folder().string() + " -p "
                                       + std::to_string(server_->port()) + " -U postgres -D "
                                       + replica_->data().string()
                                       + " --checkpoint=fast --wal-method=stream --no-sync"));
    std::ofstream{replica_->data() / "postgresql.auto.conf", std::ios::app}
      << "fsync = off\nport = " << replica_->port() << "\nunix_socket_directories = '"
      << replica_->folder().string() << "'\n";
    std::ofstream{replica_->data() / "standby.signal"};
  }

  /// Starts the replica, and makes it the server.
  void promote() {
    replica_->start(); // returns when it can be read
    ASSERT_TRUE(run("pg_ctl", "promote --wait -D " + replica_->data().string()));
  }

  std::optional<example::PrivatePostgres> replica_;
};

} // namespace

TEST_F(PostgresFailover, to_a_replica_that_is_behind_loses_nothing_that_the_owner_has_in_memory) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0711});
  make_cluster();
  replica_.emplace(example::PrivatePostgresOptions{.data = folder_ / "replica"});
  const auto only = start(connection_of_both());
  wait_until_owned_by(only);
  wait_for_calls(100);
  ASSERT_NO_FATAL_FAILURE(copy_to_replica());
  wait_for_calls(150); // the replica does not get these
  const auto confirmed_before = cluster_->confirmed();
  EXPECT_GT(confirmed_before, 150u);

  server_->stop(example::PrivatePostgres::Stop::kill);
  const auto at = cluster::now();
  ASSERT_NO_FATAL_FAILURE(promote());
  std::cout << "promoted in " << milliseconds(cluster::now() - at) << '\n';
  wait_for_calls(100);
  const auto verdict = finish();
  EXPECT_EQ(verdict.done_again, 0u);
  EXPECT_EQ(owed(replica_->socket_connection()), 0u);
}

} // namespace backoff_actor::system_test
