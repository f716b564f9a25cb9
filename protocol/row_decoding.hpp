#pragma once

#include "protocol/failure.hpp"
#include "protocol/json_text.hpp"
#include "protocol/member_facts.hpp"
#include "protocol/queue_evidence.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::protocol {

/// A result set in JSONCompactEachRowWithNamesAndTypes: both header lines checked, columns addressed by name,
/// unknown columns ignored. The body must hold whole lines only.
class ResultSet {
  public:
    static constexpr std::size_t max_body_bytes = std::size_t{64} * 1024 * 1024;

    /// Errors: generation_unknown with what is malformed (line, column). Limits: `max_rows`, nesting depth 8,
    /// `max_body_bytes`. A text that the server appended after rows (an exception in the middle of the
    /// stream) is a malformed line, so a cut answer is never taken for a short one.
    /// The body is copied: the result set does not need it any more.
    static Result<ResultSet> parse(std::string_view body, std::size_t max_rows = 1'000'000);

    const std::vector<std::string_view>& names() const { return names_; }

    const std::vector<std::string_view>& types() const { return types_; }

    std::size_t rows() const { return rows_; }

    /// False where there is no such row or column. Good as long as a copy of this result set is.
    JsonView cell(std::size_t row, std::string_view column) const;
    JsonView cell(std::size_t row, std::size_t column) const;

  private:
    struct Content;

    std::shared_ptr<const Content> content_; ///< what all views are views of
    std::vector<std::string_view> names_;
    std::vector<std::string_view> types_;
    std::size_t rows_ = 0;
};

// Each decoder takes the body of its statement's answer. A missing column, a wrong type, a number out of
// range, a second identity row, a nil server UUID: a failure, never a default. 64-bit integers are taken
// quoted and bare, named tuples as object and array. The code of a failure: queue_unreadable for the queue,
// outcome_unknown for the authority's rows alone and for the answer of a DDL, generation_unknown for
// everything else; the detail names list, element and field.

/// The server that answered, of any reading statement's one row; the answer of settings_probe holds nothing
/// else.
Result<Uuid> decode_identity(std::string_view body);

Result<CatalogueFacts> decode_catalogue(std::string_view body);
Result<KeeperFacts> decode_keeper(std::string_view body);
Result<CapabilityFacts> decode_capabilities(std::string_view body);
Result<EnvironmentFacts> decode_environment(std::string_view body);

struct AuthorityRows {
    Uuid server_uuid;
    std::vector<AuthorityRow> rows;
};

Result<AuthorityRows> decode_authority(std::string_view body);

struct QueueRows {
    Uuid server_uuid;
    std::vector<QueueRow> rows;
    std::uint64_t entries_in_queue = 0; ///< only in the answer of queue_unfinished
};

Result<QueueRows> decode_queue(std::string_view body);

struct RosterRow {
    std::uint64_t shard_num = 0; ///< position in the (shard, replica) order, from 1
    Uuid server_uuid;
    std::string host_name;
};

Result<std::vector<RosterRow>> decode_roster(std::string_view body);

struct RowCount {
    Uuid server_uuid;
    std::uint64_t rows = 0;
};

Result<RowCount> decode_row_count(std::string_view body);

struct RowPolicies {
    Uuid server_uuid;

    struct Policy {
        std::string name;
        std::string table;
    };

    std::vector<Policy> policies;
};

Result<RowPolicies> decode_row_policies(std::string_view body);

/// Lines of SHOW GRANTS.
Result<std::vector<std::string>> decode_grants(std::string_view body);

struct LoaderColumn {
    std::string name;
    std::string type;
    std::string default_kind;
};

struct LoaderColumns {
    Uuid server_uuid;
    std::vector<LoaderColumn> columns;
};

Result<LoaderColumns> decode_column_types(std::string_view body);

/// The answer of an ON CLUSTER statement in output mode throw.
struct DdlHostRow {
    HostPort at;
    std::int64_t status = 0;
    std::string error;
};

Result<std::vector<DdlHostRow>> decode_ddl_result(std::string_view body);

} // namespace onceswap::protocol
