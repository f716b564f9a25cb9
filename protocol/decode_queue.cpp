#include "protocol/answer_reading.hpp"
#include "protocol/remembered_answer.hpp"

namespace onceswap::protocol {

namespace {

std::map<std::string, std::string> read_map(const answer::Tuple& row, answer::Problem& problem) {
    std::map<std::string, std::string> out;
    const JsonView map = row.value("settings");
    if (map.kind() != JsonView::Kind::object) {
        problem.note(row.place("settings").text() + ": not a map");
        return out;
    }
    map.for_each_pair([&](std::string_view key, JsonView value) {
        out.insert_or_assign(std::string(key), answer::read_text(value, row.place("settings"), problem));
    });
    return out;
}

// What the rows mean is decided elsewhere; here a NULL stays a NULL and an unknown status a word.
Result<QueueRows> read_whole_queue(std::string_view body) {
    answer::Problem problem;
    const answer::Answer answer(body, problem);
    QueueRows out;
    out.server_uuid = answer.server_uuid();
    for (const answer::Tuple& row : answer.list("queue", queue_row_columns)) {
        QueueRow entry;
        entry.entry = row.text("entry");
        entry.entry_version = row.optional_number<std::uint8_t>("entry_version");
        entry.cluster = row.text("cluster");
        entry.query = row.text("query");
        entry.settings = read_map(row, problem);
        entry.query_create_time = row.number<std::uint32_t>("query_create_time");
        entry.host = row.optional_text("host");
        entry.port = row.optional_number<std::uint16_t>("port");
        entry.status = row.optional_text("status");
        entry.exception_code = row.optional_number<std::int64_t>("exception_code");
        entry.exception_text = row.optional_text("exception_text");
        out.rows.push_back(std::move(entry));
    }
    if (answer.has("entries_in_queue"))
        out.entries_in_queue = answer.count("entries_in_queue");
    if (!problem.none())
        return problem.failure(Code::queue_unreadable);
    return out;
}

} // namespace

Result<QueueRows> decode_queue(std::string_view body) {
    return answer::remembered<QueueRows, read_whole_queue>(body);
}

} // namespace onceswap::protocol
