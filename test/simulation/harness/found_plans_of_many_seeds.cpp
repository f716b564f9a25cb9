#include "found_plan.hpp"

#include <boost/test/unit_test.hpp>

// More plans that once failed, each the smallest of what a search over hundreds of thousands of seeds found;
// docs/harness-findings.md tells them.

using namespace onceswap::harness;

namespace {

constexpr FoundPlan rows[] = {
    {"a copy of the statement, whose entry came after the queue had been asked",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 3, "target_exists": true, "target_rows": 1,
         "heal_at_us": 19000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1, "cancel_at": 1554}],
         "faults": [
             {"point": "effect", "match": {"class": "insert_rows"}, "effect": "truncate"},
             {"point": "arrive", "match": {"mutations_only": true, "client": "p1"}, "nth": 4, "times": 4,
              "effect": "duplicate", "delay_us": 190397},
             {"point": "at_time", "at_us": 18, "effect": "lag_follower", "on": 0, "delay_us": 11322, "lasts_us":
              150599},
             {"point": "between_sources", "match": {"class": "catalogue", "member": 0}, "nth": 12, "times": 17,
              "effect": "delay", "delay_us": 40240}]})",
     std::chrono::minutes(20)},
    {"the same, beside another worker, and the record can no longer be written",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 4, "target_exists": true, "target_rows": 1,
         "heal_at_us": 9000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "arrive", "match": {"class": "exchange"}, "effect": "copy", "text": "copy-3"},
             {"point": "arrive", "match": {"class": "authority_update"}, "nth": 2, "effect": "replay", "text":
              "copy-3"},
             {"point": "before_commit", "match": {"class": "exchange"}, "nth": 2, "effect": "edit_user", "text":
              "default", "values": {"grants": "GRANT SELECT ON db.* TO default"}}]})",
     std::chrono::minutes(20)},
    {"a member whose Keeper server stands still shows an older record and its entry",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 19000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p3", "verb": "observe", "at_us": 1714250}],
         "faults": [
             {"point": "effect", "match": {"class": "exchange"}, "effect": "lag_follower", "on": 1, "lasts_us":
              1440357},
             {"point": "enqueued", "match": {"class": "rename"}, "effect": "power_loss", "on": 0, "lasts_us":
              1924252}]})",
     std::chrono::minutes(20)},
    {"a publication that failed everywhere ends before its cancellation is heard",
     R"({"scheduler_seed": 1016089, "profile": "24.8", "members": 4, "target_exists": false, "target_rows": 1,
         "heal_at_us": 40000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1, "cancel_at": 1914},
             {"client": "p3", "verb": "publish", "invocation": "run-2", "rows": 1, "at_us": 1, "after": "p1"}],
         "faults": [
             {"point": "at_time", "effect": "run_sql", "on": 3, "text": "DROP TABLE IF EXISTS db.target",
              "settings": {"log_comment": "somebody-else"}},
             {"point": "worker_after_active", "match": {"class": "rename", "token": "-publish-"}, "times": 0,
              "effect": "host_error", "code": 36, "text": "The statement is not taken"}]})",
     std::chrono::minutes(20)},
    {"another operation was finished, and its first DROP never left the server",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 9000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1, "cleanup": false},
             {"client": "p2", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p1", "cancel_at":
              1673}],
         "faults": [
             {"point": "before_commit", "match": {"class": "drop"}, "effect": "keeper_loss"}]})",
     std::chrono::minutes(20)},
    {"a copy of a set-aside comes after the queue had been asked",
     R"({"scheduler_seed": 1148299, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 94000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1"},
             {"client": "p2", "verb": "publish", "invocation": "run-1"}],
         "faults": [
             {"point": "arrive", "match": {"class": "rename"}, "nth": 2, "effect": "duplicate", "delay_us":
              67715},
             {"point": "worker_after_active", "match": {"class": "rename"}, "times": 0, "effect": "host_error",
              "code": 242, "text": "Table is in readonly mode"}]})",
     std::chrono::minutes(20)},
    {"a member whose replica is gone from Keeper does not let a cleanup begin",
     R"({"scheduler_seed": 585963, "profile": "24.8", "members": 3, "target_exists": true, "target_rows": 1,
         "heal_at_us": 9000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p1"},
             {"client": "p4", "verb": "publish", "invocation": "run-3", "rows": 1, "at_us": 176000}],
         "faults": [
             {"point": "worker_after_status", "match": {"class": "create_facade"}, "effect": "revert"},
             {"point": "worker_after_status", "match": {"class": "rename"}, "effect": "revert"},
             {"point": "worker_before_active", "match": {"class": "rename"}, "nth": 2, "effect": "run_sql",
              "on": 0, "text": "DROP TABLE IF EXISTS db.target"}]})",
     std::chrono::minutes(60)},
    {"a row that begins at version 0 again stands under an UPDATE that has read the one before",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 12000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p6", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "effect", "match": {"class": "exchange"}, "effect": "edit_authority", "values":
              {"_version": "0"}},
             {"point": "before_commit", "match": {"class": "authority_update"}, "times": 2, "effect": "delay",
              "delay_us": 50335}]})",
     std::chrono::minutes(20)},
    {"the same, of a backup with a permit in it",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 7000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p3", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "before_commit", "match": {"class": "authority_update"}, "effect": "delay", "delay_us":
              154803},
             {"point": "after_commit", "match": {"class": "authority_update"}, "effect": "keep_authority",
              "text": "backup"},
             {"point": "worker_before_status", "match": {"class": "rename"}, "effect": "restore_authority",
              "text": "backup", "values": {"version": "reset"}}]})",
     std::chrono::minutes(30)},
    {"the same, and the operation is abandoned over it",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 30000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1"},
             {"client": "p2", "verb": "abandon", "at_us": 558000}],
         "faults": [
             {"point": "after_commit", "match": {"class": "authority_update"}, "effect": "keep_authority",
              "text": "backup-2"},
             {"point": "before_commit", "match": {"class": "authority_update"}, "nth": 6, "effect":
              "restore_authority", "text": "backup-2", "values": {"version": "reset"}},
             {"point": "after_commit", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup-4"},
             {"point": "at_time", "at_us": 478637, "effect": "restore_authority", "text": "backup-4", "values":
              {"version": "reset"}}]})",
     std::chrono::minutes(20)},
    {"a backup is put back while the admission of another worker waits for members that differ",
     R"({"scheduler_seed": 305507, "profile": "24.8", "members": 4, "target_exists": true, "target_rows": 1,
         "heal_at_us": 4000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 50000}],
         "faults": [
             {"point": "after_commit", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup-0"},
             {"point": "worker_before_status", "match": {"class": "rename"}, "effect": "restore_authority",
              "text": "backup-0", "values": {"version": "kept"}}]})",
     std::chrono::minutes(30)},
    {"the same, before the statement has run",
     R"({"scheduler_seed": 629645, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 47000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p4", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 325169}],
         "faults": [
             {"point": "after_commit", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup"},
             {"point": "enqueued", "match": {"class": "exchange"}, "effect": "restore_authority", "text":
              "backup", "values": {"version": "kept"}}]})",
     std::chrono::minutes(20)},
    {"the same, of a backup whose versions begin anew",
     R"({"scheduler_seed": 1120229, "profile": "24.8", "members": 4, "target_exists": true, "target_rows": 1,
         "heal_at_us": 21000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p4", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p5", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p6", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "effect", "match": {"class": "authority_insert"}, "effect": "keep_authority", "text":
              "backup-3"},
             {"point": "send", "match": {"class": "authority_update"}, "nth": 2, "effect": "restore_authority",
              "text": "backup-3", "values": {"version": "reset"}},
             {"point": "between_phases", "match": {"class": "authority_update"}, "effect": "delay", "delay_us":
              11481}]})",
     std::chrono::minutes(20)},
    {"when another operation is finished, a third one stands in the slot",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": false, "target_rows": 1,
         "heal_at_us": 54000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1, "after": "p1"},
             {"client": "p3", "verb": "publish", "invocation": "run-2", "rows": 1, "at_us": 45500},
             {"client": "p4", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p3"},
             {"client": "p5", "verb": "publish", "invocation": "run-1", "rows": 1, "after": "p3"},
             {"client": "p7", "verb": "publish", "invocation": "run-3", "rows": 1}],
         "faults": [
             {"point": "arrive", "match": {"class": "authority_update"}, "effect": "keep_authority", "text":
              "backup-2"},
             {"point": "at_time", "at_us": 856984, "effect": "restore_authority", "text": "backup-2", "values":
              {"version": "kept"}},
             {"point": "arrive", "match": {"class": "catalogue", "member": 1}, "nth": 33, "effect": "tear",
              "delay_us": 271791, "code": 3, "text": "tables"}]})",
     std::chrono::minutes(30)},
    {"a deadline ends the last of many readings of a poisoned queue before all members have answered",
     R"({"scheduler_seed": 281351, "profile": "24.8", "members": 4, "target_exists": false, "target_rows": 1,
         "heal_at_us": 15000000, "repair_queue": false, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p1"},
             {"client": "p3", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 1978670},
             {"client": "p4", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 34563781}],
         "faults": [
             {"point": "worker_before_active", "match": {"class": "rename"}, "effect": "crash", "lasts_us":
              1399955},
             {"point": "at_time", "at_us": 519231, "effect": "poison_queue",
              "text": "TRANSMOGRIFY TABLE db.target ON CLUSTER c1", "settings": {"log_comment": "somebody-else"}}]})",
     std::chrono::minutes(180)},
    {"the only server that answers is a new one, and the record names the others",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 3, "target_exists": true, "target_rows": 1,
         "heal_at_us": 25000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "at_time", "at_us": 618586, "effect": "crash", "on": 0},
             {"point": "worker_before_active", "match": {"class": "exchange"}, "effect": "crash", "on": 1},
             {"point": "at_time", "at_us": 499750, "effect": "edit_member", "on": 2, "values": {"server_uuid":
              "eeeeeeee-0000-4000-8000-000000000012"}},
             {"point": "at_time", "at_us": 610482, "effect": "edit_cluster", "text": "c1", "values": {"members":
              "0,2"}}]})",
     std::chrono::minutes(120)},
    {"the queue's cleaner takes an entry away before it has ended, and a copy of its statement has another "
     "one",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 5000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "arrive", "match": {"class": "rename"}, "effect": "duplicate", "delay_us": 58553},
             {"point": "arrive", "match": {"class": "exchange"}, "effect": "copy", "text": "copy-2"},
             {"point": "arrive", "match": {"class": "authority_update"}, "nth": 3, "effect": "replay",
              "on": 1, "text": "copy-2"},
             {"point": "worker_after_execute", "match": {"class": "rename"}, "effect": "remove_entries",
              "text": "-aside-"}]})",
     std::chrono::minutes(20)},
};

} // namespace

BOOST_AUTO_TEST_SUITE(found_plans_of_many_seeds)

BOOST_AUTO_TEST_CASE(hold_every_invariant_now) {
    for (const FoundPlan& row : rows)
        check_found_plan(row);
}

BOOST_AUTO_TEST_SUITE_END()
