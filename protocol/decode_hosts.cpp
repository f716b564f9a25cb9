#include "protocol/answer_reading.hpp"

// Answers with one row per host: the roster and the result of an ON CLUSTER statement.

namespace onceswap::protocol {

namespace {

class Rows {
  public:
    Rows(std::string_view body, AnswerColumns columns, answer::Problem& problem) : problem_(problem) {
        auto parsed = ResultSet::parse(body);
        if (!parsed) {
            problem.note(parsed.error().detail);
            return;
        }
        result_ = std::move(*parsed);
        for (const AnswerColumn& column : columns) {
            bool found = false;
            for (std::size_t at = 0; at < result_->names().size(); ++at)
                found = found || (result_->names()[at] == column.name && result_->types()[at] == column.type);
            if (!found)
                problem.note(
                    std::string(column.name) + ": missing, or the type is not " + std::string(column.type)
                );
        }
    }

    /// 0 after a problem, so that every cell that is asked for exists.
    std::size_t size() const { return result_ && problem_.none() ? result_->rows() : 0; }

    std::string text(std::size_t row, std::string_view column) const {
        return answer::read_text(result_->cell(row, column), {"rows", row, column}, problem_);
    }

    template <std::integral T>
    T number(std::size_t row, std::string_view column) const {
        return answer::read_number<T>(result_->cell(row, column), {"rows", row, column}, problem_);
    }

  private:
    std::optional<ResultSet> result_;
    answer::Problem& problem_;
};

constexpr std::array roster_columns = {
    AnswerColumn{"_shard_num", "shard_num", "UInt32"},
    AnswerColumn{"toString(serverUUID())", "server_uuid", "String"},
    AnswerColumn{"hostName()", "host_name", "String"},
};

constexpr std::array ddl_result_columns = {
    AnswerColumn{"", "host", "String"},
    AnswerColumn{"", "port", "UInt16"},
    AnswerColumn{"", "status", "Int64"},
    AnswerColumn{"", "error", "String"},
};

} // namespace

Result<std::vector<RosterRow>> decode_roster(std::string_view body) {
    answer::Problem problem;
    const Rows rows(body, roster_columns, problem);
    std::vector<RosterRow> out;
    const std::size_t size = rows.size();
    for (std::size_t at = 0; at < size; ++at) {
        const auto uuid = Uuid::parse(rows.text(at, "server_uuid"));
        if (!uuid || uuid->is_nil())
            problem.note("rows[" + std::to_string(at) + "].server_uuid: not the identity of a server");
        RosterRow row;
        row.shard_num = rows.number<std::uint32_t>(at, "shard_num");
        row.server_uuid = uuid.value_or(Uuid());
        row.host_name = rows.text(at, "host_name");
        out.push_back(std::move(row));
    }
    if (!problem.none())
        return problem.failure(Code::generation_unknown);
    return out;
}

Result<std::vector<DdlHostRow>> decode_ddl_result(std::string_view body) {
    answer::Problem problem;
    const Rows rows(body, ddl_result_columns, problem);
    std::vector<DdlHostRow> out;
    const std::size_t size = rows.size();
    for (std::size_t at = 0; at < size; ++at) {
        DdlHostRow row;
        row.at.host = rows.text(at, "host");
        row.at.port = rows.number<std::uint16_t>(at, "port");
        row.status = rows.number<std::int64_t>(at, "status");
        row.error = rows.text(at, "error");
        out.push_back(std::move(row));
    }
    if (!problem.none())
        return problem.failure(Code::outcome_unknown);
    return out;
}

} // namespace onceswap::protocol
