#include "spoilt_cluster.hpp"

namespace {

using namespace spoilt;

BOOST_AUTO_TEST_SUITE(admission)

BOOST_AUTO_TEST_CASE(a_healthy_cluster_passes_every_check) {
    for (const std::size_t members : {2U, 3U, 5U})
        for (const bool with_target : {true, false}) {
            AdmissionFacts facts = healthy::cluster(members, with_target);
            std::ranges::reverse(facts.endpoints); // URLs come in any order
            const Admission admission = admit(facts);
            BOOST_TEST_CONTEXT(list(admission.findings)) {
                BOOST_TEST(!admission.refused());
                BOOST_TEST(admission.first_refusal() == nullptr);
                BOOST_TEST(admission.findings.size() == 16U);
                for (const Finding& finding : admission.findings)
                    BOOST_TEST((finding.severity == Severity::pass), finding.check);
                BOOST_REQUIRE(admission.inventory);
                BOOST_TEST(admission.inventory->size() == members);
                BOOST_REQUIRE(admission.members.size() == members);
                for (std::size_t i = 0; i < members; ++i) {
                    BOOST_TEST(admission.members[i].member.at.host == healthy::host(i));
                    BOOST_TEST((admission.members[i].server_uuid == healthy::server(i)));
                    BOOST_TEST(admission.members[i].endpoint == members - 1 - i);
                    BOOST_TEST(admission.members[i].version == "24.8.14.39");
                }
                BOOST_TEST((admission.facade == FacadeStanding::complete));
                BOOST_TEST(admission.target.has_value() == with_target);
                if (with_target)
                    BOOST_TEST((admission.target == healthy::generation(healthy::uuid('a'))));
            }
        }
}

// Whatever part of whatever endpoint is missing: no crash, and a refusal unless the part only serves
// warnings.
BOOST_AUTO_TEST_CASE(every_missing_part_is_noticed) {
    for (unsigned mask = 0; mask < 1024; ++mask) {
        AdmissionFacts facts = healthy::cluster();
        for (std::size_t i = 0; i < 2; ++i) {
            EndpointFacts& endpoint = facts.endpoints[i];
            const unsigned bits = mask >> (5 * i);
            if (bits & 1U)
                endpoint.catalogue.reset();
            if (bits & 2U)
                endpoint.keeper.reset();
            if (bits & 4U)
                endpoint.capabilities.reset();
            if (bits & 8U)
                endpoint.row_policies.reset();
            if (bits & 16U)
                endpoint.grants.reset();
        }
        const bool only_policies = (mask & ~(8U | 8U << 5U)) == 0;
        const Admission admission = admit(facts);
        BOOST_TEST(admission.refused() == !only_policies, "mask " << mask);
        BOOST_TEST((list(admission.findings).empty() == (mask == 0)), "mask " << mask);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
