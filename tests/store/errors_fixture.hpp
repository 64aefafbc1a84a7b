#pragma once

#include "fixture.hpp"

#include <SQLiteCpp/Database.h>

#include <fstream>
#include <iterator>
#include <string>

namespace backoff_actor::store_test {

/// All bytes of a file.
inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream{file, std::ios::binary} << text;
}

/// Texts of errors, in full.
class StoreErrors : public StoreTest {
protected:
  Failure opening(const std::filesystem::path& file) {
    return failure_of([&] { open_sqlite_store(file, options_); });
  }
  Failure reading(const std::filesystem::path& file) {
    return failure_of([&] { open_sqlite_store_to_read(file, options_); });
  }

  void expect(const Failure& found, StoreFailure failure, const std::string& text) {
    EXPECT_EQ(to_string(found.failure), to_string(failure));
    EXPECT_EQ(found.text, text);
  }

  // A store of some pages, closed.
  void fill() {
    for (std::uint64_t id = 1; id <= 40; ++id)
      commit(store(), {change::Insert{delivery(id, std::string(1'000, 'x'))}});
    close();
  }

  void in_sqlite(const std::string& statements) {
    SQLite::Database{file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}.exec(
      statements);
  }

  std::string name() const { return file().string(); }
};

} // namespace backoff_actor::store_test
