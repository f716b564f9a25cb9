#include "acceptance/cluster_under_test.hpp"

namespace onceswap::acceptance {

namespace json = boost::json;

std::string_view text(Need need) {
    switch (need) {
    case Need::lost_response:
        return "lost response";
    case Need::keeper_write:
        return "hurt keeper write";
    case Need::ddl_worker:
        return "held DDL worker";
    case Need::worker_crash:
        return "crashed member";
    case Need::outsider:
        return "somebody else's statement";
    case Need::refused_host:
        return "error of one host";
    case Need::client_gone:
        return "killed client";
    case Need::client_stopped:
        return "stopped client";
    case Need::two_clients:
        return "two clients";
    case Need::queue_rows:
        return "any row of the queue";
    case Need::drift_uuid:
        return "drift of the uuid";
    case Need::drift_schema:
        return "drift of the schema";
    case Need::drift_engine:
        return "drift of the engine";
    case Need::drift_path:
        return "drift of the path";
    case Need::drift_membership:
        return "drift of the membership";
    case Need::partial_authority:
        return "partly created control table";
    case Need::unsent:
        return "connection refused before the DDL";
    case Need::retire:
        return "retire";
    }
    return "";
}

std::string_view text(Statement statement) {
    switch (statement) {
    case Statement::exchange:
        return "exchange";
    case Statement::rename:
        return "rename";
    case Statement::drop:
        return "drop";
    case Statement::record_write:
        return "record_write";
    }
    return "";
}

std::string_view text(WorkerPoint point) {
    switch (point) {
    case WorkerPoint::before_active:
        return "before_active";
    case WorkerPoint::after_execute:
        return "after_execute";
    }
    return "";
}

std::string_view text(Moment moment) {
    switch (moment) {
    case Moment::arrived:
        return "arrived";
    case Moment::done:
        return "done";
    }
    return "";
}

std::string_view text(Verb verb) {
    switch (verb) {
    case Verb::publish:
        return "publish";
    case Verb::resume:
        return "resume";
    case Verb::status:
        return "status";
    case Verb::abandon:
        return "abandon";
    case Verb::retire:
        return "retire";
    }
    return "";
}

namespace {

std::string word_of(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

[[noreturn]] void not_offered(const ClusterUnderTest& cluster, Need need) {
    throw NotOffered(
        std::string(text(need)) + ": " + cluster.lacks(need).value_or("not offered by this fixture")
    );
}

} // namespace

Answer Answer::of(json::object report) {
    Answer answer;
    if (const json::value* verdict = report.if_contains("verdict"); verdict != nullptr)
        answer.word = word_of(verdict->as_object(), "word");
    if (const json::value* stopped = report.if_contains("stopped");
        stopped != nullptr && stopped->is_object())
        answer.stopped = word_of(stopped->get_object(), "code");
    answer.phase = word_of(report, "phase");
    answer.operation = word_of(report, "operation_id");
    answer.candidate = word_of(report, "candidate");
    if (const std::string version = word_of(report, "record_version"); !version.empty())
        answer.version = std::stoll(version);
    answer.report = std::move(report);
    return answer;
}

std::vector<Answer> ClusterUnderTest::together(const std::vector<Call>& /*calls*/) {
    not_offered(*this, Need::two_clients);
}

void ClusterUnderTest::killed(
    const Call& /*call*/, Statement /*statement*/, unsigned /*nth*/, Moment /*moment*/
) {
    not_offered(*this, Need::client_gone);
}

Answer ClusterUnderTest::stopped(
    const Call& /*call*/, Statement /*statement*/, unsigned /*nth*/, Moment /*moment*/
) {
    not_offered(*this, Need::client_stopped);
}

void ClusterUnderTest::lose_response(Statement /*statement*/) {
    not_offered(*this, Need::lost_response);
}

void ClusterUnderTest::lose_record_write(unsigned /*nth*/, bool /*committed*/) {
    not_offered(*this, Need::keeper_write);
}

void ClusterUnderTest::hold_worker(std::size_t /*member*/, WorkerPoint /*point*/, Statement /*statement*/) {
    not_offered(*this, Need::ddl_worker);
}

void ClusterUnderTest::release_worker(std::size_t /*member*/) {
    not_offered(*this, Need::ddl_worker);
}

void ClusterUnderTest::crash_member(std::size_t /*member*/, WorkerPoint /*point*/, Statement /*statement*/) {
    not_offered(*this, Need::worker_crash);
}

void ClusterUnderTest::start_member(std::size_t /*member*/) {
    not_offered(*this, Need::worker_crash);
}

void ClusterUnderTest::refuse_on_host(
    std::size_t /*member*/, Statement /*statement*/, const std::string& /*table*/
) {
    not_offered(*this, Need::refused_host);
}

void ClusterUnderTest::heal_host(std::size_t /*member*/) {
    not_offered(*this, Need::refused_host);
}

std::string ClusterUnderTest::
    outsider(std::size_t /*member*/, const std::string& /*sql*/, const std::string& /*comment*/) {
    not_offered(*this, Need::outsider);
}

void ClusterUnderTest::show_queue_row(
    std::size_t /*member*/, const std::string& /*status*/, std::optional<int> /*code*/, std::string /*text*/
) {
    not_offered(*this, Need::queue_rows);
}

void ClusterUnderTest::drift(Need what, std::size_t /*member*/) {
    not_offered(*this, what);
}

void ClusterUnderTest::partial_authority(bool /*mismatched*/) {
    not_offered(*this, Need::partial_authority);
}

void ClusterUnderTest::refuse_before_ddl() {
    not_offered(*this, Need::unsent);
}

std::string ClusterUnderTest::uuid(std::size_t member, std::string_view table) {
    for (const Table& one : tables(member))
        if (one.name == table)
            return one.uuid;
    return {};
}

} // namespace onceswap::acceptance
