#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission_capabilities)

BOOST_AUTO_TEST_CASE(versions) {
    for (const char* version :
         {"23.10.1.1", "23.11", "24.8.14.39", "25.1.1", "100.0", "24.8.14.39-altinity"}) {
        AdmissionFacts facts = healthy::cluster();
        catalogue(facts).identity.version = version;
        BOOST_TEST(list(admit(facts).findings) == "", version);
    }
    for (const char* version :
         {"23.9.7.102", "22.12", "18.16.1", "", "24", "x.y", "24.", ".8", "-24.8", "23.1.10"}) {
        AdmissionFacts facts = healthy::cluster();
        catalogue(facts).identity.version = version;
        BOOST_TEST(
            has(admit(facts).findings,
                Severity::refuse,
                Code::capability_missing,
                "ch2:9000",
                "23.10 or later"),
            version
        );
    }
}

BOOST_AUTO_TEST_CASE(capabilities) {
    std::vector<Row> rows{
        {"not answered",
         [](auto& f) {
             f.endpoints[1].capabilities.reset();
             f.endpoints[1].problems = {"capabilities: timed out"};
         },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "timed out"},
        {"entries without settings",
         [](auto& f) { capability(f).settings["distributed_ddl_entry_format_version"] = "1"; },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "distributed_ddl_entry_format_version is 1"},
        {"no entry format",
         [](auto& f) { capability(f).settings.erase("distributed_ddl_entry_format_version"); },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "not there"},
        {"settings column of another type",
         [](auto& f) { capability(f).queue_columns["settings"] = "String"; },
         Severity::refuse,
         Code::capability_missing,
         "ch2:9000",
         "not a Map"},
        {"no grants",
         [](auto& f) {
             f.endpoints[1].grants.reset();
             f.endpoints[1].problems = {"grants: timed out"};
         },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "timed out"},
        {"a privilege missing on one member",
         [](auto& f) { f.endpoints[1].grants->push_back("REVOKE DROP TABLE ON d.* FROM u"); },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "missing: DROP TABLE ON d.*"},
        {"a role",
         [](auto& f) { f.endpoints[1].grants = {"GRANT publisher TO u"}; },
         Severity::refuse,
         Code::access_insufficient,
         "ch2:9000",
         "the roles publisher"},
        {"no database",
         [](auto& f) { catalogue(f).databases.clear(); },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "no database 'd'"},
        {"a Replicated database",
         [](auto& f) { catalogue(f).databases[0].engine = "Replicated"; },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "engine Replicated"},
        {"an Ordinary database",
         [](auto& f) { catalogue(f).databases[0].engine = "Ordinary"; },
         Severity::refuse,
         Code::database_unsupported,
         "ch2:9000",
         "engine Ordinary"},
    };
    for (const auto& [name, value] : healthy::capabilities(0).settings) {
        if (name == "distributed_ddl_entry_format_version")
            continue;
        rows.push_back(
            {"setting missing",
             [name](auto& f) { capability(f).settings.erase(name); },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
        rows.push_back(
            {"setting constrained",
             [name](auto& f) { capability(f).readonly_settings = {name}; },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
    }
    const CapabilityFacts reference = healthy::capabilities(0);
    for (const auto& [name, type] : reference.queue_columns)
        rows.push_back(
            {"queue column missing",
             [name](auto& f) { capability(f).queue_columns.erase(name); },
             Severity::refuse,
             Code::capability_missing,
             "ch2:9000",
             name}
        );
    run(rows, healthy::cluster());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
