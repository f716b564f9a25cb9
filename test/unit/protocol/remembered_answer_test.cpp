#include "answers.hpp"
#include "protocol/remembered_answer.hpp"

#include <type_traits>

// The same bytes are decoded once; what is found instead must be what decoding would have given.

using namespace onceswap::protocol;
using namespace answers;

namespace {

struct Timed {
    Timed() = default;

    explicit Timed(std::int64_t now) { identity.now = now; }

    Identity identity;
};

static_assert(!std::is_aggregate_v<Timed>);

} // namespace

BOOST_AUTO_TEST_SUITE(remembered_answer)

BOOST_AUTO_TEST_CASE(only_the_clock_may_differ) {
    const struct {
        const char* kept;
        std::int64_t now;
        const char* asked;
        std::int64_t found; ///< -1: not known
    } rows[] = {
        {"[1796051353, 7]", 1796051353, "[1796051353, 7]", 1796051353},
        {"[1796051353, 7]", 1796051353, "[1796051354, 7]", 1796051354},
        {"[1796051353, 7]", 1796051353, "[1796051354, 8]", -1},
        {"[1796051353, 7]", 1796051353, "[179605135, 7] ", -1},
        {"[1796051353, 7]", 1796051353, "[1796051354, 77]", -1},
        {"[1796051353, 7]", 1796051353, "[0796051354, 7]", -1}, // no JSON
        {"[1796051353, 7]", 1796051353, "[4294967295, 7]", 4294967295},
        {"[1796051353, 7]", 1796051353, "[4294967296, 7]", -1}, // no UInt32
        {"[1796051353, 7]", 1796051353, "[-796051354, 7]", -1},
        {"[1796051353, 7]", 1796051353, "[179605135x, 7]", -1},
        // the same digits twice: which ones are the clock?
        {"[5, 15]", 5, "[6, 15]", -1},
        {"[5, 15]", 5, "[5, 15]", 5},
        {"[5, 15]", 5, "[5, 16]", -1},
        {"[0, 7]", 0, "[1, 7]", -1},
        {"[0, 7]", 0, "[0, 7]", 0},
        {"", 0, "", 0},
    };

    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.kept << " then " << row.asked) {
            onceswap::protocol::answer::RememberedAnswers<Timed> answers;
            answers.keep(row.kept, Timed(row.now));
            const Timed* known = answers.find(row.asked);
            BOOST_TEST((known == nullptr ? -1 : known->identity.now) == row.found);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_has_no_clock_must_be_equal) {
    onceswap::protocol::answer::RememberedAnswers<int> answers;
    answers.keep("[1]", 1);
    answers.keep("[2]", 2);
    BOOST_REQUIRE(answers.find("[1]") != nullptr);
    BOOST_TEST(*answers.find("[1]") == 1);
    BOOST_TEST(*answers.find("[2]") == 2);
    BOOST_TEST(answers.find("[3]") == nullptr);
    BOOST_TEST(answers.find("[11]") == nullptr);
}

BOOST_AUTO_TEST_CASE(it_is_bounded) {
    using Answers = onceswap::protocol::answer::RememberedAnswers<std::size_t>;
    Answers answers;
    for (std::size_t i = 0; i <= Answers::most_answers; ++i)
        answers.keep(std::to_string(i), i);
    BOOST_TEST(answers.find("0") == nullptr); // the oldest one is gone
    BOOST_TEST(answers.find("1") != nullptr);
    BOOST_TEST(answers.find(std::to_string(Answers::most_answers)) != nullptr);
    const std::string long_body(Answers::longest_body + 1, 'x');
    answers.keep(long_body, 7);
    BOOST_TEST(answers.find(long_body) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_catalogue_is_the_same_whether_it_is_decoded_or_found) {
    const std::string body = answers::answer("catalogue");
    const CatalogueFacts decoded_first = decode_catalogue(body).value();
    BOOST_TEST((decode_catalogue(body).value() == decoded_first));
    CatalogueFacts later = decoded_first;
    later.identity.now += 2;
    const std::string later_body =
        with(body, std::to_string(decoded_first.identity.now), std::to_string(later.identity.now));
    BOOST_TEST((decode_catalogue(later_body).value() == later));
    BOOST_TEST((decode_catalogue(body).value() == decoded_first));
    BOOST_TEST(!decode_catalogue(with(body, std::to_string(later.identity.now - 2), "0000000000")));
    BOOST_TEST((decode_catalogue(with(body, "\"26.7.2.1\"", "\"26.7.2.2\"")).value() != decoded_first));
}

BOOST_AUTO_TEST_SUITE_END()
