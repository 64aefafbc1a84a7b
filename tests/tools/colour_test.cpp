#include "backoffctl/text/colour.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace backoffctl::colour_test {

// A terminal of its own, and an environment without wishes.
class may_be_coloured_on : public testing::Test {
protected:
  may_be_coloured_on() : terminal_(posix_openpt(O_RDWR | O_NOCTTY)) {
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
  }

  ~may_be_coloured_on() override {
    unsetenv("NO_COLOR");
    close(terminal_);
  }

  int terminal_;
};

TEST_F(may_be_coloured_on, a_terminal) { EXPECT_TRUE(may_be_coloured(terminal_)); }

TEST_F(may_be_coloured_on, no_file) {
  const auto file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(may_be_coloured(file));
  close(file);
}

TEST_F(may_be_coloured_on, a_terminal_only_if_no_color_has_no_value) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(may_be_coloured(terminal_));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(may_be_coloured(terminal_));
}

TEST_F(may_be_coloured_on, no_dumb_terminal) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(may_be_coloured(terminal_));
}

TEST(coloured, is_red_or_green_or_as_it_is) {
  EXPECT_EQ(coloured("x", Colour::red, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(coloured("x", Colour::green, true), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(coloured("x", Colour::red, false), "x");
}

TEST(coloured_verdicts, leaves_headers_and_figures) {
  const std::string table =
    "  run  recovered after\n  [1]    not recovered\n  [2]             4 s\n";
  EXPECT_EQ(coloured_verdicts(table, true), "  run  recovered after\n"
                                            "  [1]    \x1b[31mnot recovered\x1b[0m\n"
                                            "  [2]             4 s\n");
  EXPECT_EQ(coloured_verdicts(table, false), table);
  EXPECT_EQ(coloured_verdicts("policy  fixed(1s)\nrecovered after 4 s\n", true),
            "policy  fixed(1s)\n\x1b[32mrecovered\x1b[0m after 4 s\n");
  EXPECT_EQ(coloured_verdicts("not recovered within 30 s\n", true),
            "\x1b[31mnot recovered\x1b[0m within 30 s\n");
}

} // namespace backoffctl::colour_test
