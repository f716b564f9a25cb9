#include "found_plan.hpp"

#include <boost/test/unit_test.hpp>

// Plans that once failed, minimized. Each was a bug of ours; docs/harness-findings.md tells them.

using namespace onceswap::harness;

namespace {

constexpr FoundPlan rows[] = {
    {"every member refuses us between two passes",
     R"({"members": 2, "heal_at_us": 12000000, "successor": false,
         "processes": [{"client": "p1", "invocation": "run-1", "rows": 1}],
         "faults": [{"point": "enqueued", "match": {"class": "exchange"}, "effect": "edit_user",
                     "text": "default", "values": {"readonly": "1"}}]})",
     std::chrono::minutes(20)},
    {"a worker takes over the candidate that another worker of its operation staged",
     R"({"scheduler_seed": 1299, "profile": "24.8", "members": 2, "target_exists": false, "target_rows": 1,
         "heal_at_us": 56000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p1",
              "crash_at": 53, "crash_point": "arrive"},
             {"client": "p3", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p4", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "reply", "match": {"class": "capabilities"}, "effect": "lose"},
             {"point": "before_commit", "match": {"class": "authority_insert"}, "effect": "keeper_loss"},
             {"point": "arrive", "match": {"class": "authority_update"}, "nth": 4, "effect": "delay",
              "delay_us": 19436}]})",
     std::chrono::minutes(60)},
    {"a member has two other names one after the other, and a record was made between them",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 16000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1"},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "at_us": 30750}],
         "faults": [
             {"point": "at_time", "at_us": 141091, "effect": "edit_member", "on": 1,
              "values": {"host": "renamed-1"}},
             {"point": "before_commit", "match": {"class": "create_facade"}, "effect": "edit_member", "on": 1,
              "values": {"port": "9440"}}]})",
     std::chrono::minutes(20)},
    {"a poisoned entry stays in the queue, so that waiting for it is right",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 10000000, "repair_queue": false, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1"}],
         "faults": [{"point": "worker_before_active", "match": {"class": "exchange"}, "effect": "poison_queue",
                     "text": "TRANSMOGRIFY TABLE db.target ON CLUSTER c1"}]})",
     std::chrono::minutes(180)}, // what waits for the queue does so until its deadline
    {"a backup from before the first record is put back under a cleanup",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 169000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "arrive", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup"},
             {"point": "worker_after_status", "match": {"class": "drop"}, "effect": "restore_authority",
              "text": "backup", "values": {"version": "kept"}}]})",
     std::chrono::minutes(20)},
    {"a member is another server when its operation is prepared again",
     R"({"members": 3, "target_rows": 1, "heal_at_us": 101000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1"}],
         "faults": [
             {"point": "at_time", "at_us": 275811, "effect": "edit_member", "on": 1,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000011"}},
             {"point": "at_time", "at_us": 120622, "effect": "edit_cluster", "text": "c1",
              "values": {"members": "1,2"}}]})",
     std::chrono::minutes(20)},
    {"a backup that equals the record is put back while it is compared and swapped",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 15000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "after_commit", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup"},
             {"point": "before_commit", "match": {"class": "authority_update"}, "effect": "restore_authority",
              "text": "backup", "values": {"version": "reset"}}]})",
     std::chrono::minutes(20)},
    {"a client is killed as it sends, and another fault strikes with it",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 5000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "send", "match": {"class": "create_facade"}, "effect": "crash_client"},
             {"point": "send", "match": {"class": "create_facade"}, "effect": "edit_table", "on": 1,
              "text": "db.__onceswap_authority", "values": {"activation": "metadata"}}]})",
     std::chrono::minutes(60)},
    {"all servers are others, and a record of the first ones is put back with its version",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 105000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p3", "verb": "publish", "invocation": "run-2", "rows": 1}],
         "faults": [
             {"point": "after_commit", "match": {"class": "authority_update"}, "effect": "keep_authority",
              "text": "backup"},
             {"point": "at_time", "at_us": 830860, "effect": "restore_authority", "text": "backup",
              "values": {"version": "reset"}},
             {"point": "at_time", "at_us": 550253, "effect": "edit_member", "on": 0,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000010"}},
             {"point": "at_time", "at_us": 550253, "effect": "edit_member", "on": 1,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000011"}}]})",
     std::chrono::minutes(60)},
    {"a publication is cancelled while it finishes another operation's cleanup",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 9000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1, "cancel_at": 1280},
             {"client": "p3", "verb": "publish", "invocation": "run-2", "rows": 1, "after": "p1",
              "cancel_at": 1183}],
         "faults": [{"point": "send", "match": {"class": "rename"}, "effect": "crash", "on": 0,
                     "lasts_us": 1056}]})",
     std::chrono::minutes(60)},
    {"a backup of a record is put back after its statement had waited out the visibility",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 49000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p6", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "between_phases", "match": {"class": "authority_update"}, "nth": 4,
              "effect": "reset"},
             {"point": "after_commit", "match": {"class": "authority_update"}, "nth": 4,
              "effect": "keep_authority", "text": "backup"},
             {"point": "enqueued", "match": {"class": "drop"}, "effect": "restore_authority",
              "text": "backup", "values": {"version": "kept"}}]})",
     std::chrono::minutes(120)},
    {"a copy of a set-aside has ended, and the queue shows nothing of either",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 7000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "effect", "match": {"class": "rename"}, "effect": "duplicate"},
             {"point": "enqueued", "match": {"class": "exchange"}, "effect": "set_setting",
              "values": {"distributed_ddl_entry_format_version": "1"}}]})",
     std::chrono::minutes(60)},
    {"a lagging Keeper server shows a partial entry as under way after its end",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 4, "target_exists": true, "target_rows": 1,
         "heal_at_us": 43000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "at_time", "at_us": 460104, "effect": "set_setting",
              "values": {"max_execution_time": "readonly:5"}},
             {"point": "effect", "match": {"class": "authority_update"}, "effect": "lag_follower", "on": 0},
             {"point": "worker_after_active", "match": {"class": "exchange", "member": 3,
              "token": "-publish-"}, "times": 0, "effect": "host_error", "code": 36,
              "text": "The statement is not taken"}]})",
     std::chrono::minutes(60)},
    {"a record is read before a member hangs, and is foreign once that one is given up",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 19000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p3", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 1867250}],
         "faults": [
             {"point": "worker_after_status", "match": {"class": "exchange"}, "effect": "pause", "on": 1,
              "lasts_us": 16438821},
             {"point": "at_time", "at_us": 491414, "effect": "edit_member", "on": 0,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000010"}}]})",
     std::chrono::minutes(180)},
    {"an operation over a backup writes the versions of before for another candidate",
     R"({"scheduler_seed": 118819, "profile": "24.8", "members": 3, "target_exists": true, "target_rows": 1,
         "heal_at_us": 27000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1, "after": "p1"},
             {"client": "p3", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p4", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p5", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "worker_after_execute", "match": {"class": "drop"}, "effect": "pause", "on": 2,
              "lasts_us": 514496},
             {"point": "effect", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup-5"},
             {"point": "at_time", "at_us": 1069140, "effect": "restore_authority", "text": "backup-5",
              "values": {"version": "reset"}},
             {"point": "between_phases", "match": {"class": "authority_update"}, "effect": "delay",
              "delay_us": 37359}]})",
     std::chrono::minutes(180)},
    {"a deadline falls into a reading of a queue that stays poisoned",
     R"({"scheduler_seed": 117007, "profile": "24.8", "members": 5, "target_exists": false, "target_rows": 1,
         "heal_at_us": 27000000, "repair_queue": false, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "effect", "match": {"class": "rename"}, "effect": "poison_queue",
              "text": "TRANSMOGRIFY TABLE db.target ON CLUSTER c1"}]})",
     std::chrono::minutes(240)},
    {"a retirement is refused by what a table depends on",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 3, "target_exists": true, "target_rows": 1,
         "heal_at_us": 28000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1"}],
         "faults": [
             {"point": "at_time", "effect": "edit_table", "text": "db.target",
              "values": {"loading_dependents": "db.dictionary"}},
             {"point": "worker_after_active", "match": {"class": "exchange", "member": 2,
              "token": "-publish-"}, "times": 0, "effect": "host_error", "code": 48,
              "text": "The statement is not taken"}]})",
     std::chrono::minutes(60)},
    {"a damaged record stands under a name that the cluster had",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 6000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "effect", "match": {"class": "authority_update"}, "effect": "edit_authority",
              "values": {"phase": "COMPLETED"}},
             {"point": "at_time", "effect": "add_cluster", "text": "a_cluster"}]})",
     std::chrono::minutes(60)},
    {"a record is damaged under one of two names of the cluster",
     R"({"scheduler_seed": 1, "profile": "24.8", "members": 2, "target_exists": true, "target_rows": 1,
         "heal_at_us": 115000000, "successor": false,
         "processes": [
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1, "at_us": 516156},
             {"client": "p4", "verb": "publish", "invocation": "run-2", "rows": 1}],
         "faults": [
             {"point": "enqueued", "match": {"class": "exchange"}, "effect": "edit_authority",
              "values": {"dispatch_epoch": "9"}},
             {"point": "before_commit", "match": {"class": "exchange"}, "effect": "add_cluster",
              "text": "a_cluster"}]})",
     std::chrono::minutes(60)},
    {"a publication that stops at COMMITTED is cancelled as it writes that",
     R"({"scheduler_seed": 184487, "members": 3, "target_rows": 1, "heal_at_us": 12000000, "successor": false,
         "processes": [
             {"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1},
             {"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1, "cleanup": false,
              "at_us": 369000},
             {"client": "p3", "verb": "publish", "invocation": "run-2", "rows": 1, "cleanup": false,
              "after": "p1", "cancel_at": 1771}],
         "faults": []})",
     std::chrono::minutes(20)},
    {"a deadline falls into the reading of one member while the queue stays poisoned",
     R"({"scheduler_seed": 256795, "members": 3, "target_exists": false, "target_rows": 1,
         "heal_at_us": 55000000, "repair_queue": false, "successor": false,
         "processes": [{"client": "p2", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [{"point": "worker_after_status", "match": {"class": "rename"}, "effect": "poison_queue",
                     "text": "TRANSMOGRIFY TABLE db.target ON CLUSTER c1"}]})",
     std::chrono::minutes(240)},
    {"all servers are others, and a backup that equals the record is put back",
     R"({"members": 2, "target_rows": 1, "heal_at_us": 6000000, "successor": false,
         "processes": [{"client": "p1", "verb": "publish", "invocation": "run-1", "rows": 1}],
         "faults": [
             {"point": "at_time", "at_us": 91734, "effect": "lag_follower", "on": 1, "lasts_us": 1157188},
             {"point": "after_commit", "match": {"class": "authority_insert"}, "effect": "keep_authority",
              "text": "backup-9"},
             {"point": "at_time", "at_us": 957652, "effect": "restore_authority", "text": "backup-9",
              "values": {"version": "kept"}},
             {"point": "at_time", "at_us": 640673, "effect": "edit_member", "on": 0,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000010"}},
             {"point": "at_time", "at_us": 640673, "effect": "edit_member", "on": 1,
              "values": {"server_uuid": "eeeeeeee-0000-4000-8000-000000000011"}}]})",
     std::chrono::minutes(60)},
};

} // namespace

BOOST_AUTO_TEST_SUITE(found_plans)

BOOST_AUTO_TEST_CASE(hold_every_invariant_now) {
    for (const FoundPlan& row : rows)
        check_found_plan(row);
}

BOOST_AUTO_TEST_SUITE_END()
