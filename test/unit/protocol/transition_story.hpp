#pragma once

#include "protocol/digest.hpp"
#include "protocol/transitions.hpp"
#include "record_generator.hpp"
#include "row_encoding.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>

namespace onceswap::testing {

using namespace onceswap::protocol;

/// A publication in the making: fresh ids for each write.
class Story {
  public:
    explicit Story(std::uint64_t seed) : random(seed) {}

    WriteStamp stamp() { return {random.hex(32), ++now_}; }

    DispatchGrant grant() { return {random.hex(32), random.bytes16()}; }

    Preparation preparation(bool existing_target = true) {
        Preparation out;
        out.cluster = "c";
        out.target = {"db", "events"};
        out.operation_id = random.hex(64);
        out.plan_digest = random.hex(64);
        out.inventory_digest = sha256_hex("inventory");
        out.members = {
            {{"ch-1", 9000}, 1, random.uuid()},
            {{"ch-2", 9000}, 2, random.uuid()},
            {{"ch-3", 9000}, 3, random.uuid()}
        };
        if (existing_target)
            out.predecessor = random.generation();
        restage(out);
        return out;
    }

    void restage(Preparation& preparation) {
        preparation.desired = random.generation();
        preparation.candidate = candidate_name(
            target_key(preparation.cluster, preparation.target),
            preparation.operation_id,
            static_cast<std::uint32_t>(random.below(1ULL << 32))
        );
        preparation.fence_token = random.hex(32);
        preparation.staged_rows = random.below(1000);
    }

    AuthorityRecord bound(const AuthorityRecord& record) {
        return bind_entry(record, "query-0000000042", sha256_hex("statement"), stamp());
    }

    AuthorityRecord with_receipt(const AuthorityRecord& record) {
        return persist_receipt(record, random.receipt(record), stamp());
    }

    // The record in each phase, by the shortest way.
    AuthorityRecord prepared(bool existing_target = true) {
        return prepare_new(preparation(existing_target), stamp());
    }

    AuthorityRecord dispatching(bool existing_target = true) {
        return to_dispatching(prepared(existing_target), grant(), stamp());
    }

    AuthorityRecord committed(bool existing_target = true) {
        const AuthorityRecord record = bound(dispatching(existing_target));
        return to_committed(record, random.receipt(record), stamp());
    }

    AuthorityRecord set_aside() { return to_set_aside_dispatching(committed(), grant(), stamp()); }

    AuthorityRecord cleanup() {
        return to_cleanup_dispatching(with_receipt(bound(set_aside())), grant(), stamp());
    }

    AuthorityRecord retiring(bool existing_target = true) {
        return to_retiring(dispatching(existing_target), grant(), stamp());
    }

    AuthorityRecord completed() { return to_completed(with_receipt(bound(cleanup())), stamp()); }

    AuthorityRecord abandoned() { return to_abandoned(prepared(), stamp()); }

    AuthorityRecord in(Phase phase) {
        switch (phase) {
        case Phase::prepared:
            return prepared();
        case Phase::dispatching:
            return dispatching();
        case Phase::committed:
            return committed();
        case Phase::set_aside_dispatching:
            return set_aside();
        case Phase::cleanup_dispatching:
            return cleanup();
        case Phase::retiring:
            return retiring();
        case Phase::completed:
            return completed();
        case Phase::abandoned:
            return abandoned();
        }
        throw std::logic_error("no such phase");
    }

    RecordGenerator random;

  private:
    std::int64_t now_ = 1'750'000'000;
};

/// That a builder made a step that the rules allow, and a record that can be written.
inline void check_step(const AuthorityRecord& from, const AuthorityRecord& to) {
    BOOST_TEST_CONTEXT(text(from.phase) << " -> " << text(to.phase)) {
        BOOST_TEST(is_allowed_transition(from, to));
        encoded(to);
        BOOST_TEST(from.write_id != to.write_id);
        const bool rises = to.dispatch_epoch == from.dispatch_epoch + 1;
        BOOST_TEST((rises || to.dispatch_epoch == from.dispatch_epoch));
    }
}

} // namespace onceswap::testing
