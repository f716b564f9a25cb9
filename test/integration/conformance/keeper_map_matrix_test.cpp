#include "both_clusters.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

// The whole product of what can stand in a statement about the record and what can stand in the keeper, on
// the engine and in the simulator, which must end alike, and leave what the rule says that they leave: a row
// is changed where everything that the WHERE names is equal, and strictness changes nothing without a race.

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(keeper_map_matrix)

namespace {

enum class Stored { absent, fresh, written, made_again };
enum class Key { own, neighbour, any };
enum class Version { any, equal, older, newer };
enum class Columns { any, equal, operation_differs, fence_differs, phase_differs, digest_differs };
enum class Verb { select, update, remove };

constexpr std::array all_stored{Stored::absent, Stored::fresh, Stored::written, Stored::made_again};
constexpr std::array all_keys{Key::own, Key::neighbour, Key::any};
constexpr std::array all_versions{Version::any, Version::equal, Version::older, Version::newer};
constexpr std::array all_columns{
    Columns::any,
    Columns::equal,
    Columns::operation_differs,
    Columns::fence_differs,
    Columns::phase_differs,
    Columns::digest_differs
};

/// One statement, about a row and a neighbour of its own.
struct Cell {
    RecordRow own;
    RecordRow neighbour;
    Stored stored = Stored::absent;
    Predicate predicate;
    Verb verb = Verb::select;
    bool strict = true;
    bool other_values = true;
    bool alone = false; ///< it can reach rows of other cells
};

Predicate predicate_of(const Cell& cell, Key key, Version version, Columns columns) {
    Predicate predicate;
    if (key != Key::any)
        predicate.key = key == Key::own ? cell.own.key : cell.neighbour.key;
    const std::int64_t now = cell.stored == Stored::written ? 1 : 0;
    switch (version) {
    case Version::any:
        break;
    case Version::equal:
        predicate.version = now;
        break;
    case Version::older: // than 0 there is none: the largest then
        predicate.version = now == 0 ? 2147483647 : now - 1;
        break;
    case Version::newer:
        predicate.version = now + 1;
        break;
    }
    if (columns == Columns::any)
        return predicate;
    const RecordRow other = written_over(cell.own);
    const auto value = [&](Columns one, std::string RecordRow::* member) {
        return columns == one ? other.*member : cell.own.*member;
    };
    predicate.operation = value(Columns::operation_differs, &RecordRow::operation);
    predicate.fence = value(Columns::fence_differs, &RecordRow::fence);
    predicate.phase = value(Columns::phase_differs, &RecordRow::phase);
    predicate.digest = value(Columns::digest_differs, &RecordRow::digest);
    return predicate;
}

std::vector<Cell> product(Verb verb) {
    std::vector<Cell> cells;
    const auto add = [&](Stored stored, Key key, Version version, Columns columns, bool strict, bool other) {
        Cell cell;
        char number[8];
        std::snprintf(number, sizeof number, "%06zu", cells.size());
        cell.own = record_row("c" + std::string(number));
        cell.neighbour = record_row("n" + std::string(number));
        cell.stored = stored;
        cell.verb = verb;
        cell.strict = strict;
        cell.other_values = other;
        cell.predicate = predicate_of(cell, key, version, columns);
        cell.alone = key == Key::any && columns == Columns::any;
        cells.push_back(std::move(cell));
    };
    for (const Stored stored : all_stored)
        for (const Key key : all_keys)
            for (const Version version : all_versions)
                for (const Columns columns : all_columns)
                    for (const bool strict : {true, false}) {
                        if (verb == Verb::select && !strict)
                            continue; // it has no such thing
                        for (const bool other : {true, false})
                            if (other || verb == Verb::update)
                                add(stored, key, version, columns, strict, other);
                    }
    return cells;
}

std::string list_of(const std::vector<RecordRow>& rows) {
    std::string list;
    for (const RecordRow& row : rows)
        list += (list.empty() ? "" : ", ") + values_of(row);
    return list;
}

/// Makes what is to be stored for these cells, and nothing else; the rows that are there then.
std::vector<RecordRow> prepare(BothClusters& both, const std::vector<Cell>& cells) {
    std::vector<RecordRow> there;
    std::vector<RecordRow> again;
    std::vector<RecordRow> twice;
    for (const Cell& cell : cells) {
        there.push_back(cell.neighbour);
        if (cell.stored == Stored::absent)
            continue;
        there.push_back(cell.own);
        if (cell.stored == Stored::made_again)
            again.push_back(cell.own);
        if (cell.stored == Stored::written) {
            there.back().version = 1;
            twice.push_back(cell.own);
        }
    }
    const std::string insert = "INSERT INTO " + both.table() + " (" + record_columns + ") VALUES ";
    const std::string remove = "ALTER TABLE " + both.table() + " DELETE WHERE 1 = 1";
    both.done(remove, write_settings(false));
    if (!again.empty()) {
        both.done(insert + list_of(again), write_settings(true));
        both.done(remove, write_settings(false));
    }
    both.done(insert + list_of(there), write_settings(true));
    if (!twice.empty())
        both.done(insert + list_of(twice), write_settings(false));
    std::ranges::sort(there);
    return there;
}

/// What the rule makes of the rows. How many rows it is about.
std::size_t apply(const Cell& cell, std::vector<RecordRow>& rows) {
    const auto meant = [&](const RecordRow& row) { return cell.predicate.holds(row); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, meant));
    if (cell.verb == Verb::remove)
        std::erase_if(rows, meant);
    if (cell.verb == Verb::update)
        for (RecordRow& row : rows) {
            if (!meant(row))
                continue;
            const RecordRow values = cell.other_values ? written_over(cell.own) : cell.own;
            const std::string key = row.key;
            const std::int64_t version = row.version + 1; // also where nothing differs
            row = values;
            row.key = key;
            row.version = version;
        }
    return count;
}

