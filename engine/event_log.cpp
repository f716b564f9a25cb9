#include "engine/event_log.hpp"

#include "protocol/timestamp.hpp"
#include "protocol/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace onceswap::engine {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_text = 4'096;

void add(json::object& line, const char* name, const std::string& text) {
    if (!text.empty())
        line[name] = protocol::printable_head(text, longest_text);
}

/// What only events of some kinds have.
void add_facts(json::object& line, const Event& event) {
    switch (event.kind) {
    case EventKind::pass:
    case EventKind::verdict_change:
        line["verdict"] = protocol::text(event.verdict);
        return;
    case EventKind::mutation:
        line["statement"] = protocol::text(event.statement);
        line["outcome"] = protocol::text(event.outcome);
        return;
    case EventKind::wait:
        line["delay_ms"] = event.delay_ms;
        return;
    case EventKind::rows_staged:
        line["count"] = event.count;
        return;
    case EventKind::step:
    case EventKind::finding:
    case EventKind::permit:
    case EventKind::read_retry:
    case EventKind::gap:
        return;
    }
}

} // namespace

std::string json_line(const Event& event, std::int64_t wall_seconds) {
    json::object line;
    line["at"] = protocol::rfc3339(wall_seconds);
    line["event"] = text(event.kind);
    add(line, "name", event.name);
    add(line, "host", event.host);
    add(line, "detail", event.detail);
    add_facts(line, event);
    add(line, "query_id", event.query_id);
    return json::serialize(line);
}

JsonLineSink::JsonLineSink(const Clock& clock, std::function<void(std::string_view)> write, EventSink& next)
    : clock_(clock), write_(std::move(write)), next_(next) {}

void JsonLineSink::on_event(const Event& event) {
    write_(json_line(event, clock_.wall_seconds()) + "\n");
    next_.on_event(event);
}

} // namespace onceswap::engine
