#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/correlation_token.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::testing {

inline constexpr std::array all_phases{
    protocol::Phase::prepared,
    protocol::Phase::dispatching,
    protocol::Phase::committed,
    protocol::Phase::set_aside_dispatching,
    protocol::Phase::cleanup_dispatching,
    protocol::Phase::retiring,
    protocol::Phase::completed,
    protocol::Phase::abandoned,
};

/// Valid records of every shape, the same for the same seed on every platform (no distribution of the library
/// is used).
class RecordGenerator {
  public:
    /// `full`: every list at its limit, every member failing, 64 members with 60-byte host names.
    explicit RecordGenerator(std::uint64_t seed, bool full = false) : engine_(seed), full_(full) {}

    std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

    bool chance(unsigned percent) { return full_ || below(100) < percent; }

    std::string hex(std::size_t digits) {
        std::string out;
        while (out.size() < digits)
            out += "0123456789abcdef"[below(16)];
        return out;
    }

    std::array<std::uint8_t, 16> bytes16() {
        std::array<std::uint8_t, 16> out{};
        for (auto& byte : out)
            byte = static_cast<std::uint8_t>(below(256));
        return out;
    }

    protocol::Uuid uuid() { return protocol::Uuid::random_from(bytes16()); }

    /// Text with everything that JSON and SQL must escape, and with UTF-8 of every length.
    std::string text(std::size_t max_bytes) {
        static constexpr std::array<std::string_view, 12> pieces{
            "a",
            "table",
            "\"",
            "\\",
            "'",
            "`",
            " ",
            "\n",
            "\x01",
            "\xc3\xa9",
            "\xe2\x82\xac",
            "\xf0\x9f\x90\x98"
        };
        std::string out = "t";
        while (out.size() + 4 <= max_bytes && chance(85))
            out += pieces[below(pieces.size())];
        return out;
    }

    protocol::Generation generation() {
        protocol::Generation out;
        out.uuid = uuid();
        out.engine_full =
            "ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY " + text(40);
        out.schema_digest = hex(64);
        out.zookeeper_name = "default";
        out.zookeeper_path = "/clickhouse/tables/" + out.uuid.text() + "/1";
        return out;
    }

    std::vector<protocol::RecordedMember> members() {
        const std::size_t count = full_ ? protocol::limits::members : 2 + below(4);
        std::vector<protocol::RecordedMember> out;
        for (std::size_t i = 0; i < count; ++i) {
            const auto number = static_cast<std::uint32_t>(i + 1);
            const std::string host = i % 3 == 2 ? "2001:db8::" + std::to_string(number) : long_host(number);
            out.push_back({{host, static_cast<std::uint16_t>(9000 + below(2))}, number, uuid()});
        }
        return out;
    }

    protocol::Receipt receipt(const protocol::AuthorityRecord& record) {
        protocol::Receipt out;
        out.observed_at = time();
        std::size_t failing = 0;
        for (const auto& member : record.members) {
            protocol::HostReceipt host;
            host.at = member.at;
            if (chance(40)) {
                host.code = static_cast<std::uint16_t>(full_ ? 65535 : 1 + below(999));
                host.exception = protocol::digest_exception("Code: 60. " + text(400));
                if (++failing > protocol::limits::exception_heads)
                    host.exception.head.clear();
            }
            out.hosts.push_back(std::move(host));
        }
        return out;
    }

    /// A valid record in that phase, with or without every optional part that the phase leaves open.
    protocol::AuthorityRecord record(protocol::Phase phase) {
        protocol::AuthorityRecord out = slot();
        out.phase = phase;
        out.dispatch_epoch = below(1'000);
        remember_others(out);
        if (phase != protocol::Phase::prepared)
            add_attempts(out);
        if (phase == protocol::Phase::abandoned)
            out.orphans.push_back({out.candidate, out.desired.uuid});
        return out;
    }

    protocol::AuthorityRecord any_record() { return record(all_phases[below(all_phases.size())]); }

  private:
    using Record = protocol::AuthorityRecord;
    using Phase = protocol::Phase;
    using Action = protocol::Action;

