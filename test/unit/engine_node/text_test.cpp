#include "fixtures/engine_node/ddl_entry.hpp"
#include "fixtures/engine_node/ddl_queue.hpp"
#include "fixtures/engine_node/engine_error.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::engine_node;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(an_entry_survives_its_text) {
    DdlEntry entry;
    entry.query = "CREATE TABLE a.`b\n'c'` ON CLUSTER c COMMENT 'x\\ty'";
    entry.hosts = {{"ch-1", 9000}, {"127.0.0.1", 19101}, {"::1", 9440}};
    entry.initiator = {"ch-1.example", 9000};
    entry.settings = {{"log_comment", "it's, a = 'token'\n"}, {"distributed_ddl_task_timeout", "-1"}};
    entry.initial_query_id = "q 1";
    const std::string text = to_text(entry);
    BOOST_TEST(text.starts_with("version: 5\nquery: CREATE TABLE a.`b\\n\\'c\\'` ON CLUSTER c"));
    BOOST_TEST(
        text.find("\nhosts: ['ch%2D1:9000','127%2E0%2E0%2E1:19101','%3A%3A1:9440']\n") != std::string::npos
    );
    const DdlEntry read = ddl_entry_from_text(text);
    BOOST_TEST(read.version == 5U);
    BOOST_TEST(read.query == entry.query);
    BOOST_TEST((read.hosts == entry.hosts));
    BOOST_TEST((read.initiator == entry.initiator));
    BOOST_TEST((read.settings == entry.settings));
    BOOST_TEST(read.initial_query_id == entry.initial_query_id);
    for (const char* wrong :
         {"", "version: x\n", "version: 5\nquery: a\nhosts: ['h']\n", "version: 5\nhosts: []\n"})
        BOOST_CHECK_THROW(ddl_entry_from_text(wrong), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(a_status_is_a_code_and_a_text) {
    const HostPort host{"h", 1};
    BOOST_TEST(DdlQueue::read_status(host, "0\n").code == 0);
    const DdlQueue::Status failed = DdlQueue::read_status(host, "57\nCode: 57. DB::Exception: a\\nb\\'c");
    BOOST_TEST(failed.code == 57);
    BOOST_TEST(failed.text == "Code: 57. DB::Exception: a\nb'c");
    BOOST_TEST(cluster_of("RENAME TABLE a.b TO a.c ON CLUSTER x") == "x");
    BOOST_TEST(cluster_of("RENAME TABLE a.b TO a.c") == "");
}

BOOST_AUTO_TEST_CASE(an_error_that_is_wrapped_is_one_error) {
    struct Row {
        const char* said;
        int code;
        const char* whole;
    };

    const Row rows[] = {
        {"Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE)",
         60,
         "Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE) (version V (official build))"},
        {"Code: 999. DB::Exception: Code: 999. Coordination::Exception: Transaction failed (Node exists): Op "
         "#0, path: /a. "
         "(KEEPER_EXCEPTION) (version 26.7.2.1). (KEEPER_EXCEPTION)",
         999,
         "Code: 999. Coordination::Exception: Transaction failed (Node exists): Op #0, path: /a. "
         "(KEEPER_EXCEPTION) "
         "(version V (official build))"},
        {"Code: 279. DB::Exception: All tries failed: Code: 210. DB::NetException: refused. "
         "(ALL_CONNECTION_TRIES_FAILED)",
         279,
         "Code: 279. DB::Exception: All tries failed: Code: 210. DB::NetException: refused. "
         "(ALL_CONNECTION_TRIES_FAILED) "
         "(version V (official build))"},
        {"no code at all",
         1002,
         "Code: 1002. DB::Exception: no code at all (UNKNOWN_EXCEPTION) (version V (official build))"},
    };
    for (const Row& row : rows) {
        const EngineError error = engine_error(row.said);
        BOOST_TEST(error.code() == row.code);
        BOOST_TEST(error.whole("V") == row.whole);
    }
}

BOOST_AUTO_TEST_SUITE_END()
