#include "engine/admission.hpp"
#include "engine/adoption.hpp"
#include "engine/bootstrap.hpp"
#include "engine/candidate.hpp"
#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::StatementKind;

namespace {

/// Writes down the statements of a publication in their order. What only a real one can know stands in angle
/// brackets.
class Draft {
  public:
    Draft(
        const Context& context, const Admitted& admitted, const PublishRequest& request, std::string candidate
    )
        : context_(context), admitted_(admitted), request_(request), candidate_(std::move(candidate)),
          cluster_(admitted.inventory().cluster()) {
        for (const BoundMember& member : admitted.members) {
            hosts_.push_back(name(member));
        }
    }

    void canary() {
        on_cluster(protocol::create_facade_statement(
            request_.target.database,
            context_.cluster.authority_root,
            cluster_,
            "onceswap canary",
            options("setup")
        ));
    }

    /// From the candidate to PREPARED.
    void stage(bool first_record, const protocol::Uuid& uuid) {
        const auto& target = request_.target;
        const auto& pattern = admitted_.admission.target ? target : request_.like;
        on_cluster(protocol::create_candidate_statement(pattern, candidate_, uuid, cluster_, options("setup"))
        );
        const protocol::TargetName staged{target.database, candidate_};
        on_one(protocol::insert_rows_statement(staged, "<token of the batch>"));
        prepare(first_record);
    }

    void rename_adoptee(const std::string& table) {
        rename(StatementKind::rename_adopt, table, candidate_, "setup");
    }

    void prepare(bool first_record) {
        const auto& target = request_.target;
        if (first_record) {
            on_one(protocol::authority_insert_statement(target.database, row("PREPARED")));
        } else {
            update("<settled>", "PREPARED");
        }
    }

    /// From PREPARED to the end.
    void publish() {
        const auto& target = request_.target;
        const std::string aside = protocol::aside_name(candidate_);
        update("PREPARED", "DISPATCHING");
        if (admitted_.admission.target) {
            on_cluster(protocol::exchange_statement(target, candidate_, cluster_, options("publish")));
        } else {
            rename(StatementKind::rename_publish, candidate_, target.table, "publish");
        }
        update("DISPATCHING", "COMMITTED");
        if (admitted_.admission.target) {
            update("COMMITTED", "SET_ASIDE_DISPATCHING");
            rename(StatementKind::rename_aside, candidate_, aside, "aside");
            update("SET_ASIDE_DISPATCHING", "CLEANUP_DISPATCHING");
            on_cluster(protocol::drop_statement(
                StatementKind::drop_aside, target.database, aside, cluster_, options("cleanup")
            ));
            update("CLEANUP_DISPATCHING", "COMPLETED");
        } else {
            update("COMMITTED", "COMPLETED");
        }
    }

    std::vector<Plan::Step> take() { return std::move(steps_); }

  private:
    protocol::DdlOptions options(std::string_view action) const {
        protocol::DdlOptions options;
        options.token = "<token " + std::string(action) + ">";
        return options;
    }

    protocol::AuthorityRow row(std::string phase) const {
        protocol::AuthorityRow row;
        row.target_key = protocol::target_key(cluster_, request_.target);
        row.operation_id = "<operation>";
        row.fence_token = "<fence>";
        row.phase = std::move(phase);
        row.payload = "<record>";
        row.payload_sha256 = std::string(64, '0'); // a digest of what is not written yet
        return row;
    }

    void update(std::string from, std::string to) {
        on_one(protocol::authority_update_statement(
            request_.target.database, row(std::move(from)), row(std::move(to))
        ));
    }

    void rename(StatementKind kind, const std::string& from, const std::string& to, std::string_view action) {
        on_cluster(
            protocol::rename_statement(kind, request_.target.database, from, to, cluster_, options(action))
        );
    }

    void on_cluster(protocol::Statement statement) { add(std::move(statement), "every member", hosts_); }

    void on_one(protocol::Statement statement) {
        add(std::move(statement), "one member", std::vector<std::string>(hosts_.begin(), hosts_.begin() + 1));
    }

    void add(protocol::Statement statement, std::string scope, std::vector<std::string> hosts) {
        Plan::Step step;
        step.statement = std::move(statement.sql);
        step.scope = std::move(scope);
        step.hosts = std::move(hosts);
        steps_.push_back(std::move(step));
    }

