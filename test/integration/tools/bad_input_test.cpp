#include "tools/cli/option_table.hpp"
#include "workshop.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(bad_input)

namespace {

using Rows = std::vector<std::int64_t>;

} // namespace

// Input that cannot be loaded: one line that names the place, exit code 2, target untouched, nothing staged
// remains.
BOOST_AUTO_TEST_CASE(rows_that_do_not_fit) {
    SimProcess sim({"--rows", "7"});
    const Workshop workshop;
    const std::string good = "{\"id\":1,\"name\":\"a\"}\n";

    const struct {
        std::string name;
        std::string content;
        std::string expected; ///< behind the file's name
    } rows[] = {
        {"syntax", good + "{\"id\":1,}\n", ":2:9: malformed JSON"},
        {"cut", good + good + "{\"id\":1", ":3:8: malformed JSON: the line ends inside the object"},
        {"unknown",
         "\n" + good + "{\"id\":1,\"s3cret\":1}",
         ":3:9: unknown field `s3cret`: the table has no such column"},
        {"range",
         "{\"id\":18446744073709551616}",
         ":1:7: `id`: out of range for UInt64 (0 to 18446744073709551615)"},
        {"type", "{\"id\":1,\"name\":5}", ":1:16: `name`: expected a string for String"},
        {"array", "[" + good + "]", ":1:1: a row must be a JSON object, one on each line"},
        {"gzip", "\x1f\x8b\x08nonsense that is no gzip at all", ": gzip data is corrupt at byte"},
        {"cut_gzip", "\x1f\x8b", ": gzip data is cut short at byte 2"},
    };

    for (const auto& row : rows) {
        const std::string path = workshop.file(row.name, row.content);
        const Ended ended =
            run(refresh_load(),
                Words{"publish"} + sim.where() +
                    Words{"--from", path, "--execute", "--invocation-id", row.name});
        BOOST_TEST_CONTEXT(row.name << "\n" << describe(ended)) {
            BOOST_TEST(ended.code == 2);
            BOOST_TEST(lines(ended.err) == 1);
            BOOST_TEST(ended.err.starts_with("refresh-load: ONCESWAP_INPUT_MALFORMED: " + path + row.expected)
            );
            BOOST_TEST((sim.rows_of("target") == Rows{7, 7}));
            BOOST_TEST(sim.phase() == "");
            BOOST_TEST(sim.candidates().empty());
        }
    }
    BOOST_TEST(sim.requests_of("insert_rows") == 0);
    BOOST_TEST(sim.requests_of("exchange") == 0);
}

BOOST_AUTO_TEST_CASE(standard_input_is_named_too) {
    SimProcess sim;
    const Ended ended =
        run(refresh_load(),
            Words{"publish"} + sim.where() + Words{"--from", "-", "--execute", "--invocation-id", "i"},
            "{\"id\":1}\n{\"id\":true}\n");
    BOOST_TEST(ended.code == 2, describe(ended));
    BOOST_TEST(
        ended.err ==
        "refresh-load: ONCESWAP_INPUT_MALFORMED: <stdin>:2:7: `id`: expected a number for UInt64\n"
    );
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read) {
    SimProcess sim;
    for (const char* path : {"/nowhere/rows.ndjson", "/tmp"}) {
        const Ended ended =
            run(refresh_load(),
                Words{"publish"} + sim.where() + Words{"--from", path, "--execute", "--invocation-id", "i"});
        BOOST_TEST(ended.code == 2, describe(ended));
        BOOST_TEST(lines(ended.err) == 1, describe(ended));
        BOOST_TEST(
            ended.err.starts_with(std::string("refresh-load: ") + path + ": cannot be read: "), ended.err
        );
    }
    BOOST_TEST(sim.mutations() == 0);
}

