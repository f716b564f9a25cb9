// The right to do something once, held by the compiler.
#include "engine/ddl.hpp"
#include "engine/discard_permit.hpp"
#include "engine/dispatch_permit.hpp"
#include "engine/setup_permit.hpp"

#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>
#include <boost/test/unit_test.hpp>

#include <concepts>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>

using namespace onceswap;
using engine::DispatchPermit;
using engine::SetupPermit;

namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };
template <class T>
concept ComparesEqual = requires(const T& a, const T& b) { a == b; };

/// What can be made from this type's permits other than the one that a won write or a setup token gives.
template <class T>
constexpr bool only_moves =
    !std::is_default_constructible_v<T> && !std::is_copy_constructible_v<T> &&
    !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T> &&
    std::is_nothrow_move_constructible_v<T> && !std::is_aggregate_v<T> && !std::is_trivially_copyable_v<T>;

template <class T>
constexpr bool cannot_be_kept =
    !std::is_convertible_v<T, boost::json::value> && !boost::json::has_value_from<T>::value &&
    !boost::json::has_value_to<T>::value && !std::is_convertible_v<T, std::string> && !Printable<T> &&
    !ComparesEqual<T>;

static_assert(only_moves<DispatchPermit>);
static_assert(cannot_be_kept<DispatchPermit>);
static_assert(!std::is_constructible_v<DispatchPermit, std::string, std::uint64_t>);
static_assert(!std::is_constructible_v<DispatchPermit, const char*, int>);
static_assert(!std::is_constructible_v<DispatchPermit, std::string>);
static_assert(!std::is_constructible_v<DispatchPermit, SetupPermit>);
static_assert(!std::is_constructible_v<DispatchPermit, protocol::CorrelationToken>);

// Nobody derives from it to get at its constructor either: a derived class would need it, and it is private.
template <class Base>
concept DerivableWithToken = requires { requires requires { Base(std::string(), std::uint64_t()); }; };
static_assert(!DerivableWithToken<DispatchPermit>);

static_assert(only_moves<engine::DiscardPermit>);
static_assert(cannot_be_kept<engine::DiscardPermit>);
static_assert(!std::is_constructible_v<engine::DiscardPermit, std::string, std::string>);
static_assert(!std::is_constructible_v<engine::DiscardPermit, SetupPermit>);

static_assert(only_moves<SetupPermit>);
static_assert(cannot_be_kept<SetupPermit>);
static_assert(!std::is_constructible_v<SetupPermit, std::string>);
static_assert(!std::is_constructible_v<SetupPermit, DispatchPermit>);

// A statement cannot be executed without a permit, and a permit that is named cannot be passed without giving
// it away.
template <class Permit>
concept Executes = requires(
    engine::Ddl& ddl,
    Permit permit,
    engine::PreparedDdl way,
    protocol::Statement statement,
    std::vector<protocol::HostPort> hosts,
    engine::TimePoint deadline
) { ddl.execute_once(std::forward<Permit>(permit), std::move(way), statement, hosts, deadline); };
static_assert(Executes<DispatchPermit&&>);
static_assert(Executes<SetupPermit&&>);
static_assert(!Executes<DispatchPermit&>);
static_assert(!Executes<const DispatchPermit&>);
static_assert(!Executes<std::string>);
static_assert(!std::is_copy_constructible_v<engine::PreparedDdl>);

protocol::CorrelationToken token_for(protocol::Action action) {
    protocol::CorrelationToken token;
    token.operation = std::string(20, 'a');
    token.action = action;
    token.epoch = 3;
    token.random = std::string(32, 'b');
    return token;
}

} // namespace

BOOST_AUTO_TEST_SUITE(permit)

