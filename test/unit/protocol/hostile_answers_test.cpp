#include "answers.hpp"

#include <algorithm>

using namespace answers;

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    out += text;
    out += '"';
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(hostile_answers)

// What holds for every decoder.
BOOST_AUTO_TEST_CASE(every_decoder_wants_the_identity_and_one_row) {
    for (const auto& [name, decode, code, one_row] : decoders) {
        const std::string body = answer(name);
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(!decode(body).has_value());
            refuses(
                decode, code, with(body, "\"server_uuid\"", "\"server\""), "server_uuid: missing", "no column"
            );
            refuses(
                decode,
                code,
                with(body, server.text(), "8a3f0c52"),
                "server_uuid: not the identity",
                "no UUID"
            );
            refuses(decode, code, with(body, server.text(), Uuid().text()), "not the identity", "nil UUID");
            refuses(decode, code, with(body, quoted(server.text()), "null"), "server_uuid", "NULL");
            if (one_row) {
                const std::string row = body.substr(body.find('\n', body.find('\n') + 1) + 1);
                refuses(decode, code, body + row, "2 rows where one identity row", "second identity row");
                refuses(
                    decode,
                    code,
                    body.substr(0, body.size() - row.size()),
                    "0 rows where one",
                    "no identity row"
                );
            }
            refuses(
                decode,
                code,
                body + "Code: 395. DB::Exception: x. (X) (version 24.8.14.39 (official build))\n",
                "malformed",
                "exception appended"
            );
            refuses(
                decode,
                code,
                body + "__exception__\r\nabcdefghijklmnop\r\nCode: 395. DB::Exception: x\r\n",
                "malformed",
                "exception block"
            );
        }
    }
}

BOOST_AUTO_TEST_CASE(no_prefix_of_an_answer_is_decoded) {
    for (const auto& [name, decode, code, one_row] : decoders) {
        const std::string body = answer(name);
        for (std::size_t length = 0; length < body.size(); ++length) {
            // Without its rows the roster is an empty one, which admission compares with the inventory.
            if (!one_row && length > 0 && body[length - 1] == '\n' &&
                std::count(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(length), '\n') == 2)
                continue;
            BOOST_TEST(decode(body.substr(0, length)).has_value(), name << " cut at " << length);
        }
    }
}

// Every list column gone, of another type, or not a list.
BOOST_AUTO_TEST_CASE(every_list_is_demanded) {
    const std::pair<const char*, std::vector<const char*>> table[] = {
        {"catalogue", {"clusters", "databases", "tables", "columns"}},
        {"keeper", {"replicas"}},
        {"capabilities", {"settings", "queue_columns", "views", "ours", "server_settings"}},
        {"authority_row", {"authority"}},
        {"queue_by_token", {"queue"}},
        {"row_policies", {"row_policies"}},
        {"column_types", {"columns"}},
    };
    for (const auto& [name, lists] : table) {
        const auto decoder = std::ranges::find_if(decoders, [&](const auto& one) {
            return std::string_view(one.answer) == name;
        });
        const std::string body = answer(name);
        for (const char* list : lists) {
            refuses(
                decoder->decode,
                decoder->code,
                with(body, quoted(list), "\"other\""),
                std::string(list) + ": missing",
                list
            );
        }
        refuses(
            decoder->decode,
            decoder->code,
            with(body, "Array(Tuple(", "Array(Tuple(x String, "),
            ": the type is not",
            "type"
        );
        refuses(
            decoder->decode,
            decoder->code,
            with(body, "\"Array(Tuple(", "\"Nullable(Tuple("),
            ": the type is not",
            "type"
        );
    }
    const std::string identity[] = {"version", "host_name", "tcp_port", "now"};
    for (const char* name : {"catalogue", "capabilities"}) {
        const auto decoder = std::ranges::find_if(decoders, [&](const auto& one) {
            return std::string_view(one.answer) == name;
        });
        for (const std::string& column : identity)
            refuses(
                decoder->decode,
                decoder->code,
                with(answer(name), quoted(column), "\"other\""),
                column + ": missing",
                column
            );
        refuses(
            decoder->decode,
            decoder->code,
            with(answer(name), "UInt16", "UInt64"),
            "tcp_port: the type is not",
            name
        );
    }
}