    std::int64_t time() { return static_cast<std::int64_t>(1'700'000'000 + below(100'000'000)); }

    std::string long_host(std::uint32_t number) {
        std::string host = "ch-" + std::to_string(number);
        host += full_ ? std::string(60 - host.size(), 'h') : "";
        return host;
    }

    Record slot() {
        Record out;
        out.cluster = full_ ? "c" : text(20);
        out.target = {text(20), text(20)};
        out.target_key = protocol::target_key(out.cluster, out.target);
        out.operation_id = hex(64);
        out.plan_digest = hex(64);
        out.inventory_digest = hex(64);
        out.candidate = candidate(out, out.operation_id);
        out.aside = protocol::aside_name(out.candidate);
        out.members = members();
        out.desired = generation();
        out.predecessor = generation();
        out.staged_rows = chance(10) ? ~std::uint64_t{0} : below(1'000'000);
        out.fence_token = hex(32);
        out.write_id = hex(32);
        out.created_at = time();
        out.updated_at = time();
        return out;
    }

    std::string candidate(const Record& record, const std::string& operation_id) {
        return protocol::candidate_name(
            record.target_key, operation_id, static_cast<std::uint32_t>(below(1ULL << 32))
        );
    }

    std::vector<protocol::NamedTable> tables(const Record& record) {
        std::vector<protocol::NamedTable> out;
        const std::size_t count = full_ ? protocol::limits::listed_tables - 1 : below(4);
        while (out.size() < count) {
            const std::string name = candidate(record, hex(64));
            out.push_back({chance(50) ? protocol::aside_name(name) : name, uuid()});
        }
        return out;
    }

    void remember_others(Record& record) {
        record.orphans = tables(record);
        record.retained = tables(record);
        const std::size_t count = full_ ? protocol::limits::recent_operations : below(4);
        for (std::size_t i = 0; i < count; ++i) {
            record.recent.push_back(
                {hex(64), chance(50) ? Phase::completed : Phase::abandoned, record.dispatch_epoch}
            );
            record.dispatch_epoch += 1 + below(5);
        }
        if (chance(50))
            add_canary(record);
        if (chance(40))
            record.error = protocol::RecordedError{"DDL_AMBIGUOUS", text(500)};
    }

    void add_canary(Record& record) {
        record.canary.emplace();
        for (const auto& member : record.members) {
            record.canary->servers.push_back(member.server_uuid);
            record.canary->versions.push_back("24.8.14.39");
        }
        record.canary->entry = entry();
    }

    std::string entry() {
        const std::string digits = std::to_string(below(10'000'000'000));
        return "query-" + std::string(10 - digits.size(), '0') + digits;
    }

    enum class Wanted { maybe_bound, maybe_receipt, receipt };

    protocol::DdlAttempt attempt(Record& record, Action action, Wanted wanted) {
        protocol::DdlAttempt out;
        out.epoch = ++record.dispatch_epoch;
        out.token = protocol::make_token(record.operation_id, action, out.epoch, bytes16()).text();
        out.result = static_cast<protocol::HolderResult>(below(6));
        const bool bound = wanted == Wanted::receipt || chance(60);
        if (bound) {
            out.entry = entry();
            out.query_digest = hex(64);
        }
        if (wanted == Wanted::receipt || (wanted == Wanted::maybe_receipt && bound && chance(60)))
            out.receipt = receipt(record);
        return out;
    }

    std::vector<protocol::DdlAttempt> attempts(Record& record, Action action, Wanted last) {
        std::vector<protocol::DdlAttempt> out;
        const std::size_t earlier = full_ ? protocol::limits::attempts_per_action - 1 : below(3);
        for (std::size_t i = 0; i < earlier; ++i)
            out.push_back(attempt(record, action, Wanted::maybe_bound));
        out.push_back(attempt(record, action, last));
        return out;
    }

    void publish(Record& record, Wanted wanted) {
        record.publication = attempt(record, Action::publish, wanted);
    }

    void add_attempts(Record& record) {
        switch (record.phase) {
        case Phase::prepared:
            return;
        case Phase::dispatching:
            absent_target(record);
            publish(record, Wanted::maybe_receipt);
            return;
        case Phase::committed:
            absent_target(record);
            publish(record, Wanted::receipt);
            return;
        case Phase::set_aside_dispatching:
            publish(record, Wanted::receipt);
            record.set_aside = attempts(record, Action::aside, Wanted::maybe_receipt);
            return;
        case Phase::cleanup_dispatching:
            publish(record, Wanted::receipt);
            record.set_aside = attempts(record, Action::aside, Wanted::receipt);
            record.cleanup = attempts(record, Action::cleanup, Wanted::maybe_receipt);
            return;
        case Phase::retiring:
            absent_target(record);
            publish(record, Wanted::maybe_receipt);
            record.retire = attempts(record, Action::retire, Wanted::maybe_receipt);
            return;
        case Phase::completed:
            complete(record);
            return;
        case Phase::abandoned:
            absent_target(record);
            if (below(2) == 0)
                return;
            publish(record, Wanted::maybe_receipt);
            record.retire = attempts(record, Action::retire, Wanted::receipt);
            record.retained.push_back({record.aside, record.desired.uuid});
            return;
        }
    }

    /// The four ways that end in COMPLETED: cleaned, without a predecessor, retired, closed.
    void complete(Record& record) {
        publish(record, Wanted::receipt);
        const std::uint64_t way = full_ ? 0 : below(4);
        if (way == 0) {
            record.set_aside = attempts(record, Action::aside, Wanted::receipt);
            record.cleanup = attempts(record, Action::cleanup, Wanted::receipt);
        } else if (way == 1) {
            record.predecessor.reset();
        } else if (way == 2) {
            record.retire = attempts(record, Action::retire, Wanted::receipt);
            record.retained.push_back({record.aside, record.predecessor->uuid});
        } else {
            record.set_aside = attempts(record, Action::aside, Wanted::maybe_receipt);
            record.retained.push_back({record.candidate, record.predecessor->uuid});
        }
    }

    void absent_target(Record& record) {
        if (!full_ && below(3) == 0)
            record.predecessor.reset();
    }

    std::mt19937_64 engine_;
    bool full_;
};

} // namespace onceswap::testing