std::string statement_of(const Cell& cell, const std::string& table) {
    if (cell.verb == Verb::remove)
        return "ALTER TABLE " + table + " DELETE WHERE " + cell.predicate.sql();
    return "ALTER TABLE " + table + " UPDATE " +
           assignments_of(cell.other_values ? written_over(cell.own) : cell.own) + " WHERE " +
           cell.predicate.sql();
}

struct Counts {
    std::size_t cells = 0;
    std::size_t effective = 0; ///< a row was meant
};

/// All of them, or the fifth of them that does for every day: 5 divides the length of no axis.
std::vector<Cell> chosen(std::vector<Cell> cells) {
    if (std::getenv("ONCESWAP_TEST_ALL") != nullptr)
        return cells;
    std::vector<Cell> some;
    for (std::size_t i = 0; i < cells.size(); i += 5)
        some.push_back(std::move(cells[i]));
    return some;
}

Counts run(BothClusters& both, const std::vector<Cell>& cells) {
    constexpr std::size_t most_together = 24;
    Counts counts;
    for (std::size_t at = 0; at < cells.size();) {
        std::vector<Cell> together{cells[at]};
        while (!together.front().alone && together.size() < most_together &&
               at + together.size() < cells.size() && !cells[at + together.size()].alone)
            together.push_back(cells[at + together.size()]);
        at += together.size();
        std::vector<RecordRow> rows = prepare(both, together);
        for (const Cell& cell : together) {
            ++counts.cells;
            const std::string what = "cell of " + cell.own.key;
            if (cell.verb == Verb::select) {
                std::vector<RecordRow> meant;
                std::ranges::copy_if(rows, std::back_inserter(meant), [&](const RecordRow& row) {
                    return cell.predicate.holds(row);
                });
                const auto seen = both.rows(counts.cells % 2, cell.predicate, what);
                BOOST_TEST((seen == meant), what << "\n" << text_of(seen) << "rule\n" << text_of(meant));
                counts.effective += meant.empty() ? 0U : 1U;
                continue;
            }
            const Outcome outcome =
                both.same(0, statement_of(cell, both.table()), write_settings(cell.strict), what);
            BOOST_TEST(outcome.status == 200U, what << ": " << text_of(outcome));
            counts.effective += apply(cell, rows) == 0 ? 0U : 1U;
        }
        const auto seen = both.rows(1, {}, "after " + together.back().own.key); // by the other member
        BOOST_TEST((seen == rows), "both\n" << text_of(seen) << "rule\n" << text_of(rows));
    }
    return counts;
}

