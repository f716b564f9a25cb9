#define BOOST_TEST_MODULE onceswap
#include <boost/test/unit_test.hpp>
