#pragma once

// Worker processes that share an outbox, the service that they call, and what both tell. For the
// demo, and for the tests that break everything.

#include "backoff_actor/core/time.hpp"
#include "common/process.hpp"
#include "common/reserved_port.hpp"
#include "ledger.hpp"
#include "ledger_service.hpp"
#include "lives.hpp"
#include "notes.hpp"
#include "worker_options.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cluster {

/// The worker processes of one machine, and the service.
///
/// @thread the thread that made it
class Cluster {
public:
  /// @param folder where the service listens and the notes are; only this cluster uses it
  /// @param program the worker, `cluster_worker`
  /// @param base the options of every worker; their node, service, notes and first are set here
  Cluster(const std::filesystem::path& folder, std::string program, WorkerOptions base);

  /// Adds a worker, and returns its number, from 0 on. It does not run yet.
  ///
  /// @param connection of its own; empty: that of all
  std::size_t add(std::string connection = {});

  /// Adds a process that offers workers to the owner, and returns its number. From then on those
  /// that may own the outbox listen. Call it before any is started.
  std::size_t add_hand();

  /// Whether it can own the outbox.
  bool may_own(std::size_t worker) const { return !members_[worker].offers; }

  std::size_t size() const { return members_.size(); }

  /// The name of the outbox, and how many keys its jobs have.
  /// @{
  const std::string& outbox() const { return base_.outbox; }
  std::uint64_t keys() const { return base_.keys; }
  /// @}

  // -- what can be done to a worker ---------------------------------------------------

  void start(std::size_t worker);
  void kill(std::size_t worker);
  void freeze(std::size_t worker);
  void thaw(std::size_t worker);
  /// Tells its client to submit nothing more.
  void quiet(std::size_t worker);
  /// Tells it to end in order, and waits until it has. Kills it after the patience.
  ///
  /// @return whether it ended by itself, with exit code 0
  bool stop(std::size_t worker, backoff_actor::Duration patience);

  bool runs(std::size_t worker);
  bool is_frozen(std::size_t worker) const { return members_[worker].is_frozen; }

  // -- what they tell -----------------------------------------------------------------

  /// Reads what is new. All below is as of then.
  void look();

  const std::vector<Note>& notes() const { return notes_; }

  /// The worker that owns the outbox, by what all have told; none: it was killed, or gave it up.
  std::optional<std::size_t> owner() const { return owner_; }

  /// When a worker owned the outbox first after a point in time; of any but `except`, if that is
  /// given.
  std::optional<Micros> owned_after(Micros at, std::optional<std::size_t> except = {}) const;

  /// Looks until a condition holds. Returns whether it does.
  bool wait(backoff_actor::Duration patience, const std::function<bool()>& condition);

  /// Waits until there is an owner. Returns whether there is.
  bool wait_for_owner(backoff_actor::Duration patience);

  /// Waits until all workers are quiet that were told to be, and all jobs that were confirmed are
  /// done. Returns whether they are.
  bool wait_until_done(backoff_actor::Duration patience);

  /// Counts a job that somebody else has handed over as confirmed.
  void add_confirmed(std::uint64_t job) { confirmed_.push_back(job); }

  LedgerService& service() { return service_; }
  std::size_t confirmed() const { return confirmed_.size(); }
  /// Also what one worker's client submitted after an earlier job of the key was accepted is to be
  /// done later.
  Verdict verdict() const;
  /// What became of the jobs that do something besides.
  ///
  /// @param stored the notes that the owners have stored
  LifeVerdict life_verdict(const std::vector<StoredNote>& stored) const {
    return jobs_with_lives_.judge(service_.calls(), stored);
  }

  /// The name of a worker.
  static std::string node(std::size_t worker);

private:
  struct Member {
    std::string connection;
    std::unique_ptr<example::Process> process;
    bool is_frozen = false;
    bool is_to_be_quiet = false; // it was told, and some of its jobs have no answer yet
    bool offers = false;         // workers to the owner
    std::optional<example::ReservedPort> port{}; // where it listens; none: nowhere
  };

  void lost_owner(std::size_t worker);
  void confirm(const Note& note);

  LedgerService service_;
  std::string program_;
  WorkerOptions base_;
  NoteReader reader_;
  std::vector<Member> members_;
  std::uint64_t lives_ = 0;
  std::vector<Note> notes_;
  std::vector<std::uint64_t> confirmed_;
  Lives jobs_with_lives_;
  std::map<std::string, std::vector<Transaction>> submissions_; // that were accepted, by node
  std::optional<std::size_t> owner_;
};

} // namespace cluster
