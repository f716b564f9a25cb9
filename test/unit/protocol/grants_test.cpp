#include "protocol/grant_line.hpp"
#include "protocol/grants.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;
using Lines = std::vector<std::string>;

const TargetName target{"d", "t"};

const Lines exact{
    "GRANT SELECT ON system.clusters TO u",
    "GRANT SELECT ON system.replicas TO u",
    "GRANT SELECT ON system.distributed_ddl_queue TO u",
    "GRANT SELECT ON system.row_policies TO u",
    "GRANT SELECT ON system.server_settings TO u",
    "GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE ON d.* TO u",
    "GRANT ALTER UPDATE ON d.__onceswap_authority TO u",
    "GRANT CLUSTER, REMOTE ON *.* TO u",
};

Lines with(Lines lines, const Lines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
    return lines;
}

BOOST_AUTO_TEST_SUITE(grants)

struct Row {
    const char* what;
    Lines lines;
    Lines missing;
};

BOOST_AUTO_TEST_CASE(what_a_publication_lacks) {
    const Lines everything = [] {
        Lines all;
        for (const Privilege& privilege : needed_privileges(target, false))
            all.push_back(text(privilege));
        return all;
    }();
    const std::string expanded_all =
        "GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, BACKUP, KILL "
        "QUERY, KILL "
        "TRANSACTION, MOVE PARTITION BETWEEN SHARDS, ACCESS MANAGEMENT, SYSTEM, dictGet, "
        "displaySecretsInShowAndSelect, INTROSPECTION, SOURCES, CLUSTER ON *.* TO default WITH GRANT OPTION";
    const std::vector<Row> table{
        {"nothing", {}, everything},
        {"exactly what is needed", exact, {}},
        {"all", {"GRANT ALL ON *.* TO default WITH GRANT OPTION"}, {}},
        {"all, in other letters", {"grant all on *.* to `default`"}, {}},
        {"all as 24.8 prints it", {expanded_all, "GRANT TABLE ENGINE ON * TO default WITH GRANT OPTION"}, {}},
        {"groups",
         {"GRANT SELECT ON system.* TO u",
          "GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP ON d.* TO u",
          "GRANT SOURCES, CLUSTER ON *.* TO u"},
         {}},
        {"quoted names", {"GRANT ALL ON *.* TO `strange user`"}, {}},
        {"line by line", with(exact, {"GRANT dictGet ON d.* TO u", "GRANT SET DEFINER ON * TO u"}), {}},
        {"database of another name",
         {"GRANT SELECT ON system.* TO u", "GRANT ALL ON d2.* TO u", "GRANT CLUSTER, REMOTE ON *.* TO u"},
         {"SHOW TABLES ON d.*",
          "SHOW COLUMNS ON d.*",
          "SELECT ON d.__onceswap_authority",
          "SELECT ON d.*",
          "INSERT ON d.*",
          "CREATE TABLE ON d.*",
          "DROP TABLE ON d.*",
          "ALTER UPDATE ON d.__onceswap_authority"}},
        {"the target alone does not cover the candidates",
         {"GRANT SELECT ON system.* TO u",
          "GRANT ALL ON d.t TO u",
          "GRANT ALL ON d.__onceswap_authority TO u",
          "GRANT CLUSTER, REMOTE ON *.* TO u"},
         {"SHOW TABLES ON d.*",
          "SHOW COLUMNS ON d.*",
          "SELECT ON d.*",
          "INSERT ON d.*",
          "CREATE TABLE ON d.*",
          "DROP TABLE ON d.*"}},
        {"a pattern of databases",
         {"GRANT SELECT ON sys*.* TO u", "GRANT ALL ON d*.* TO u", "GRANT CLUSTER, REMOTE ON *.* TO u"},
         {}},
        {"a pattern of tables is not the database",
         with(
             {exact.begin(), exact.begin() + 5},
             {"GRANT ALL ON d.onceswap_* TO u",
              "GRANT ALL ON d.`__onceswap`* TO u",
              "GRANT CLUSTER, REMOTE ON *.* TO u"}
         ),
         {"SHOW TABLES ON d.*",
          "SHOW COLUMNS ON d.*",
          "SELECT ON d.*",
          "INSERT ON d.*",
          "CREATE TABLE ON d.*",
          "DROP TABLE ON d.*"}},
        {"CLUSTER on one database is not CLUSTER",
         with({exact.begin(), exact.end() - 1}, {"GRANT CLUSTER, REMOTE ON d.* TO u"}),
         {"CLUSTER ON *.*", "REMOTE ON *.*"}},
        {"columns are not the table",
         {"GRANT SELECT ON system.* TO u",
          "GRANT SELECT(a, b), INSERT, CREATE, DROP, ALTER, SHOW ON d.* TO u",
          "GRANT CLUSTER, REMOTE ON *.* TO u"},
         {"SELECT ON d.__onceswap_authority", "SELECT ON d.*"}},
        {"a child is not the parent",
         with(
             {exact.begin(), exact.begin() + 5},
             {"GRANT CREATE VIEW ON d.* TO u",
              "GRANT SELECT, INSERT, DROP, ALTER DELETE ON d.* TO u",
              "GRANT CLUSTER, REMOTE ON *.* TO u"}
         ),
         {"CREATE TABLE ON d.*", "ALTER UPDATE ON d.__onceswap_authority"}},
        {"roles grant nothing", {"GRANT admin, writer TO u WITH ADMIN OPTION"}, everything},
        {"lines that are none",
         {"",
          "GRANT",
          "GRANT ALL",
          "GRANT ALL ON",
          "GRANT ALL ON *.*",
          "GRANT ALL ON *.* TO",
          "GRANT ON *.* TO u",
          "GRANT ALL, ON *.* TO u",
          "ALL ON *.* TO u",
          "GRANT ALL ON *.* FROM u",
          "GRANT ALL ON d TO u",
          "GRANT ALL(a ON *.* TO u",
          "GRANT 'ALL' ON *.* TO u",
          "GRANT ALL ON . TO u",
          "GRANT ALL ON *.* TO `u"},
         everything},
        // partial revokes
        {"revoked everywhere",
         {"GRANT ALL ON *.* TO u", "REVOKE DROP TABLE ON *.* FROM u"},
         {"DROP TABLE ON d.*"}},
        {"a group revoked", {"GRANT ALL ON *.* TO u", "REVOKE DROP ON d.* FROM u"}, {"DROP TABLE ON d.*"}},
        {"revoked in another database",
         {"GRANT ALL ON *.* TO u", "REVOKE SELECT, INSERT ON secret.* FROM u"},
         {}},
        {"a table of ours revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE INSERT ON d.t FROM u"},
         {"INSERT ON d.*"}},
        {"the authority revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE ALTER UPDATE ON d.__onceswap_authority FROM u"},
         {"ALTER UPDATE ON d.__onceswap_authority"}},
        {"a table that is none of ours revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE SELECT ON d.secret FROM u"},
         {}},
        {"a pattern that reaches the candidates revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE INSERT ON d.once* FROM u"},
         {"INSERT ON d.*"}},
        {"one column revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE SELECT(secret) ON d.t FROM u"},
         {"SHOW TABLES ON d.*", "SHOW COLUMNS ON d.*", "SELECT ON d.*"}},
        {"a child revoked that nobody needs",
         {"GRANT ALL ON *.* TO u", "REVOKE CREATE VIEW ON *.* FROM u"},
         {}},
        {"a system table revoked",
         {"GRANT ALL ON *.* TO u", "REVOKE SELECT ON system.replicas FROM u"},
         {"SELECT ON system.replicas"}},
        {"given back below the revoke",
         {"GRANT ALL ON *.* TO u",
          "REVOKE SELECT ON system.* FROM u",
          "GRANT SELECT ON system.clusters TO u",
          "GRANT SELECT ON system.replicas TO u",
          "GRANT SELECT ON system.distributed_ddl_queue TO u",
          "GRANT SELECT ON system.row_policies TO u"},
         {"SELECT ON system.server_settings"}},
        {"REMOTE revoked somewhere",
         {"GRANT ALL ON *.* TO u", "REVOKE SOURCES ON *.* FROM u"},
         {"REMOTE ON *.*"}},
    };
    for (const Row& row : table) {
        BOOST_TEST_CONTEXT(row.what)
        BOOST_TEST(missing_grants(row.lines, target, false) == row.missing, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(what_a_watcher_lacks) {
    BOOST_TEST(missing_grants(exact, target, true).empty());
    const Lines reader{
        "GRANT SELECT ON system.* TO watcher",
        "GRANT SHOW TABLES, SHOW COLUMNS ON d.* TO watcher",
        "GRANT SELECT ON d.__onceswap_authority TO watcher"
    };
    BOOST_TEST(missing_grants(reader, target, true).empty());
    BOOST_TEST(!missing_grants(reader, target, false).empty());
    const Lines expected{"SELECT ON d.__onceswap_authority"};
    BOOST_TEST(
        missing_grants(Lines{reader[0], reader[1]}, target, true) == expected,
        boost::test_tools::per_element()
    );
    for (const Privilege& privilege : needed_privileges(target, true)) {
        const std::string_view name = privilege.name;
        BOOST_TEST((name == "SELECT" || name.starts_with("SHOW ")), name);
    }
}

BOOST_AUTO_TEST_CASE(every_needed_privilege_is_missed_alone) {
    for (const bool read_only : {false, true})
        for (const Privilege& left_out : needed_privileges(target, read_only)) {
            Lines lines;
            for (const Privilege& each : needed_privileges(target, read_only))
                if (!implies(each.name, left_out.name) || each.database != left_out.database)
                    lines.push_back("GRANT " + text(each) + " TO u");
            const Lines missing = missing_grants(lines, target, read_only);
            BOOST_TEST((std::ranges::find(missing, text(left_out)) != missing.end()), text(left_out));
        }
}

BOOST_AUTO_TEST_CASE(names_that_need_quotes) {
    const TargetName odd{"my db", "select"};
    const Lines lines{
        "GRANT SELECT ON system.* TO u",
        "GRANT SELECT, INSERT, CREATE TABLE, DROP TABLE, ALTER UPDATE ON `my db`.* TO u",
        "GRANT CLUSTER, REMOTE ON *.* TO u"
    };
    BOOST_TEST(missing_grants(lines, odd, false).empty());
    const TargetName other{"my db2", "select"};
    BOOST_TEST(!missing_grants(lines, other, false).empty());
}

BOOST_AUTO_TEST_CASE(roles_are_named) {
    const Lines lines{
        "GRANT SELECT ON d.* TO u", "GRANT reader, `write r` TO u WITH ADMIN OPTION", "REVOKE old FROM u"
    };
    const Lines expected{"reader", "write r"};
    BOOST_TEST(granted_roles(lines) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_hierarchy) {
    for (const char* child :
         {"SELECT",
          "INSERT",
          "CREATE TABLE",
          "DROP TABLE",
          "ALTER UPDATE",
          "CLUSTER",
          "REMOTE",
          "SHOW TABLES",
          "SHOW COLUMNS"}) {
        BOOST_TEST(implies("ALL", child), child);
        BOOST_TEST(implies("ALL PRIVILEGES", child), child);
        BOOST_TEST(implies(child, child), child);
        BOOST_TEST(!implies(child, "ALL"), child);
        BOOST_TEST(!implies("", child), child);
    }
    BOOST_TEST(implies("UPDATE", "ALTER UPDATE"));
    BOOST_TEST(implies("ALTER TABLE", "ALTER UPDATE"));
    BOOST_TEST(!implies("ALTER DELETE", "ALTER UPDATE"));
    BOOST_TEST(!implies("CREATE", "DROP TABLE"));
    BOOST_TEST(!implies("SELECT", "INSERT"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
