#pragma once

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>

namespace backoff_actor::test {

/// A text, and how what is read of it is written.
struct ReadText {
  const char* text;
  const char* written;
};

/// Each text is read, and what is written of it is read as the same.
template <class Parse>
void expect_read(Parse parse, std::initializer_list<ReadText> rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    const auto value = parse(row.text);
    EXPECT_EQ(to_string(value), row.written);
    EXPECT_EQ(parse(to_string(value)), value);
  }
}

/// A text that is refused, with the place, counted from 1, and what is wrong.
struct RefusedText {
  const char* text;
  std::size_t column;
  const char* problem;
};

template <class Parse>
void expect_refused(Parse parse, std::initializer_list<RefusedText> rows) {
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    try {
      static_cast<void>(parse(row.text));
      ADD_FAILURE() << "it is read";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.problem(), row.problem);
      EXPECT_EQ(error.column(), row.column);
    }
  }
}

} // namespace backoff_actor::test
