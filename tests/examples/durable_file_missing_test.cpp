#include "http_guard/durable_file.hpp"

#include "backoff_actor/delivery/store_error.hpp"

#include <gmock/gmock.h>

namespace http_guard::durable_file_test {

TEST(durable_file, names_the_packages_that_were_missing_when_the_demo_was_built) {
  try {
    open_durable_file("owed.db");
    FAIL();
  } catch (const backoff_actor::StoreError& error) {
    EXPECT_STREQ(error.what(), "owed.db: this program was built without SQLite; install "
                               "libsqlitecpp-dev and libsqlite3-dev, and build it again");
  }
}

} // namespace http_guard::durable_file_test