BOOST_AUTO_TEST_CASE(a_setup_permit_is_used_up_by_moving_it) {
    SetupPermit permit(token_for(protocol::Action::setup));
    BOOST_TEST(permit.live());
    SetupPermit taken = std::move(permit);
    BOOST_TEST(taken.live());
    BOOST_TEST(!permit.live()); // NOLINT(bugprone-use-after-move): that is what is tested
    BOOST_TEST(taken.token() == token_for(protocol::Action::setup).text());
}

BOOST_AUTO_TEST_CASE(a_setup_permit_needs_a_setup_token) {
    using protocol::Action;
    for (const Action action : {Action::publish, Action::aside, Action::cleanup, Action::retire})
        BOOST_CHECK_THROW(SetupPermit{token_for(action)}, std::logic_error);
}

BOOST_AUTO_TEST_CASE(every_kind_of_statement_belongs_to_at_most_one_action) {
    using protocol::Action;
    using protocol::StatementKind;
    for (const StatementKind kind : protocol::all_statement_kinds()) {
        int actions = 0;
        for (const Action action :
             {Action::publish, Action::aside, Action::cleanup, Action::retire, Action::setup})
            actions += engine::fits(kind, action) ? 1 : 0;
        BOOST_TEST_CONTEXT(protocol::text(kind)) {
            const bool orphan =
                kind == StatementKind::drop_orphan; // a DiscardPermit's, made from evidence only
            const bool expected = protocol::is_mutation(kind) && protocol::is_on_cluster(kind);
            BOOST_TEST(actions == (expected ? 1 : 0));
            BOOST_TEST(SetupPermit::accepts(kind) == (engine::fits(kind, Action::setup) && !orphan));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_discard_permit_is_made_only_where_every_member_shows_the_table) {
    static_assert(!std::is_copy_constructible_v<engine::DiscardPermit>);
    static_assert(!std::is_default_constructible_v<engine::DiscardPermit>);
    std::vector<protocol::ClusterRow> rows;
    for (std::uint32_t replica = 1; replica <= 2; ++replica) {
        protocol::ClusterRow row;
        row.cluster = "c1";
        row.shard_num = 1;
        row.replica_num = replica;
        row.host_name = "ch-" + std::to_string(replica);
        row.port = 9000;
        row.internal_replication = true;
        rows.push_back(row);
    }
    const auto inventory = protocol::Inventory::from_rows("c1", rows);
    BOOST_REQUIRE(inventory.has_value());
    const auto uuid = *protocol::Uuid::parse("531cacd7-0246-43f1-bcb4-cb82ae89cd70");
    const auto other = *protocol::Uuid::parse("531cacd7-0246-43f1-bcb4-cb82ae89cd71");
    const auto token = token_for(protocol::Action::setup);
    const auto shows = [&](std::size_t member, const std::string& name, const protocol::Uuid& shown) {
        protocol::MemberEvidence evidence;
        evidence.at = inventory->members()[member].at;
        evidence.catalogue.emplace();
        protocol::TableRow row;
        row.database = "db";
        row.name = name;
        row.uuid = shown;
        evidence.catalogue->tables.push_back(row);
        return evidence;
    };
    const auto make = [&](std::vector<protocol::MemberEvidence> evidence) {
        return engine::DiscardPermit::from_evidence(token, "onceswap_x", uuid, *inventory, evidence)
            .has_value();
    };
    BOOST_TEST(make({shows(0, "onceswap_x", uuid), shows(1, "onceswap_x", uuid)}));
    BOOST_TEST(!make({}));
    BOOST_TEST(!make({shows(0, "onceswap_x", uuid)}));
    BOOST_TEST(!make({shows(0, "onceswap_x", uuid), shows(0, "onceswap_x", uuid)}));
    BOOST_TEST(!make({shows(0, "onceswap_x", uuid), shows(1, "onceswap_x", other)}));
    BOOST_TEST(!make({shows(0, "onceswap_x", uuid), shows(1, "onceswap_y", uuid)}));
}

BOOST_AUTO_TEST_SUITE_END()
