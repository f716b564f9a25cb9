// The one translation unit that holds the bodies of Boost.Asio and Boost.Beast; everybody else sees
// declarations.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