void check(const char* name, const char* database, Verb verb, std::size_t values) {
    std::vector<Cell> whole = product(verb);
    const std::size_t of = whole.size();
    BOOST_TEST(of == all_stored.size() * all_keys.size() * all_versions.size() * all_columns.size() * values);
    BothClusters both(database);
    const Counts counts = run(both, chosen(std::move(whole)));
    BOOST_TEST(counts.effective > 0U);
    std::cout << name << ": " << counts.cells << " of " << of << " statements, " << counts.effective
              << " about a row that is there\n";
}

} // namespace

BOOST_AUTO_TEST_CASE(select) {
    check("SELECT", "matrix_select", Verb::select, 1);
}

BOOST_AUTO_TEST_CASE(update) {
    check("UPDATE", "matrix_update", Verb::update, 4);
}

BOOST_AUTO_TEST_CASE(remove) {
    check("DELETE", "matrix_delete", Verb::remove, 2);
}

/// What is stored x strict or not x the same or other values x the rows of one INSERT x which columns it
/// names.
BOOST_AUTO_TEST_CASE(insert) {
    enum class Rows { own, own_then_new, new_then_own, own_twice };
    enum class Named { all, without_payload, none };
    BothClusters both("matrix_insert");
    std::size_t statements = 0;
    std::size_t refused = 0;
    for (const Stored stored : all_stored)
        for (const bool strict : {true, false}) {
            std::vector<Cell> cells;
            for (std::size_t i = 0; i < 24; ++i) {
                Cell cell;
                const std::string number = std::to_string(10 + i);
                cell.own = record_row("c" + number);
                cell.neighbour = record_row("n" + number);
                cell.stored = stored;
                cells.push_back(cell);
            }
            std::vector<RecordRow> there = prepare(both, cells);
            std::size_t next = 0;
            for (const bool other : {true, false})
                for (const Rows rows : {Rows::own, Rows::own_then_new, Rows::new_then_own, Rows::own_twice})
                    for (const Named named : {Named::all, Named::without_payload, Named::none}) {
                        const Cell& cell = cells.at(next++);
                        const RecordRow written = other ? written_over(cell.own) : cell.own;
                        const RecordRow added = record_row("new" + cell.own.key);
                        std::vector<RecordRow> sent{written};
                        if (rows == Rows::own_then_new)
                            sent = {written, added};
                        if (rows == Rows::new_then_own)
                            sent = {added, written};
                        if (rows == Rows::own_twice)
                            sent = {record_row(cell.own.key), written};
                        std::string columns = record_columns;
                        std::string values = list_of(sent);
                        if (named == Named::without_payload) {
                            columns.erase(columns.find("payload, "), 9);
                            for (RecordRow& row : sent) {
                                const std::string payload = "'" + row.payload + "', ";
                                values.erase(values.find(payload), payload.size());
                                row.payload.clear();
                            }
                        }
                        const Outcome outcome = both.same(
                            0,
                            "INSERT INTO " + both.table() +
                                (named == Named::none ? " " : " (" + columns + ") ") + "VALUES " + values,
                            write_settings(strict),
                            "INSERT " + std::to_string(statements)
                        );
                        ++statements;
                        const auto present = std::ranges::find(there, cell.own.key, &RecordRow::key);
                        const bool refusal = strict && present != there.end();
                        BOOST_TEST(outcome.code == (refusal ? 999 : 0), text_of(outcome));
                        if (refusal) { // and nothing of it is written
                            BOOST_TEST(outcome.text.find("(Node exists)") != std::string::npos);
                            ++refused;
                            continue;
                        }
                        if (rows == Rows::own_twice)
                            sent.erase(sent.begin()); // the last of them is written, once
                        for (RecordRow row : sent) {
                            const auto old = std::ranges::find(there, row.key, &RecordRow::key);
                            if (old == there.end()) {
                                there.push_back(row);
                            } else {
                                row.version = old->version + 1;
                                *old = row;
                            }
                        }
                    }
            std::ranges::sort(there);
            const auto seen = both.rows(1, {}, "after the INSERTs");
            BOOST_TEST((seen == there), "both\n" << text_of(seen) << "rule\n" << text_of(there));
        }
    BOOST_TEST(statements == 4U * 2U * 2U * 4U * 3U);
    std::cout << "INSERT: " << statements << " statements, " << refused
              << " refused because the key is there\n";
}

BOOST_AUTO_TEST_SUITE_END()
