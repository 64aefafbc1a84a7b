#include "tune_rows.hpp"

namespace backoffctl {

std::vector<backoff_actor::RetryPoint> rows_of(const backoff_actor::DelaySeries& series,
                                               std::uint64_t from, std::uint64_t to) {
  std::vector<backoff_actor::RetryPoint> result;
  for (std::uint64_t n = 0; n <= 3 && n < from; ++n)
    result.push_back(retry_of(series, n));
  for (auto n = from; n <= to; ++n)
    result.push_back(retry_of(series, n));
  return result;
}

std::vector<backoff_actor::RetryPoint> first_rows_of(const backoff_actor::DelaySeries& series) {
  return rows_of(series, 0, 10);
}

} // namespace backoffctl
