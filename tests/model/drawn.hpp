#pragma once

#include "common/random_walk.hpp"

namespace backoff_actor::model_test {

using test::below;
using test::Choice;
using test::require;

} // namespace backoff_actor::model_test
