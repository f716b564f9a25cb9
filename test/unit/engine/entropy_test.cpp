#include "engine/entropy.hpp"
#include "seeded_entropy.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cctype>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>

using namespace onceswap;

namespace {

class Fixed final : public engine::Entropy {
  public:
    explicit Fixed(std::deque<std::uint64_t> values) : values_(std::move(values)) {}

    std::uint64_t next() override {
        const std::uint64_t value = values_.front();
        values_.pop_front();
        return value;
    }

    std::size_t left() const { return values_.size(); }

  private:
    std::deque<std::uint64_t> values_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(entropy)

BOOST_AUTO_TEST_CASE(hex32_shows_all_128_bits) {
    Fixed fixed({0x0123456789abcdefULL, 0xfedcba9876543210ULL});
    BOOST_TEST(fixed.hex32() == "efcdab89674523011032547698badcfe");
}

BOOST_AUTO_TEST_CASE(below_is_in_range_and_even) {
    testing::SeededEntropy seeded(7);
    std::array<unsigned, 6> seen{};
    for (int i = 0; i < 6000; ++i)
        ++seen.at(seeded.below(6));
    for (const unsigned count : seen) {
        BOOST_TEST(count > 850U);
        BOOST_TEST(count < 1150U);
    }
    BOOST_TEST(seeded.below(1) == 0U);
    BOOST_CHECK_THROW(seeded.below(0), std::logic_error);
}

BOOST_AUTO_TEST_CASE(below_throws_away_the_incomplete_interval) {
    const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
    Fixed fixed({top, 4});
    BOOST_TEST(fixed.below(10) == 4U);
    BOOST_TEST(fixed.left() == 0U);
}

BOOST_AUTO_TEST_CASE(the_system_gives_different_values) {
    const auto system = engine::make_system_entropy();
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const std::string text = system->hex32();
        BOOST_TEST(text.size() == 32U);
        BOOST_TEST(std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; }));
        seen.insert(text);
    }
    BOOST_TEST(seen.size() == 100U);
}

BOOST_AUTO_TEST_SUITE_END()
