#include "fixtures/sim/select_memory.hpp"

#include "world_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

// The answers of subqueries are kept while nothing that they read has changed.

using namespace onceswap;
using namespace onceswap::sim;
using namespace onceswap::sim::test;
using namespace std::chrono_literals;

namespace {

const std::string rows_of_target = "SELECT toString(serverUUID()) AS server_uuid, (SELECT count() FROM "
                                   "`db`.`target`) AS rows";
const std::string tables_of_db =
    "SELECT (SELECT groupArray(CAST(tuple(name, total_bytes) AS Tuple(n String, b Nullable(UInt64)))) FROM "
    "system.tables WHERE database = 'db') AS tables";
const std::string time_of_tables =
    "SELECT (SELECT groupArray(toUnixTimestamp(now())) FROM system.tables WHERE name = 'target') AS t";

/// Every answer is compared with a fresh one while this lives.
struct Checked {
    Checked() : before(memory.checked()) { memory.check(true); }

    ~Checked() { memory.check(before); }

    Checked(const Checked&) = delete;
    Checked& operator=(const Checked&) = delete;

    SelectMemory& memory = SelectMemory::of_this_thread();
    bool before;
};

std::uint64_t found() {
    return SelectMemory::of_this_thread().found();
}

} // namespace

BOOST_AUTO_TEST_SUITE(select_memory)

BOOST_AUTO_TEST_CASE(the_second_of_two_equal_readings_is_found) {
    const Checked checked;
    World world(simple_scenario(2), 1);
    const std::string first = select(world, 0, tables_of_db).body;
    const std::uint64_t before = found();
    BOOST_TEST(select(world, 0, tables_of_db).body == first);
    BOOST_TEST(found() == before + 1);
}

BOOST_AUTO_TEST_CASE(what_changes_is_not_found) {
    const Checked checked;
    World world(simple_scenario(2), 1);
    const std::string rows = select(world, 0, rows_of_target).body;
    const std::string tables = select(world, 0, tables_of_db).body;
    world.cluster().state().members[0].find("db", "target")->rows += 1;
    BOOST_TEST(select(world, 0, rows_of_target).body != rows);
    run_ddl(world, 0, candidate_sql);
    BOOST_TEST(select(world, 0, tables_of_db).body != tables);
}

BOOST_AUTO_TEST_CASE(what_asks_for_the_time_is_never_kept) {
    const Checked checked;
    World world(simple_scenario(2), 1);
    const std::string first = select(world, 0, time_of_tables).body;
    world.run_until(world.now() + 5s);
    BOOST_TEST(select(world, 0, time_of_tables).body != first);
}

BOOST_AUTO_TEST_CASE(a_kept_answer_that_does_not_hold_is_noticed) {
    const Checked checked;
    World world(simple_scenario(2), 4711);
    const auto statement = world.cluster().parse(rows_of_target);
    const auto& subquery = std::get<Select>(*statement).items.back().expression.subquery;
    const SettingList settings{{"output_format_json_quote_64bit_integers", "1"}};
    const State& state = world.cluster().state();
    const SelectContext context{state, state.members[1], state.users.front(), settings};
    const auto inputs = inputs_of(context, *subquery);
    BOOST_REQUIRE(inputs);
    Cell wrong;
    wrong.type = "UInt64";
    wrong.json = "\"4711\"";
    checked.memory.keep(subquery, *inputs, wrong);
    BOOST_CHECK_THROW(select(world, 1, rows_of_target), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
