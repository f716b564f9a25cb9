#include "protocol/outcome.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;

constexpr MutationKind kinds[] = {MutationKind::authority, MutationKind::ddl, MutationKind::insert};

std::string name(MutationKind kind) {
    return kind == MutationKind::authority ? "authority" : kind == MutationKind::ddl ? "ddl" : "insert";
}

ReplyEvidence refusal(int code, std::string text, unsigned status = 500) {
    ReplyEvidence evidence;
    evidence.bytes_handed_over = 700;
    evidence.reply_complete = true;
    evidence.status = status;
    evidence.exception = ServerException{code, std::move(text)};
    return evidence;
}

ReplyEvidence refusal(int code) {
    return refusal(
        code, "Code: " + std::to_string(code) + ". DB::Exception: Something. (NAME) (version 24.8)"
    );
}

ReplyEvidence success() {
    ReplyEvidence evidence;
    evidence.bytes_handed_over = 700;
    evidence.reply_complete = true;
    evidence.status = 200;
    evidence.success_shape = true;
    return evidence;
}

BOOST_AUTO_TEST_SUITE(outcome)

// The page's lists, written down a second time: every code from 0 to 1100 must fall into exactly what they
// say.
BOOST_AUTO_TEST_CASE(every_code_for_every_kind) {
    const std::set<int> common{62, 115, 164, 192, 193, 194, 381, 452, 456, 457, 497, 512, 516};
    const std::set<int> authority{16, 36, 47, 60, 81, 290};
    const std::set<int> ddl{392, 701};
    const std::set<int> host{48, 57, 60, 81};
    std::size_t rejected = 0;
    for (const MutationKind kind : kinds)
        for (int code = 0; code <= 1100; ++code) {
            Outcome expected = Outcome::outcome_unknown;
            if (common.contains(code) || (kind == MutationKind::authority && authority.contains(code)) ||
                (kind == MutationKind::ddl && ddl.contains(code)))
                expected = Outcome::rejected;
            else if (kind == MutationKind::ddl && host.contains(code))
                expected = Outcome::host_failed;
            rejected += expected == Outcome::rejected;
            BOOST_TEST_CONTEXT(name(kind) << " code " << code)
            BOOST_TEST(text(classify_outcome(kind, refusal(code))) == text(expected));
        }
    BOOST_TEST(rejected == 3 * common.size() + authority.size() + ddl.size());
}

struct Row {
    const char* what;
    ReplyEvidence evidence;
    Outcome authority;
    Outcome ddl;
    Outcome insert;
};

