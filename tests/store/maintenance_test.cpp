// A store is copied while it is used, and made smaller; what it has to tell is told.

#include "errors_fixture.hpp"

#include "common/faulty_vfs.hpp"

namespace backoff_actor::store_test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

} // namespace

class store_maintenance : public StoreErrors {
protected:
  std::uintmax_t size() const { return std::filesystem::file_size(file()); }

  // Takes in so many deliveries of 4 kB, and all but the last are done.
  void work_off(std::uint64_t count) {
    std::vector<StoreChange> changes;
    const auto first = store().last_id() + 1;
    for (auto id = first; id < first + count; ++id)
      changes.emplace_back(change::Insert{delivery(id, std::string(4'000, 'x'))});
    commit(store(), changes);
    changes.clear();
    for (auto id = first; id + 1 < first + count; ++id)
      changes.emplace_back(change::Acknowledge{id, {1}});
    commit(store(), changes);
  }

  void tidy_up() {
    while (store().is_untidy())
      store().tidy_up();
  }
};

TEST_F(store_maintenance, copies_a_store_that_is_being_used) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  const auto copy = folder_ / "copy.db";
  back_up_sqlite_store(file(), copy);
  commit(store(), {change::Acknowledge{1, {1}}});
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(copy.string() + "-wal")) << "it is whole without a log";
  EXPECT_FALSE(std::filesystem::exists(copy.string() + ".lock"));
  EXPECT_EQ(contents_of(*open_sqlite_store_to_read(copy)).owed.size(), 2U);
  const auto restored = open_sqlite_store(copy, options_);
  EXPECT_EQ(contents_of(*restored).owed.size(), 2U);
  EXPECT_THAT(restored->take_notices(), IsEmpty());
}

TEST_F(store_maintenance, copies_over_nothing) {
  fill();
  const auto copy = folder_ / "copy.db";
  write_file(copy, "mine");
  expect(failure_of([&] { back_up_sqlite_store(file(), copy); }), StoreFailure::cannot_open,
         copy.string() + ": already exists; name a file that does not exist");
  EXPECT_EQ(read_file(copy), "mine");
}

TEST_F(store_maintenance, compacts_a_file_whose_messages_are_done) {
  work_off(2'000);
  EXPECT_EQ(contents_of(reopen()).owed.size(), 1U);
  close();
  EXPECT_GT(size(), 8'000'000U);
  compact_sqlite_store(file(), options_);
  EXPECT_LT(size(), 100'000U);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  EXPECT_EQ(store().last_id(), 2'000U);
}

TEST_F(store_maintenance, of_itself_compacts_a_file_that_is_mostly_empty_and_not_a_small_one) {
  work_off(100);
  tidy_up();
  const auto small = size();
  EXPECT_GT(small, 400'000U) << "it will be needed again";
  work_off(3'000);
  tidy_up();
  EXPECT_LT(size(), small);
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
}

TEST_F(store_maintenance, puts_the_log_into_the_file_when_nothing_is_to_be_done) {
  commit(store(), {change::Insert{delivery(1, std::string(50'000, 'x'))}});
  EXPECT_LT(size(), 50'000U);
  tidy_up();
  EXPECT_GT(size(), 50'000U);
}

TEST_F(store_maintenance, tells_of_a_program_that_keeps_the_log_from_beginning_anew) {
  options_.checkpoint_pages = 20;
  store();
  SQLite::Database reader{file().string(), SQLite::OPEN_READONLY};
  reader.exec("BEGIN");
  EXPECT_EQ(reader.execAndGet("SELECT last_id FROM meta").getInt(), 0);
  for (std::uint64_t id = 1; id <= 60; ++id)
    commit(store(), {change::Insert{delivery(id, std::string(5'000, 'x'))}});
  EXPECT_THAT(store().take_notices(),
              ElementsAre(HasSubstr("another program keeps reading it, so its log cannot restart "
                                    "and grows: it is 0 MiB; end that program"),
                          HasSubstr("end that program")))
    << "once, and again when it has doubled";
}

// As a list that is shown in a pager.
TEST_F(store_maintenance, lets_the_log_begin_anew_while_somebody_looks_at_what_was_read) {
  options_.checkpoint_pages = 20;
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto reader = open_sqlite_store_to_read(file());
  std::uint64_t id = 2;
  const auto work = [&] {
    for (auto i = 0; i < 60; ++i)
      commit(store(), {change::Insert{delivery(++id, std::string(5'000, 'x'))}});
  };
  std::vector<std::uint64_t> visited;
  reader->for_each_owed([&](const StoredDelivery& x) {
    visited.push_back(x.id);
    work();
  });
  reader->for_each_dead_letter([&](const StoredDeadLetter& x) {
    visited.push_back(x.delivery.id);
    work();
  });
  EXPECT_THAT(visited, ElementsAre(1, 2)) << "what comes meanwhile is not visited";
  EXPECT_THAT(store().take_notices(), IsEmpty());
  EXPECT_EQ(contents_of(*reader).owed.size(), 121U);
}

TEST_F(store_maintenance, opens_a_store_on_a_full_disk_and_works_off_what_the_log_has_room_for) {
  test::FaultyVfs vfs;
  options_ = {.vfs = test::FaultyVfs::name};
  commit(store(), {change::Insert{delivery(1)}});
  close();
  vfs.arm(test::Fault::full, 1);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  EXPECT_THAT(
    store().take_notices(),
    ElementsAre(
      name()
      + ": there is no room on the disk; deliveries can be acknowledged while the log has room"));
  EXPECT_EQ(failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }).failure,
            StoreFailure::full);
  vfs.disarm();
  commit(store(), {change::Acknowledge{1, {1}}});
  EXPECT_THAT(contents_of(reopen()).owed, IsEmpty());
  close();
}

TEST_F(store_maintenance, names_no_file) {
  expect(opening(""), StoreFailure::cannot_open,
         "the name is empty; name a store, or a file that does not exist yet");
}

} // namespace backoff_actor::store_test
