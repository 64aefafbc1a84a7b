#include "backoff_actor/store/lock/internal/network_file_system.hpp"

namespace backoff_actor::detail {

std::string_view network_file_system(long type) {
  // Some systems sign-extend the number.
  switch (static_cast<unsigned long>(type) & 0xffffffffUL) {
  case 0x6969:
    return "NFS";
  case 0x517b:
  case 0xfe534d42:
  case 0xff534d42:
    return "SMB";
  case 0x5346414f:
    return "AFS";
  case 0x00c36400:
    return "Ceph";
  case 0x01021997:
    return "9P";
  default:
    return {};
  }
}

} // namespace backoff_actor::detail
