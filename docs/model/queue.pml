/* The distributed DDL queue, the catalogues and the members' DDL workers, as fixtures/sim and docs/sim-clickhouse.md
   describe ClickHouse. */

#define Action_publish 1 /* EXCHANGE TABLES, or RENAME of the candidate to an absent target */
#define Action_aside 2   /* RENAME candidate TO candidate__aside; Action::retire sends the same */
#define Action_cleanup 3 /* DROP TABLE IF EXISTS candidate__aside */
#define Action_setup 4   /* DROP TABLE IF EXISTS candidate: of a try that discards what it staged, and of an orphan */
#define REMOVED 5        /* the queue's cleaner took it */

#define IN_PROGRESS 0
#define SUCCESS 1
#define FAILURE 2

typedef Entry {
    byte action;
    byte name;      /* of the candidate; the aside name goes with it */
    byte token;
    byte operation;
    byte uuid;      /* what the sender had proven to be there */
    bool exchange;  /* an existing target */
    byte row[MEMBERS]
};

Entry queue[QUEUE];
byte queue_length;

typedef Member {
    byte target;            /* uuid under each name */
    byte candidate[TRIES];  /* of name k at k - 1 */
    byte aside[TRIES];
    byte next_entry;
    byte executed;          /* result of the next entry that was executed and whose status is not written */
    byte revertible         /* name whose EXCHANGE was the last statement: a power loss can undo it */
};

Member members[MEMBERS];

/* A request that a client gave up or that something on the way copied: it arrives later, or never. */
typedef LateDdl {
    bool there;
    bool unsaid; /* the client was told that it was rejected */
    Entry e
};

LateDdl late_ddl;

#define CANDIDATE(m, name) members[m].candidate[(name) - 1]
#define ASIDE(m, name) members[m].aside[(name) - 1]

inline copy_entry(to, from) {
    to.action = from.action; to.name = from.name; to.token = from.token; to.operation = from.operation;
    to.uuid = from.uuid; to.exchange = from.exchange
}

inline forget_entry(one) {
    one.action = 0; one.name = 0; one.token = 0; one.operation = 0; one.uuid = 0; one.exchange = 0; one.row[0] = 0; one.row[1] = 0
}

inline enqueue(from) {
    assert(queue_length < QUEUE); /* the bound is large enough */
    copy_entry(queue[queue_length], from);
    queue_length++
}

/* EXCHANGE; `executed` is free at that time. */
#define swap(m, n) \
    members[m].executed = members[m].target; \
    members[m].target = CANDIDATE(m, n); \
    CANDIDATE(m, n) = members[m].executed; \
    members[m].executed = IN_PROGRESS

/* One statement on one member. `done` is SUCCESS or FAILURE. */
inline execute(m, e, done) {
    members[m].revertible = 0;
    done = FAILURE;
    if
    :: e.action == Action_publish && e.exchange ->
       if
       :: members[m].target != ABSENT && CANDIDATE(m, e.name) != ABSENT ->
          swap(m, e.name);
          members[m].revertible = (faults > 0 -> e.name : 0);
          done = SUCCESS
       :: else -> skip /* 60 */
       fi
    :: e.action == Action_publish && !e.exchange ->
       if
       :: members[m].target == ABSENT && CANDIDATE(m, e.name) != ABSENT ->
          swap(m, e.name);
          done = SUCCESS
       :: else -> skip /* 57, 60 */
       fi
    :: e.action == Action_aside ->
       if
       :: CANDIDATE(m, e.name) != ABSENT && ASIDE(m, e.name) == ABSENT ->
          ASIDE(m, e.name) = CANDIDATE(m, e.name);
          CANDIDATE(m, e.name) = ABSENT;
          done = SUCCESS
       :: else -> skip
       fi
    :: e.action == Action_cleanup ->
#ifdef DEFECT_ONE_STEP_CLEANUP
       check_drop(e.uuid, CANDIDATE(m, e.name));
       CANDIDATE(m, e.name) = ABSENT;
#else
       check_drop(e.uuid, ASIDE(m, e.name));
       ASIDE(m, e.name) = ABSENT;
#endif
       done = SUCCESS
    :: e.action == Action_setup ->
       check_drop(e.uuid, CANDIDATE(m, e.name));
       CANDIDATE(m, e.name) = ABSENT;
       done = SUCCESS
    fi;
    note_movement(m)
}