    const Context& context_;
    const Admitted& admitted_;
    const PublishRequest& request_;
    std::string candidate_;
    std::string cluster_;
    std::vector<std::string> hosts_;
    std::vector<Plan::Step> steps_;
};

/// `adopted_from`: empty where rows are loaded.
asio::awaitable<void> draft(Context& context, PublishRequest request, std::string adopted_from, Plan& plan) {
    auto discovery = co_await discover(context, request.target, request.deadline);
    if (discovery.problem) {
        plan.report.stopped_by = discovery.problem->code;
        plan.report.stopped_detail = discovery.problem->detail;
        plan.report.evidence_gaps = discovery.gaps;
        co_return;
    }
    plan.report.cluster = discovery.cluster;
    std::optional<protocol::CanaryReceipt> recorded;
    if (discovery.authority.current || discovery.authority.row) {
        Passes passes(context, request.target, request.deadline);
        passes.begin_with(discovery);
        auto seen = co_await passes.next();
        plan.report = seen.report;
    }
    if (discovery.authority.current) {
        recorded = discovery.authority.current->record.canary;
    }
    const auto& current = discovery.authority.current;
    if (request.only_staged && request.plan_digest.empty() && current) {
        request.plan_digest = current->record.plan_digest;
    }
    const std::string operation_id =
        protocol::operation_id(discovery.cluster, request.target, request.invocation_id, request.plan_digest);
    const bool staged =
        current && current->record.operation_id == operation_id && current->record.phase == Phase::prepared;
    if (request.only_staged && !staged) {
        plan.report.stopped_by = current ? Code::authority_conflict : Code::no_record;
        plan.report.stopped_detail = "the slot holds nothing that is staged under this invocation id";
        co_return;
    }
    auto admitted = co_await admit_publication(context, discovery, request, operation_id, std::string());
    plan.report.findings = admitted.admission.findings;
    if (const protocol::Finding* first = admitted.admission.first_refusal(); first != nullptr) {
        plan.report.stopped_by = first->code;
        plan.report.stopped_detail = first->detail;
        co_return;
    }
    plan.report.inventory_digest = admitted.inventory().digest();
    const bool canary =
        admitted.admission.facade != protocol::FacadeStanding::complete || canary_is_due(recorded, admitted);
    const auto candidate = choose_candidate(context, discovery, operation_id);
    std::string named = candidate.name;
    bool to_rename = false;
    if (staged) {
        named = current->record.candidate;
    } else if (!adopted_from.empty()) {
        auto found = co_await ask_for_adoptee(
            context, admitted, request, discovery.target_key, operation_id, adopted_from
        );
        if (!found) {
            plan.report.stopped_by = found.error().code;
            plan.report.stopped_detail = found.error().detail;
            co_return;
        }
        named = found->adoptee.new_name;
        to_rename = found->place != Whereabouts::Place::after;
    }
    Draft sheet(context, admitted, request, named);
    if (canary) {
        sheet.canary();
    }
    if (!staged && adopted_from.empty()) {
        sheet.stage(!current, candidate.uuid);
    } else if (!staged) {
        if (to_rename) {
            sheet.rename_adoptee(adopted_from);
        }
        sheet.prepare(!current);
    }
    if (request.dispatch) {
        sheet.publish();
    }
    plan.steps = sheet.take();
}

} // namespace

asio::awaitable<Plan> plan(Context& context, PublishRequest request) {
    std::string no_table;
    auto drawn = co_await plan_adoption(context, std::move(request), std::move(no_table));
    co_return drawn;
}

asio::awaitable<Plan> plan_adoption(Context& context, PublishRequest request, std::string table) {
    Plan plan;
    plan.report.cluster = context.cluster.name;
    plan.report.target = request.target;
    plan.report.observed_at = context.clock.wall_seconds();
    plan.report.verdict.word = protocol::Word::no_record;
    plan.report.verdict.reason = Code::no_record;
    if (const auto problem = name_problem(request.target, table); problem) {
        plan.report.stopped_by = problem->code;
        plan.report.stopped_detail = problem->detail;
        co_return plan;
    }
    bool cancelled = false;
    try {
        co_await draft(context, std::move(request), std::move(table), plan);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled) {
        plan.report.stopped_by = Code::cancelled;
    }
    co_return plan;
}

} // namespace onceswap::engine