BOOST_AUTO_TEST_CASE(hostile_fields) {
    const struct {
        const char* name;
        std::string_view from;
        std::string_view to;
        std::string_view detail;
    } table[] = {
        // tuples of another shape
        {"catalogue_bare", "[\"db\",\"Atomic\",", "[\"db\",", "databases[0]: an array with 2 fields where 3"},
        {"catalogue_bare", "[\"db\",\"Atomic\",", "[\"db\",\"Atomic\",\"x\",", "with 4 fields where 3"},
        {"catalogue", "{\"name\":\"db\",", "{\"nam\":\"db\",", "databases[0].name: missing"},
        {"catalogue", "{\"name\":\"db\",", "{\"x\":1,\"name\":\"db\",", "with 4 fields where 3"},
        {"catalogue", "[{\"name\":\"db\",", "[null,{\"name\":\"db\",", "databases[0]: NULL with 0 fields"},
        {"catalogue", "[{\"name\":\"db\",", "[7,{\"name\":\"db\",", "databases[0]: the number 7"},
        // numbers
        {"catalogue", "\"port\":19101", "\"port\":65536", "clusters[0].port: not an integer from 0 to 65535"},
        {"catalogue", "\"port\":19101", "\"port\":-1", "clusters[0].port: not an integer"},
        {"catalogue", "\"port\":19101", "\"port\":19101.0", "a fraction"},
        {"catalogue", "\"port\":19101", "\"port\":1e4", "a fraction"},
        {"catalogue",
         "\"port\":19101",
         "\"port\":null",
         "clusters[0].port: not an integer from 0 to 65535 but NULL"},
        {"catalogue", "\"port\":19101", "\"port\":true", "a boolean"},
        {"catalogue", "\"port\":19101", "\"port\":\"\"", "a text of 0 bytes"},
        {"catalogue", "\"port\":19101", "\"port\":\" 19101\"", "a text of 6 bytes"},
        {"catalogue", "\"port\":19101", "\"port\":\"+1\"", "a text of 2 bytes"},
        {"catalogue", "\"port\":19101", "\"port\":\"0x10\"", "a text of 4 bytes"},
        {"catalogue", "\"port\":19101", "\"port\":\"1\\u0000\"", "a text of 2 bytes"},
        {"catalogue", "\"is_local\":1", "\"is_local\":2", "clusters[0].is_local: not an integer from 0 to 1"},
        {"catalogue", "\"is_local\":1", "\"is_local\":true", "clusters[0].is_local"},
        {"catalogue", "\"position\":\"1\"", "\"position\":\"18446744073709551616\"", "columns[0].position"},
        {"catalogue", "\"position\":\"1\"", "\"position\":18446744073709551616", "beyond 64 bits"},
        {"catalogue", "\"position\":\"1\"", "\"position\":\"-1\"", "columns[0].position"},
        {"catalogue", "\"position\":\"1\"", "\"position\":\"2\"", "in one position"},
        {"keeper", "\"_version\":1", "\"_version\":2147483648", "authority[0]._version"},
        {"keeper", "\"_version\":1", "\"_version\":\"-2147483649\"", "authority[0]._version"},
        {"keeper", "\"_version\":1", "\"_version\":null", "authority[0]._version"},
        {"keeper", "\"dispatch_epoch\":\"1\"", "\"dispatch_epoch\":\"1.0\"", "authority[0].dispatch_epoch"},
        {"keeper", "\"log_pointer\":\"0\"", "\"log_pointer\":null", "replicas[0].log_pointer"},
        {"queue_by_token", "\"entry_version\":5", "\"entry_version\":256", "queue[0].entry_version"},
        {"queue_by_token", "\"port\":19101", "\"port\":99999", "queue[0].port"},
        {"queue_by_token",
         "\"exception_code\":\"57\"",
         "\"exception_code\":\"nan\"",
         "queue[0].exception_code"},
        {"queue_unfinished", "\"2\", [", "null, [", "entries_in_queue: not an integer"},
        {"row_count", "\"0\"]", "null]", "rows: not an integer from 0 to 18446744073709551615 but NULL"},
        {"row_count", "\"0\"]", "-1]", "the number -1"},
        {"row_count", "Nullable(UInt64)", "Nullable(UInt32)", "rows: the type is not UInt64"},
        {"row_count", "Nullable(UInt64)", "Int64", "rows: the type is not UInt64"},
        {"column_types", "\"position\":\"1\"", "\"position\":\"2\"", "two in one position"},
        {"capabilities", "\"50000000000\"", "\"unlimited\"", "server_settings[0].value: not a number of bytes"
        },
        {"capabilities", "\"readonly\":0", "\"readonly\":256", "settings[0].readonly"},
        {"roster", "[1, ", "[\"x\", ", "rows[0].shard_num"},
        {"roster", "\"UInt32\"", "\"Int32\"", "shard_num: missing, or the type is not UInt32"},
        // texts and lists of texts
        {"catalogue", "\"engine\":\"Atomic\"", "\"engine\":null", "databases[0].engine: not a text but NULL"},
        {"catalogue", "\"engine\":\"Atomic\"", "\"engine\":[\"Atomic\"]", "not a text but an array"},
        {"catalogue", "\"uuid\":\"b7bf71d8", "\"uuid\":\"x7bf71d8", "databases[0].uuid: not a UUID"},
        {"catalogue", "\"dependencies_table\":[]", "\"dependencies_table\":null", "not an array but NULL"},
        {"catalogue", "\"dependencies_table\":[]", "\"dependencies_table\":[\"x\"]", "not as many as in"},
        {"catalogue",
         "\"dependencies_table\":[\"mv\"]",
         "\"dependencies_table\":[1]",
         "not a text but the number 1"},
        {"keeper", "\"payload\":\"{}\"", "\"payload\":{}", "authority[0].payload: not a text but an object"},
        {"queue_by_token",
         "\"settings\":{\"log_comment\":\"tok\"",
         "\"settings\":{\"log_comment\":null",
         "queue[0].settings"},
        {"queue_by_token",
         "\"settings\":{\"log_comment\":\"tok\",\"x\":\"1\"}",
         "\"settings\":[]",
         "settings: not a map"},
        {"queue_by_token",
         "\"query\":\"EXCHANGE",
         "\"query\":null,\"q\":\"EXCHANGE",
         "with 12 fields where 11"},
        {"queue_by_token", "\"entry\":\"query-0000000001\"", "\"entry\":null", "queue[0].entry: not a text"},
        // one thing twice
        {"catalogue", "\"name\":\"cand\"", "\"name\":\"target\"", "tables: one table twice"},
        {"keeper", "\"table_name\":\"cand\"", "\"table_name\":\"target\"", "replicas: target twice"},
        {"keeper_bare",
         "[[\"k'1\",",
         "[[\"k\",\"\",\"\",\"\",0,\"\",\"\",0],[\"k'1\",",
         "authority: 2 rows under one key"},
    };

    for (const auto& [name, from, to, detail] : table) {
        std::string kind = name;
        if (kind.ends_with("_bare"))
            kind.resize(kind.size() - 5);
        const auto decoder =
            std::ranges::find_if(decoders, [&](const auto& one) { return kind == one.answer; });
        BOOST_REQUIRE_MESSAGE(decoder != std::end(decoders), kind);
        refuses(
            decoder->decode,
            decoder->code,
            with(answer(name), from, to),
            detail,
            std::string(name) + " " + std::string(to)
        );
    }
}

BOOST_AUTO_TEST_SUITE_END()
