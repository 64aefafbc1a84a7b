#pragma once

// Who supervises whom.

#include "backoff_actor/observe/actor_name.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace backoff_actor::detail {

// The supervisor of each child, by the number of the child. A number names one actor of an actor
// system. So an observatory of two systems may show a child below the supervisor of another.
class FamilyBook {
public:
  using Supervisor = std::shared_ptr<const ActorName>;

  void add(std::uint64_t child, Supervisor supervisor) {
    const std::lock_guard lock{mutex_};
    supervisors_[child] = std::move(supervisor);
  }

  // Unless the child has another supervisor by now.
  void remove(std::uint64_t child, const Supervisor& supervisor) {
    const std::lock_guard lock{mutex_};
    if (const auto found = supervisors_.find(child);
        found != supervisors_.end() && found->second == supervisor)
      supervisors_.erase(found);
  }

  // Reads the book. No child comes or goes meanwhile.
  class Reader {
  public:
    explicit Reader(const FamilyBook& book) : lock_(book.mutex_), supervisors_(book.supervisors_) {}

    // Sets `supervisor` if it has one.
    template <class Observed>
    void name_supervisor(Observed& one) const {
      if (const auto found = supervisors_.find(one.name.number); found != supervisors_.end())
        one.supervisor = *found->second;
    }

  private:
    const std::unique_lock<std::mutex> lock_;
    const std::unordered_map<std::uint64_t, Supervisor>& supervisors_;
  };

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Supervisor> supervisors_;
};

// The children of one supervisor in the book, while it is seen. One thread at a time uses it.
class Family {
public:
  Family(std::shared_ptr<FamilyBook> book, ActorName supervisor)
    : book_(std::move(book)),
      supervisor_(std::make_shared<const ActorName>(std::move(supervisor))) {}
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    for (const auto child : children_)
      book_->remove(child, supervisor_);
  }

  std::uint64_t number() const { return supervisor_->number; }

  void add(std::uint64_t child) {
    children_.insert(child);
    book_->add(child, supervisor_);
  }

  void remove(std::uint64_t child) {
    if (children_.erase(child) != 0)
      book_->remove(child, supervisor_);
  }

private:
  const std::shared_ptr<FamilyBook> book_;
  const FamilyBook::Supervisor supervisor_;
  std::unordered_set<std::uint64_t> children_;
};

} // namespace backoff_actor::detail
