#include "backoff_actor/core/internal/thrown.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace backoff_actor {
namespace {

template <class T>
std::exception_ptr thrown(T value) {
  try {
    throw value;
  } catch (...) {
    return std::current_exception();
  }
}

template <class T>
std::string what(T value) {
  const auto pointer = thrown(value);
  const auto* const exception = detail::exception_in(pointer);
  return exception != nullptr ? exception->what() : "none";
}

TEST(thrown, is_an_exception_of_that_type_or_of_one_derived_from_it) {
  EXPECT_EQ(what(std::runtime_error{"no disk"}), "no disk");
  EXPECT_EQ(what(std::out_of_range{"7"}), "7");
  EXPECT_EQ(what(std::exception{}), std::exception{}.what());
}

struct Numbered {
  virtual ~Numbered() = default;
  int number = 5;
};

struct SecondBase : Numbered, std::runtime_error {
  SecondBase() : std::runtime_error("the second base") {}
};

struct VirtualBase : virtual std::exception {
  const char* what() const noexcept override { return "the virtual base"; }
};

struct Both : Numbered, VirtualBase {};

TEST(thrown, is_found_wherever_it_lies_in_what_was_thrown) {
  EXPECT_EQ(what(SecondBase{}), "the second base");
  EXPECT_EQ(what(VirtualBase{}), "the virtual base");
  EXPECT_EQ(what(Both{}), "the virtual base");
}

struct Hidden : private std::runtime_error {
  Hidden() : std::runtime_error("hidden") {}
};

struct Left : std::runtime_error {
  Left() : std::runtime_error("left") {}
};

struct Right : std::runtime_error {
  Right() : std::runtime_error("right") {}
};

struct Ambiguous : Left, Right {};

TEST(thrown, is_none_where_a_handler_would_not_catch_it) {
  std::runtime_error pointed_to{"pointed to"};
  EXPECT_EQ(what(5), "none");
  EXPECT_EQ(what("text"), "none");
  EXPECT_EQ(what(&pointed_to), "none");
  EXPECT_EQ(what(nullptr), "none");
  EXPECT_EQ(what(Numbered{}), "none");
  EXPECT_EQ(what(Hidden{}), "none");
  EXPECT_EQ(what(Ambiguous{}), "none");
}

TEST(thrown, lives_as_long_as_the_pointer) {
  const auto pointer = thrown(std::runtime_error{"first"});
  const auto* const exception = detail::exception_in(pointer);
  try {
    throw std::runtime_error{"second"};
  } catch (const std::runtime_error&) {
    EXPECT_STREQ(exception->what(), "first");
  }
  EXPECT_EQ(detail::exception_in(pointer), exception);
}

TEST(thrown, can_be_asked_for_while_it_is_being_handled) {
  try {
    throw std::runtime_error{"now"};
  } catch (...) {
    EXPECT_STREQ(detail::exception_in(std::current_exception())->what(), "now");
  }
}

// -- as text --------------------------------------------------------------------------------

TEST(thrown_text, is_that_of_the_exception_or_says_why_there_is_none) {
  EXPECT_EQ(detail::thrown_text(thrown(std::runtime_error{"no disk"})), "no disk");
  EXPECT_EQ(detail::thrown_text(thrown(std::runtime_error{""})), "an exception without a text");
  EXPECT_EQ(detail::thrown_text(thrown(7)), "an exception of unknown type");
}

TEST(thrown_text, of_a_hook_is_a_line_for_the_error_stream) {
  EXPECT_EQ(detail::failed_hook_line("sender 7", "no\ndisk"),
            "backoff_actor: sender 7: on_event threw: no\\ndisk; its next exceptions are not "
            "reported");
}

} // namespace
} // namespace backoff_actor
