#include "acceptance/model_faults.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace onceswap::acceptance::model {

namespace json = boost::json;
using sim::Effect;
using sim::Fault;
using sim::Match;
using sim::Point;
using sim::StatementClass;

namespace {

constexpr std::string_view own_database = "db";

StatementClass class_of(Statement statement) {
    switch (statement) {
    case Statement::exchange:
        return StatementClass::exchange;
    case Statement::rename:
        return StatementClass::rename;
    case Statement::drop:
        return StatementClass::drop;
    case Statement::record_write:
        return StatementClass::authority_update;
    }
    return StatementClass::other;
}

Point point_of(WorkerPoint point) {
    switch (point) {
    case WorkerPoint::before_active:
        return Point::worker_before_active;
    case WorkerPoint::after_execute:
        return Point::worker_after_execute;
    }
    return Point::worker_before_active;
}

Fault at_worker(std::size_t member, WorkerPoint point, Statement statement, Effect effect) {
    Match match(class_of(statement));
    match.member = member;
    Fault fault(point_of(point), match, effect);
    fault.on = member;
    return fault;
}

Fault now_on(std::size_t member, Effect effect) {
    Fault fault(sim::Time{}, effect);
    fault.on = member;
    return fault;
}

} // namespace

Occasion::Occasion(Statement statement, unsigned nth_) : match(class_of(statement)), nth(nth_) {
    if (statement != Statement::record_write)
        return;
    if (nth_ == 1)
        match.statement_class = StatementClass::authority_insert;
    else
        nth = nth_ - 1;
}

Fault lost_response(Statement statement) {
    return Fault(Point::effect, Match(class_of(statement)), Effect::reset);
}

Fault lost_record_write(unsigned nth, bool committed) {
    const Occasion occasion(Statement::record_write, nth);
    Fault fault(committed ? Point::after_commit : Point::before_commit, occasion.match, Effect::keeper_loss);
    fault.nth = occasion.nth;
    return fault;
}

Fault held_worker(std::size_t member, WorkerPoint point, Statement statement) {
    return at_worker(member, point, statement, Effect::stop_worker);
}

Fault started_worker(std::size_t member) {
    return now_on(member, Effect::start_worker);
}

Fault crashed_member(std::size_t member, WorkerPoint point, Statement statement) {
    return at_worker(member, point, statement, Effect::crash);
}

Fault restarted_member(std::size_t member) {
    return now_on(member, Effect::restart);
}

Fault refused_host(std::size_t member, Statement statement) {
    Match match(class_of(statement));
    match.member = member;
    Fault fault(Point::worker_after_active, match, Effect::host_error);
    fault.times = 0;
    fault.code = 630;
    fault.text = "Code: 630. DB::Exception: Cannot drop or rename db.x, because some tables depend on it: "
                 "db.blocker. (HAVE_DEPENDENT_OBJECTS)";
    return fault;
}

Fault healed() {
    return Fault(sim::Time{}, Effect::heal);
}

Fault outsiders_statement(std::size_t member, const std::string& sql, const std::string& comment) {
    Fault fault = now_on(member, Effect::run_sql);
    fault.text = sql;
    if (!comment.empty())
        fault.settings.emplace_back("log_comment", comment);
    return fault;
}

Fault queue_row(
    const std::string& host, const std::string& status, std::optional<int> code, const std::string& text
) {
    Fault fault(sim::Time{}, Effect::edit_queue);
    fault.queue_edit.what = sim::QueueEdit::What::set;
    fault.queue_edit.token = "-publish-";
    fault.queue_edit.host = host;
    fault.queue_edit.status = status;
    fault.queue_edit.exception_code = code ? std::to_string(*code) : "NULL";
    fault.queue_edit.exception_text = code ? text : std::string("NULL");
    return fault;
}

Fault drift(Need what, std::size_t member) {
    Fault fault = now_on(member, Effect::edit_table);
    fault.text = std::string(own_database) + ".target";
    if (what == Need::drift_uuid)
        fault.values.emplace_back("uuid", "f0f0f0f0-0000-4000-8000-00000000000f");
    else if (what == Need::drift_engine)
        fault.values.emplace_back(
            "engine_full",
            "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id "
            "SETTINGS index_granularity = 8192"
        );
    else if (what == Need::drift_path)
        fault.values.emplace_back("zookeeper_path", "/clickhouse/tables/elsewhere/01");
    else if (what == Need::drift_membership) {
        fault = Fault(sim::Time{}, Effect::edit_cluster);
        fault.text = "c1";
        fault.values.emplace_back("members", std::to_string(1 - member)); // only the other one is left
    } else
        throw NotOffered(std::string(acceptance::text(what)) + ": " + lacks(what).value_or("unknown"));
    return fault;
}

std::optional<std::string> lacks(Need need) {
    if (need == Need::drift_schema)
        return "the model's edit_table does not change columns";
    return std::nullopt;
}

json::value scenario(const Setup& setup, std::uint64_t rows, Authority authority) {
    const json::array columns{
        json::object{{"name", "id"}, {"type", "UInt64"}}, json::object{{"name", "name"}, {"type", "String"}}
    };
    json::array tables;
    tables.push_back(json::object{
        {"name", setup.absent ? "pattern" : "target"},
        {"columns", columns},
        {"rows", setup.absent ? 0 : rows},
        {"total_bytes", setup.absent ? 0 : rows * 16}
    });
    json::object object{{"members", 2}};
    if (authority == Authority::mismatched)
        tables.push_back(json::object{
            {"name", "__onceswap_authority"},
            {"members", json::array{1}},
            {"columns", columns},
            {"engine_full", "MergeTree ORDER BY id SETTINGS index_granularity = 8192"}
        });
    object["tables"] = std::move(tables);
    if (authority != Authority::none)
        object["authority"] = json::object{{"members", json::array{0}}, {"rows", json::array{}}};
    return object;
}

} // namespace onceswap::acceptance::model