BOOST_AUTO_TEST_CASE(the_six_rows) {
    constexpr Outcome unknown = Outcome::outcome_unknown;
    const auto changed = [](ReplyEvidence evidence, auto change) {
        change(evidence);
        return evidence;
    };
    const std::string on_host =
        "There was an error on [ch2:9000]: Code: 57. DB::Exception: Table d.t already exists. "
        "(TABLE_ALREADY_EXISTS) (version 24.8). (TABLE_ALREADY_EXISTS)";
    const std::vector<Row> rows{
        // 1
        {"nothing handed over", ReplyEvidence{}, Outcome::not_sent, Outcome::not_sent, Outcome::not_sent},
        {"a reply before the request",
         changed(success(), [](auto& e) { e.bytes_handed_over = 0; }),
         Outcome::not_sent,
         Outcome::not_sent,
         Outcome::not_sent},
        {"an error before the request",
         changed(refusal(62), [](auto& e) { e.bytes_handed_over = 0; }),
         Outcome::not_sent,
         Outcome::not_sent,
         Outcome::not_sent},
        // 2
        {"success", success(), Outcome::acknowledged, Outcome::acknowledged, Outcome::acknowledged},
        {"one byte and success",
         changed(success(), [](auto& e) { e.bytes_handed_over = 1; }),
         Outcome::acknowledged,
         Outcome::acknowledged,
         Outcome::acknowledged},
        {"success, truncated",
         changed(success(), [](auto& e) { e.reply_complete = false; }),
         unknown,
         unknown,
         unknown},
        {"200 of another shape",
         changed(success(), [](auto& e) { e.success_shape = false; }),
         unknown,
         unknown,
         unknown},
        {"204", changed(success(), [](auto& e) { e.status = 204; }), unknown, unknown, unknown},
        {"200 with an exception",
         changed(success(), [](auto& e) { e.exception = ServerException{209, ""}; }),
         unknown,
         unknown,
         unknown},
        {"200 with a refusal's code",
         changed(success(), [](auto& e) { e.exception = ServerException{62, ""}; }),
         unknown,
         unknown,
         unknown},
        {"request written, end of stream",
         changed(success(), [](auto& e) { e.reply_complete = e.success_shape = false, e.status = 0; }),
         unknown,
         unknown,
         unknown},
        // 3
        {"syntax error",
         refusal(62, "Code: 62. DB::Exception: Syntax error", 400),
         Outcome::rejected,
         Outcome::rejected,
         Outcome::rejected},
        {"code from the header alone",
         refusal(497, "", 403),
         Outcome::rejected,
         Outcome::rejected,
         Outcome::rejected},
        {"18.x",
         refusal(62, "Code: 62, e.displayText() = DB::Exception: Syntax error", 400),
         Outcome::rejected,
         Outcome::rejected,
         Outcome::rejected},
        {"18.x of a host",
         refusal(
             57, "Code: 57, e.displayText() = DB::Exception: There was an error on [h:9000]: Code: 57", 500
         ),
         unknown,
         Outcome::host_failed,
         unknown},
        {"refusal, truncated",
         changed(refusal(62), [](auto& e) { e.reply_complete = false; }),
         unknown,
         unknown,
         unknown},
        {"refusal's code of a host",
         refusal(
             497,
             "Code: 497. DB::Exception: There was an error on [ch2:9000]: Code: 497. DB::Exception: No.",
             403
         ),
         unknown,
         Outcome::host_failed,
         unknown},
        {"DDL refusal's code of a host",
         refusal(
             701, "Code: 701. DB::Exception: There was an error on [ch2:9000]: Code: 701. DB::Exception: No."
         ),
         unknown,
         Outcome::host_failed,
         unknown},
        {"host error quoted further on",
         refusal(62, "Code: 62. DB::Exception: Cannot parse 'There was an error on [a:1]'", 400),
         unknown,
         unknown,
         unknown},
        {"refusal quoted in another error",
         refusal(999, "Code: 999. Coordination::Exception: Code: 62. DB::Exception: Syntax error"),
         unknown,
         unknown,
         unknown},
        {"header and body disagree",
         refusal(62, "Code: 999. Coordination::Exception: Connection loss"),
         unknown,
         unknown,
         unknown},
        {"a balancer's 502 with a code",
         refusal(62, "Code: 62. DB::Exception: Syntax error", 502),
         unknown,
         unknown,
         unknown},
        {"a balancer's 301", refusal(516, "", 301), unknown, unknown, unknown},
        {"429", refusal(516, "", 429), unknown, unknown, unknown},
        {"a status that is none", refusal(516, "", 600), unknown, unknown, unknown},
        {"an error without a code",
         changed(refusal(0), [](auto& e) { e.exception.reset(), e.status = 500; }),
         unknown,
         unknown,
         unknown},
        // 4
        {"bad version",
         refusal(
             999, "Code: 999. Coordination::Exception: Transaction failed (Bad version): Op #0, path: /x"
         ),
         Outcome::conflict,
         unknown,
         unknown},
        {"node exists",
         refusal(999, "Code: 999. DB::Exception: Transaction failed (Node exists): Op #0, path: /x"),
         Outcome::conflict,
         unknown,
         unknown},
        {"no node",
         refusal(999, "Code: 999. Coordination::Exception: Transaction failed (No node): Op #0, path: /x"),
         Outcome::conflict,
         unknown,
         unknown},
        {"connection loss",
         refusal(999, "Code: 999. Coordination::Exception: Coordination error: Connection loss"),
         unknown,
         unknown,
         unknown},
        {"connection loss that quotes a bad version",
         refusal(999, "Code: 999. Coordination::Exception: Session expired, earlier: (Bad version)"),
         unknown,
         unknown,
         unknown},
        {"bad version, truncated",
         changed(
             refusal(999, "Code: 999. Transaction failed (Bad version)"),
             [](auto& e) { e.reply_complete = false; }
         ),
         unknown,
         unknown,
         unknown},
        {"bad version of another code",
         refusal(242, "Code: 242. DB::Exception: (Bad version)"),
         unknown,
         unknown,
         unknown},
        {"bad version without brackets",
         refusal(999, "Code: 999. DB::Exception: Bad version"),
         unknown,
         unknown,
         unknown},
        // 5
        {"host error",
         refusal(57, "Code: 57. DB::Exception: " + on_host),
         unknown,
         Outcome::host_failed,
         unknown},
        {"host error, text alone", refusal(57, on_host), unknown, Outcome::host_failed, unknown},
        {"any code of a host",
         refusal(
             630,
             "Code: 630. DB::Exception: There was an error on [ch2:9000]: Code: 630. DB::Exception: "
             "Dependents"
         ),
         unknown,
         Outcome::host_failed,
         unknown},
        {"timeout of a host",
         refusal(159, "Code: 159. DB::Exception: There was an error on [ch2:9000]: Code: 159", 408),
         unknown,
         Outcome::host_failed,
         unknown},
        {"missing table",
         refusal(60, "Code: 60. DB::Exception: Table d.x doesn't exist", 404),
         Outcome::rejected,
         Outcome::host_failed,
         unknown},
        {"host error, truncated",
         changed(
             refusal(57, "Code: 57. DB::Exception: " + on_host), [](auto& e) { e.reply_complete = false; }
         ),
         unknown,
         unknown,
         unknown},
        // 6
        {"still waiting",
         refusal(
             159, "Code: 159. DB::Exception: Distributed DDL task /q/query-0000000007 is not finished", 408
         ),
         unknown,
         unknown,
         unknown},
        {"same query id", refusal(216), unknown, unknown, unknown},
        {"cleaned away", refusal(341), unknown, unknown, unknown},
        {"not activated", refusal(668), unknown, unknown, unknown},
        {"unparsable row",
         refusal(27, "Code: 27. DB::Exception: Cannot parse input", 400),
         unknown,
         unknown,
         unknown},
        {"a negative code", refusal(-1, "Code: -1. DB::Exception: x"), unknown, unknown, unknown},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.what) {
            BOOST_TEST(text(classify_outcome(MutationKind::authority, row.evidence)) == text(row.authority));
            BOOST_TEST(text(classify_outcome(MutationKind::ddl, row.evidence)) == text(row.ddl));
            BOOST_TEST(text(classify_outcome(MutationKind::insert, row.evidence)) == text(row.insert));
        }
    }
}