/* A member's DDL worker: entries in their order, one at a time. The statement and its status are one step, unless a fault
   comes between them. */
#define worker_is_free(m) (members[m].next_entry < queue_length && members[m].executed == IN_PROGRESS)
#define NEXT_ENTRY(m) queue[members[m].next_entry]

proctype ddl_worker(byte m) {
    byte done;
end:
    do
    :: d_step {
        worker_is_free(m) ->
        if
        :: NEXT_ENTRY(m).action == REMOVED -> skip
        :: else ->
           execute(m, NEXT_ENTRY(m), done);
           NEXT_ENTRY(m).row[m] = done;
           done = 0
        fi;
        members[m].next_entry++
       }
    :: d_step { /* the host refuses, or fails before any effect */
        faults > 0 && worker_is_free(m) && NEXT_ENTRY(m).action != REMOVED ->
        faults--;
        members[m].revertible = 0;
        NEXT_ENTRY(m).row[m] = FAILURE;
        members[m].next_entry++
       }
    :: d_step { /* a crash, or a long pause, between execution and status ... */
        faults > 0 && worker_is_free(m) && NEXT_ENTRY(m).action != REMOVED ->
        faults--;
        execute(m, NEXT_ENTRY(m), done);
        members[m].executed = done;
        done = 0
       }
    :: d_step { /* ... after which the worker begins the entry anew (rerun) ... */
        members[m].executed != IN_PROGRESS ->
        members[m].executed = IN_PROGRESS;
        execute(m, NEXT_ENTRY(m), done);
        NEXT_ENTRY(m).row[m] = done;
        done = 0;
        members[m].next_entry++
       }
    :: d_step { /* ... or writes the status at last */
        members[m].executed != IN_PROGRESS ->
        NEXT_ENTRY(m).row[m] = members[m].executed;
        members[m].executed = IN_PROGRESS;
        members[m].next_entry++
       }
    :: d_step { /* revert: a power loss undoes an acknowledged EXCHANGE */
        faults > 0 && members[m].revertible != 0 && members[m].executed == IN_PROGRESS ->
        faults--;
        swap(m, members[m].revertible);
        members[m].revertible = 0;
        note_movement(m)
       }
    od
}

/* What is on its way, and what the queue forgets. */
#define no_entry_runs (members[0].executed == IN_PROGRESS && members[1].executed == IN_PROGRESS)

inline remove_entries(up_to) {
    k = 0;
    do
    :: k < up_to -> queue[k].action = REMOVED; k++
    :: else -> break
    od;
    k = 0
}

active proctype network() {
    byte k;
end:
    do
    :: d_step {
        late_ddl.there ->
        if
        :: late_ddl.unsaid -> count_dispatch(late_ddl.e.operation)
        :: else -> skip
        fi;
        enqueue(late_ddl.e);
        forget_entry(late_ddl.e);
        late_ddl.unsaid = 0;
        late_ddl.there = 0
       }
    :: d_step { /* it is lost after all: not a fault of its own, being late was one */
        late_ddl.there ->
        forget_entry(late_ddl.e);
        late_ddl.unsaid = 0;
        late_ddl.there = 0
       }
    :: d_step { /* remove_entries: by age or count, whether or not they are finished: all ... */
        faults > 0 && queue_length > 0 && no_entry_runs ->
        faults--;
        remove_entries(queue_length)
       }
    :: d_step { /* ... or all but the last */
        faults > 0 && queue_length > 1 && no_entry_runs ->
        faults--;
        remove_entries(queue_length - 1)
       }
    od
}
