#pragma once

#include <memory>
#include <string>

namespace http_api {

/// An HTTP service on 127.0.0.1 that charges orders, in threads of its own for as long as this
/// object lives. `POST /charges` takes the name of an order as its body. Each of these is charged
/// at the second call:
///
///     busy      the first call gets 503 with `Retry-After: 1`
///     slow      the first call gets no answer within a second
///     broken    the first call gets 500
///
/// `unpaid` gets 422 each time. Every other order is charged at once.
class PaymentService {
public:
  /// @errors throws `std::runtime_error` if there is no port for it.
  PaymentService();
  ~PaymentService();

  std::string url() const;

  /// How many calls came for `busy` before the second was over.
  int too_early() const;

private:
  class Implementation;

  std::unique_ptr<Implementation> implementation_;
};

} // namespace http_api
