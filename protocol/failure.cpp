#include "protocol/failure.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/system_error.hpp>

namespace onceswap::protocol {

void throw_exception_from_error(const Failure& failure, const boost::source_location& where) {
    static_cast<void>(where); // the detail says what was seen; a line of this source helps no operator
    throw boost::system::system_error(make_error_code(failure.code), failure.detail);
}

} // namespace onceswap::protocol