// Every option that names a file, from the table of options: one that is not there, and a folder.
BOOST_AUTO_TEST_CASE(files_of_every_option) {
    const Words where{"--url", "http://127.0.0.1:1", "--cluster", "c1", "--table", "db.target"};
    std::size_t options = 0;
    for (const onceswap::cli::OptionRow& row : onceswap::cli::option_table()) {
        if (row.value_name != "FILE")
            continue;
        ++options;
        const std::string option = "--" + std::string(row.name);
        const bool of_serve =
            (row.verbs & onceswap::cli::for_status) == 0 && (row.verbs & onceswap::cli::for_serve) != 0;
        const bool of_watch = row.name == "metrics-file";
        const bool loads = row.name == "from";
        for (const std::string path : {"/nowhere/file", "/tmp"}) {
            Words words = loads ? Words{"publish", "--execute", "--invocation-id", "i"}
                                : Words{
                                      of_serve   ? "serve"
                                      : of_watch ? "watch"
                                                 : "status"
                                  };
            words = words + where + Words{option, path};
            if (row.name == "cert" || row.name == "key")
                words = words + Words{row.name == "cert" ? "--key" : "--cert", path};
            const Ended ended = run(loads ? refresh_load() : reconcile_watch(), words);
            BOOST_TEST_CONTEXT(describe(ended)) {
                BOOST_TEST(ended.code == 2);
                BOOST_TEST(ended.out == "");
                BOOST_TEST(lines(ended.err) == 1U);
                BOOST_TEST(contains(ended.err, path));
            }
        }
    }
    BOOST_TEST(options >= 10U);
}

BOOST_AUTO_TEST_CASE(what_the_cluster_refuses) {
    const Workshop workshop;
    const std::string scenario = workshop.file("scenario.json", R"({"users":[
        {"name":"default"},
        {"name":"poor","password":"s3cret","grants":["GRANT SELECT ON db.* TO poor"]}]})");
    SimProcess sim({"--scenario", scenario});
    const std::string rows = workshop.rows("rows.ndjson", 3);
    const std::string password = workshop.file("password", "s3cret\n");
    const std::string wrong = workshop.file("wrong", "n0t it\n");
    for (const std::string& file : {password, wrong})
        std::filesystem::permissions(file, std::filesystem::perms(0600));
    Words urls;
    for (const std::string& url : sim.urls())
        urls = urls + Words{"--url", url};

    const struct {
        Words words;
        int code;
        std::string expected;
    } table[] = {
        {urls + Words{"--cluster", "c1", "--table", "db.nope"}, 8, "ONCESWAP_TARGET_ABSENT: "},
        {urls + Words{"--cluster", "c1", "--table", "nope.target"}, 8, "ONCESWAP_DATABASE_UNSUPPORTED: "},
        {urls + Words{"--cluster", "nope", "--table", "db.target"}, 8, "ONCESWAP_INVENTORY_INCOMPLETE: "},
        {Words{"--url", sim.urls().front(), "--cluster", "c1", "--table", "db.target"},
         8,
         "ONCESWAP_INVENTORY_INCOMPLETE: "},
        {urls +
             Words{"--cluster", "c1", "--table", "db.target", "--user", "poor", "--password-file", password},
         8,
         "ONCESWAP_ACCESS_INSUFFICIENT: "},
        {urls + Words{"--cluster", "c1", "--table", "db.target", "--user", "poor", "--password-file", wrong},
         0,
         "ONCESWAP_"},
        {Words{
             "--url",
             "http://127.0.0.1:1",
             "--url",
             "http://127.0.0.1:2",
             "--cluster",
             "c1",
             "--table",
             "db.target"
         },
         1,
         "ONCESWAP_CONNECTION_FAILED: "},
        {Words{
             "--host",
             "127.0.0.1",
             "--http-port",
             sim.urls().front().substr(sim.urls().front().rfind(':') + 1),
             "--cluster",
             "nope",
             "--table",
             "db.target"
         },
         8,
         "ONCESWAP_INVENTORY_INCOMPLETE: "},
    };

    for (const auto& row : table) {
        const Ended ended =
            run(refresh_load(),
                Words{"publish"} + row.words + Words{"--from", rows, "--execute", "--invocation-id", "i"});
        BOOST_TEST_CONTEXT(row.expected << "\n" << describe(ended)) {
            if (row.code != 0)
                BOOST_TEST(ended.code == row.code);
            BOOST_TEST(ended.code > 0);
            BOOST_TEST(lines(ended.err) == 1);
            BOOST_TEST(ended.err.starts_with("refresh-load: " + row.expected));
            for (const char* secret : {"s3cret", "n0t it"}) {
                BOOST_TEST(ended.err.find(secret) == std::string::npos);
                BOOST_TEST(ended.out.find(secret) == std::string::npos);
            }
        }
    }
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
