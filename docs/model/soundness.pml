/* 4. A verdict says no more than the truth: docs/model/properties.pml has the others. */
#define target_is(m, uuid) (members[m].target == (uuid) || MOVED(w, m))
#define target_is_not(m, uuid) (members[m].target != (uuid) || MOVED(w, m))

/* Whether the entry that the record is about has a member that is not through with it. */
inline find_running(record) {
    running = 0;
    i = 0;
    do
    :: i < queue_length && queue[i].token != record.token -> i++
    :: else -> break
    od;
    if
    :: i < queue_length && queue[i].action != REMOVED &&
       (queue[i].row[0] == IN_PROGRESS || queue[i].row[1] == IN_PROGRESS) -> running = 1
    :: else -> skip
    fi;
    i = 0
}

inline check_verdict(record) {
    find_running(record);
    if
    :: word == Word_committed || (word == Word_completable && record.phase != Phase_committed) ->
       assert(target_is(0, record.desired) && target_is(1, record.desired));
       assert(!running)
    :: word == Word_completable ->
       assert(target_is(0, record.desired) && target_is(1, record.desired))
    :: word == Word_completed ->
       assert(target_is(0, record.desired) && target_is(1, record.desired))
    :: word == Word_not_committed ->
       assert(target_is_not(0, record.desired) && target_is_not(1, record.desired));
       assert(!running)
    :: word == Word_partial_terminal ->
       assert(!running);
       assert(MOVED(w, 0) || MOVED(w, 1) ||
              (members[0].target == record.desired) != (members[1].target == record.desired))
    :: word == Word_drop_required ->
       assert(target_is(0, record.desired) && target_is(1, record.desired))
    :: else -> skip
    fi;
    running = 0
}

/* 5. Where nothing went wrong, nothing is left undone. */
#define undisturbed (faults == faults_in_all && crashes == crashes_in_all && !operator)

inline check_end() {
    assert(!(ended[0] && ended[1] && undisturbed) || row.phase == NO_RECORD || is_settled(row.phase))
}

/* 6. Progress: under weak fairness every call ends, also when the queue or the network lost what it waits for; no
   deadline is needed for that. */
#ifdef PROGRESS
ltl every_call_ends { <> (ended[0] && ended[1]) }
#endif
