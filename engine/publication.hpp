#pragma once

#include "engine/admission.hpp"
#include "engine/adoption.hpp"
#include "engine/candidate.hpp"
#include "engine/pass.hpp"
#include "engine/publish.hpp"
#include "engine/record_step.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace onceswap::engine {

/// One call of publish(): the steps of docs/protocol.md in their order. Each step gathers facts, asks
/// protocol, acts, and either lets the next one begin or ends the publication with a report. No step looks
/// back into an earlier one's state; what they share is the record, which is read anew, and the candidate of
/// this try.
class Publication {
  public:
    /// `adopted_from`: the existing table that is adopted instead of filling a new one; else empty.
    Publication(Context& context, PublishRequest request, StageFunction stage, std::string adopted_from = {});

    /// Never throws for I/O or cancellation: both are in the report.
    boost::asio::awaitable<protocol::Report> run();

  private:
    /// What the slot lets this operation do.
    enum class Way { stage, settle, ended };

    boost::asio::awaitable<void> steps();

    // publication.cpp
    boost::asio::awaitable<Way> decide();
    void identify();
    void end_with_unusable(const AuthorityReading& slot);
    void demand_staged(protocol::SlotDecision decision);
    boost::asio::awaitable<bool> finish_other();
    boost::asio::awaitable<void> answer_completed();
    boost::asio::awaitable<void> settle();
    boost::asio::awaitable<void> answer_staged();

    // publication_staging.cpp
    boost::asio::awaitable<void> admit();
    void refuse_foreign_record();
    void refuse_staging_again();
    void refuse_second_reading();
    boost::asio::awaitable<void> check_authority_table();
    boost::asio::awaitable<bool> take_over();
    boost::asio::awaitable<void> stage();
    boost::asio::awaitable<bool> fill();
    boost::asio::awaitable<void> discard();

    // publication_adopting.cpp
    boost::asio::awaitable<void> look_for_adoptee();
    boost::asio::awaitable<void> adopt();
    boost::asio::awaitable<void> converge(StagedCandidate& table, std::chrono::milliseconds patience);
    boost::asio::awaitable<bool> is_renamed(const Adoptee& adoptee, const std::string& token);
    boost::asio::awaitable<void> prove_adoptee(const Adoptee& adoptee);
    boost::asio::awaitable<void> rename_adoptee(const Adoptee& adoptee);

    // publication_prepare.cpp
    boost::asio::awaitable<void> prepare();
    boost::asio::awaitable<void> follow_winner(protocol::Failure problem);
    protocol::AuthorityRecord prepared_record(const protocol::Generation& desired);

    // publication_dispatch.cpp
    boost::asio::awaitable<void> dispatch_once_proven();
    boost::asio::awaitable<void> admit_again(std::optional<Admitted>& again);
    boost::asio::awaitable<void> admit_candidate_again(std::optional<protocol::CandidateAdmission>& again);
    boost::asio::awaitable<void> pass_again(std::optional<Observation>& seen, TimePoint& read_at);
    boost::asio::awaitable<bool> proven(Observation& seen);
    boost::asio::awaitable<bool> sent(Observation seen);
    boost::asio::awaitable<bool> take_in(Dispatched dispatched);
    boost::asio::awaitable<bool> return_slot(protocol::HolderResult result, protocol::Failure problem);

    void step(const char* name);
    void end(protocol::Code code, std::string detail);

    void end(const protocol::Failure& failure) { end(failure.code, failure.detail); }

    void end(protocol::Report report);
    void refuse(const std::vector<protocol::Finding>& findings);
    const protocol::AuthorityRecord* own_record() const;
    void name_leftover();

    Context& context_;
    PublishRequest request_;
    StageFunction stage_;
    std::string adopted_from_; ///< empty: the candidate is made and filled by this try
    Adoptee adoptee_;          ///< once look_for_adoptee() has found it
    Passes passes_;
    Discovery discovery_;
    std::string operation_id_;
    Admitted admitted_;
    std::optional<protocol::CanaryReceipt> canary_; ///< of this invocation
    StagedCandidate candidate_;
    std::optional<protocol::Generation> generation_;  ///< of the candidate, as admission B saw it
    std::vector<protocol::NamedTable> left_behind_;   ///< other candidates of this try that no record names
    bool in_record_ = false;                          ///< the candidate is the record's
    std::optional<protocol::Failure> not_taken_over_; ///< why the recorded candidate cannot be gone on with
    bool ended_ = false;
    protocol::Report report_;
};

} // namespace onceswap::engine
