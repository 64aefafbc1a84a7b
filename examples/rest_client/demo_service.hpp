#pragma once

#include <memory>
#include <string>

namespace rest_client {

/// An HTTP service on 127.0.0.1 with something wrong at each address, in threads of its own for as
/// long as this object lives:
///
///     /unsteady   503 twice, then 200
///     /busy       429 with `Retry-After: 2`, for two seconds from the first request on, then 200
///     /missing    404
class DemoService {
public:
  /// @errors throws `std::runtime_error` if there is no port for it.
  DemoService();
  ~DemoService();

  std::string url() const;

  /// How many calls came while it had asked to be left alone.
  int too_early() const;

private:
  class Implementation;

  std::unique_ptr<Implementation> implementation_;
};

} // namespace rest_client