// Whatever the reply, an incomplete one never becomes a verdict on the statement, and a conflict is only an
// authority's.
BOOST_AUTO_TEST_CASE(soundness_over_the_product) {
    const std::vector<std::optional<ServerException>> exceptions{
        std::nullopt,
        ServerException{62, "Code: 62. DB::Exception: x"},
        ServerException{999, "Code: 999. Coordination::Exception: Transaction failed (Bad version)"},
        ServerException{57, "Code: 57. DB::Exception: There was an error on [h:1]: x"},
        ServerException{159, "Code: 159. DB::Exception: x"},
    };
    for (const MutationKind kind : kinds)
        for (const std::uint64_t bytes : {0U, 1U, 900U})
            for (const bool complete : {false, true})
                for (const bool shape : {false, true})
                    for (const unsigned status : {0U, 100U, 200U, 301U, 404U, 408U, 500U, 502U})
                        for (const auto& exception : exceptions) {
                            const ReplyEvidence evidence{bytes, complete, status, exception, shape};
                            const Outcome outcome = classify_outcome(kind, evidence);
                            BOOST_TEST_CONTEXT(
                                name(kind)
                                << " bytes " << bytes << " complete " << complete << " shape " << shape
                                << " status " << status << " code " << (exception ? exception->code : 0)
                            ) {
                                BOOST_TEST((outcome == Outcome::not_sent) == (bytes == 0));
                                if (bytes != 0 && !complete)
                                    BOOST_TEST(text(outcome) == text(Outcome::outcome_unknown));
                                if (outcome == Outcome::acknowledged)
                                    BOOST_TEST((shape && status == 200 && !exception));
                                if (outcome == Outcome::conflict)
                                    BOOST_TEST((kind == MutationKind::authority));
                                if (outcome == Outcome::host_failed)
                                    BOOST_TEST((kind == MutationKind::ddl));
                                if (outcome == Outcome::rejected)
                                    BOOST_TEST((exception && exception->code == 62 && status >= 400));
                            }
                        }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
