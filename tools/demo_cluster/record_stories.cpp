#include "tools/demo_cluster/strikes.hpp"

// What others do to the record, to the cluster and to the tables.

namespace onceswap::demo_cluster {

using sim::Effect;
using sim::Fault;
using sim::MemberIndex;

namespace {

Step publish_that_completes() {
    return Step("nothing goes wrong", Command::publish);
}

Step look() {
    return Step("what can be proven", Command::status);
}

} // namespace

std::vector<Step> no_record_steps() {
    return {Step("nothing was ever published", Command::status)};
}

std::vector<Step> authority_lost_steps() {
    Fault removal = at_once(Effect::edit_authority);
    removal.values = {{"_delete", "1"}};
    return {publish_that_completes(), happens("somebody deletes the record from Keeper", {removal}), look()};
}

std::vector<Step> authority_invalid_steps() {
    Fault edit = at_once(Effect::edit_authority);
    edit.values = {{"payload_sha256", std::string(64, '0')}};
    return {publish_that_completes(), happens("somebody edits the record by hand", {edit}), look()};
}

std::vector<Step> authority_foreign_steps() {
    std::vector<Fault> others;
    for (MemberIndex member = 0; member < member_count; ++member) {
        Fault other = at_once(Effect::edit_member);
        other.on = member;
        other.values = {{"server_uuid", "99999999-9999-4999-8999-99999999999" + std::to_string(member)}};
        others.push_back(other);
    }
    return {
        publish_that_completes(),
        happens("all servers are replaced by others that find the record of the old ones", others),
        look()
    };
}

std::vector<Step> inventory_drift_steps() {
    Fault smaller = at_once(Effect::edit_cluster);
    smaller.text = "c1";
    smaller.values = {{"members", "0,1"}};
    return {
        publish_that_dies_before_its_statement(),
        happens("ch-3 is taken out of the cluster's configuration", {smaller}),
        look()
    };
}

std::vector<Step> drifted_steps() {
    Fault by_hand = at_once(Effect::run_sql);
    by_hand.on = 1;
    by_hand.text = "RENAME TABLE `db`.`target` TO `db`.`target_by_hand`";
    return {
        publish_that_completes(), happens("somebody renames the table on ch-2, by hand", {by_hand}), look()
    };
}

} // namespace onceswap::demo_cluster
