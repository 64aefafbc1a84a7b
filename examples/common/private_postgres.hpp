#pragma once

#include "common/reserved_port.hpp"
#include "common/temporary_folder.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace example {

/// How a private server differs from a usual one.
struct PrivatePostgresOptions {
  /// Where its data go: an empty folder, or one that is not there yet. The server's user owns it
  /// from then on. Empty: in the server's own temporary folder.
  std::filesystem::path data{};

  /// Lines of postgresql.conf: a name and a value.
  std::vector<std::pair<std::string, std::string>> settings{};

  /// Lines of pg_hba.conf. They come before those that let everybody in.
  std::vector<std::string> access{};
};

/// A server of PostgreSQL that this program alone uses: with data in a temporary folder, on
/// 127.0.0.1 at a free port and on a Unix socket. Its superuser is `postgres`, without a password.
///
/// The server refuses to run as root. If this program does, the server runs as user `postgres`. It
/// ends when the thread that started it does.
///
/// @errors every member may throw `std::runtime_error`, with the end of the server's log.
/// @thread one at a time
class PrivatePostgres {
public:
  /// How a server ends.
  enum class Stop {
    fast,      ///< it ends all sessions, and writes a checkpoint
    immediate, ///< without a checkpoint: the next start recovers as after a crash
    kill,      ///< by SIGKILL
  };

  /// Whether PostgreSQL and a user that may run it are here.
  static bool is_installed();

  /// The folder of PostgreSQL's programs: of `initdb` in PATH, of pg_config, or the newest below
  /// /usr/lib/postgresql. Empty: there is none.
  static std::filesystem::path programs();

  /// Makes a new server and starts it, which takes a second or two.
  explicit PrivatePostgres(PrivatePostgresOptions options = {});
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  /// Ends the server. Its folder goes, and what is in the folder of the data.
  ~PrivatePostgres();

  /// libpq's connection string of a database, by TCP.
  std::string connection(const std::string& database = "postgres") const;

  /// The same by the Unix socket.
  std::string socket_connection(const std::string& database = "postgres") const;

  /// The URL of a database, by TCP.
  std::string url(const std::string& database = "postgres") const;

  /// The port, of 127.0.0.1 and of the Unix socket.
  int port() const { return port_.number(); }

  /// The folder of the Unix socket, and of the server's log.
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// The folder of the data.
  const std::filesystem::path& data() const { return data_; }

  /// The process that waits for connections; -1 if it does not run.
  pid_t process() const { return process_; }

  /// Runs statements in a database as superuser, and returns the rows: columns are separated by
  /// `|`, rows end with a line.
  std::string query(const std::string& statements, const std::string& database = "postgres") const;

  /// Ends the server. Does nothing if it does not run.
  void stop(Stop how = Stop::fast);

  /// Starts it again, with the same data and the same port. Does nothing if it runs.
  void start();

  /// Ends it without a checkpoint, and starts it again.
  void restart_immediately();

private:
  std::string log_end() const;

  TemporaryFolder folder_{"backoff_actor-postgres"};
  ReservedPort port_{};
  std::filesystem::path programs_;
  std::filesystem::path data_;
  pid_t process_ = -1;
};

} // namespace example
