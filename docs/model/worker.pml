/* A worker: calls of publish(), resume() and the operator's commands, one after the other. The labels are the steps of
   engine/publication*.cpp, engine/reconcile.cpp, engine/cleanup.cpp, engine/dispatch.cpp and engine/abandon.cpp. */

#define PUBLISH 1
#define RETIRE 2
#define CLOSE 3
#define ABANDON 4
#define ORPHANS 5

#define WriteResult_Won 1
#define WriteResult_Conflict 2
#define WriteResult_NotSent 3
#define WriteResult_OutcomeUnknown 4

/* What the write that is under way is for. */
#define TO_PREPARE 1
#define TO_DISPATCH 2
#define TO_LEARN 3
#define TO_CLEAN 4
#define TO_RETURN 5
#define TO_RETURN_PREPARED 6
#define TO_SETTLE 7

byte tries;                    /* candidates staged */

/* write_id is random and new in every write. What matters is that no two that anybody still knows are equal: a number
   that follows from writer and version, or the next such number if somebody still knows it. */
#define VERSIONS 32
#define knows(i, id) (request[i].payload_sha256 == id || request[i].read_write_id == id || request[i].next.write_id == id)

inline fresh_id(id) {
    id = 1 + w * 4 * VERSIONS + seen[w].version;
    do
    :: row.write_id == id || seen[0].write_id == id || seen[1].write_id == id || knows(0, id) || knows(1, id) ||
       knows(LATE, id) -> id = id + VERSIONS
    :: else -> break
    od
}


inline say_dispatched() {
    if
    :: ddl.action == Action_publish -> count_dispatch(ddl.operation)
    :: else -> skip
    fi
}

#define expected_version (request[w].phase == NO_RECORD -> 0 : request[w].version + 1)
#ifdef DEFECT_NO_READ_BACK
#define read_back_shows_ours true
#else
#ifdef DEFECT_READ_BACK_WITHOUT_WRITE_ID
#define read_back_shows_ours (row.version == expected_version && row.phase == NEXT.phase && \
                              row.operation_id == NEXT.operation_id)
#else
#define read_back_shows_ours (row.version == expected_version && row.write_id == NEXT.write_id)
#endif
#endif

/* The visibility wait: one more look, however long it takes until then. */
#ifdef DEFECT_WAITS_FOR_A_LOST_ENTRY
#define visibility_pending true
#else
#define visibility_pending (!waited)
#endif

/* The parts of one pass and of one call, cleared when nobody needs them, so that equal states are equal. */
inline forget_call() {
    forget_pass(w);
    call = 0; operation = 0; mine = 0; purpose = 0; written = 0; unsent = 0;
    dispatching = 0; returning = 0; waited = 0; finishing_other = 0;
    forget_record(seen[w])
}

/* with_evidence: what the pass has learnt about the current attempt goes into the next write. */
#define can_bind(r) (r.phase == Phase_dispatching && !r.entry && (evidence == QueueEvidence_in_progress || is_terminal(evidence)))
#define can_keep_receipt(r) (r.receipt == NO_RECEIPT && is_terminal(evidence))
#define has_evidence(r) (is_dispatching(r.phase) && (can_bind(r) || can_keep_receipt(r)))

inline with_evidence(r) {
    if
    :: is_dispatching(r.phase) && can_keep_receipt(r) -> r.receipt = evidence; r.entry = 1
    :: is_dispatching(r.phase) && !can_keep_receipt(r) && can_bind(r) -> r.entry = 1
    :: else -> skip
    fi
}

/* The request to the authority: its WHERE names the record that was read; `next` begins as that record. */
inline begin_write(why) {
    purpose = why;
    fresh_id(id);
    request[w].version = seen[w].version;
    request[w].operation_id = seen[w].operation_id;
    request[w].fence_token = seen[w].fence_token;
    request[w].phase = seen[w].phase;
    request[w].payload_sha256 = seen[w].write_id;
    copy_record(request[w].next, seen[w]);
    request[w].next.write_id = id;
    id = 0;
    request[w].state = ARRIVED
}

/* A goto ends an atomic sequence, and where a sequence ends the others can come between. So these are macros: they go
   straight to the next point at which it matters what the others do. */
#define end_call forget_call(); goto begin
#define next_pass purpose = 0; written = 0; goto pass
#define pause forget_pass(w); goto pass

/* What was read is in the request now. */
#define write_once forget_record(seen[w]); forget_pass(w); goto post

#define NEXT request[w].next

/* give_up: nobody waits for this request any more; what it does is not known here. */
inline give_up() {
    if
    :: request[w].state == ARRIVED || request[w].state == MATCHED ->
       copy_request(LATE, w);
       request[LATE].state = request[w].state
    :: else -> skip
    fi;
    free_request(w)
}

#define can_give_up (request[LATE].state == FREE || request[w].state == ACKNOWLEDGED || request[w].state == BAD_VERSION)

proctype worker(byte w) {
    byte call, operation, mine, purpose, written, unsent;
    bool dispatching, returning, waited, finishing_other;
    byte i, entries, id;
    bool running;
    Entry ddl;

begin:
    atomic {
        if
        :: calls[w] == 0 -> ended[w] = 1; check_end(); goto over
        :: calls[w] > 0 -> calls[w]--; call = PUBLISH; operation = 1
        :: calls[w] > 0 && operations > 1 && row.phase != NO_RECORD -> calls[w]--; call = PUBLISH; operation = 2
        :: calls[w] > 0 && operator && row.phase != NO_RECORD && !is_settled(row.phase) ->
           calls[w]--; call = RETIRE; copy_record(seen[w], row); goto pass
        :: calls[w] > 0 && operator && row.phase != NO_RECORD && !is_settled(row.phase) ->
           calls[w]--; call = CLOSE; copy_record(seen[w], row); goto pass
        :: calls[w] > 0 && operator && row.phase != NO_RECORD && !is_settled(row.phase) ->
           calls[w]--; call = ABANDON; copy_record(seen[w], row); goto pass
        :: calls[w] > 0 && operator && row.orphans != 0 ->
           calls[w]--; call = ORPHANS; goto orphans
        fi;

decide: /* decide_slot; then admission and staging. The record, the target and the names are read at one instant: had the
           record moved between them, the write that prepares would meet another version. */
        copy_record(seen[w], row);
        if
        :: seen[w].phase == NO_RECORD -> skip
        :: seen[w].phase != NO_RECORD && seen[w].operation_id == operation ->
           if
           :: is_settled(seen[w].phase) -> end_call
           :: seen[w].phase == Phase_prepared -> skip
           :: else -> goto pass
           fi
        :: seen[w].phase != NO_RECORD && seen[w].operation_id != operation ->
           if
           :: ((seen[w].completed | seen[w].abandoned) & (1 << operation)) != 0 -> end_call /* answer_completed */
           :: else ->
              if
              :: is_settled(seen[w].phase) -> skip
              :: else ->
                 if
                 :: finishing_other -> end_call /* AUTHORITY_CONFLICT */
                 :: else -> finishing_other = 1; goto pass
                 fi
              fi
           fi
        fi;
        finishing_other = 0;
        if /* admit */
        :: members[0].target != members[1].target -> end_call /* GENERATION_DIVERGED */
        :: else -> skip
        fi;
        if
        :: seen[w].phase == Phase_prepared && seen[w].predecessor == members[0].target && /* take_over */
           CANDIDATE(0, name_of(seen[w].candidate)) == seen[w].desired &&
           CANDIDATE(1, name_of(seen[w].candidate)) == seen[w].desired ->
           mine = seen[w].candidate;
           dispatching = 1;
           goto pass
        :: tries_left == 0 -> end_call
        :: tries_left > 0 -> /* stage: a new name; also where the recorded candidate is not ready */
           if
           :: CANDIDATE(0, name_of(tries + 1)) == ABSENT && CANDIDATE(1, name_of(tries + 1)) == ABSENT -> skip
           :: else -> end_call /* the name is taken */
           fi;
           tries_left--;
           tries++;
           mine = tries;
           CANDIDATE(0, name_of(mine)) = uuid_of(mine);
           CANDIDATE(1, name_of(mine)) = uuid_of(mine)
        fi;
        d_step { /* prepare */
            begin_write(TO_PREPARE);
            prepare(NEXT, operation, mine, members[0].target);
        };
        write_once
    }

pass: /* Two instants: the queue with the first member, then the second member with the record. Members are alike, so the
         order of the two makes no difference. */
#ifdef DEFECT_EVIDENCE_ORDER_REVERSED
    atomic { member_state(seen[w], 0, state0); member_state(seen[w], 1, state1) };
    d_step { conclude_queue(seen[w]); moved[w] = 0 };
#else
    if
    :: d_step { conclude_queue(seen[w]); moved[w] = 0; member_state(seen[w], 0, state0) }
    :: d_step { faults > 0 -> faults--; conclude_queue(seen[w]); moved[w] = 0; state0 = State_unavailable }
    :: atomic { crashes > 0 -> crashes--; end_call }
    fi;
#endif
    atomic {
#ifndef DEFECT_EVIDENCE_ORDER_REVERSED
        member_state(seen[w], 1, state1);
#endif
        if /* still_stands */
        :: evidence == 0 -> unsent = 0; waited = 0; goto pass /* outdate() came between */
        :: row.write_id != seen[w].write_id || row.version != seen[w].version ->
           copy_record(seen[w], row);
           forget_pass(w);
           unsent = 0;
           waited = 0;
           goto pass
        :: else -> skip
        fi;
        d_step {
            holder_result = seen[w].result;
            if
            :: holder_result == HolderResult_none -> holder_result = unsent
            :: else -> skip
            fi;
            classify(seen[w]);
            check_verdict(seen[w])
        };
        if
        :: call == PUBLISH && !finishing_other && seen[w].operation_id != operation -> end_call
        :: call == RETIRE -> goto retire
        :: call == CLOSE -> goto close
        :: call == ABANDON -> goto abandon
        :: else -> skip
        fi;
        if
        :: seen[w].phase == Phase_prepared -> goto dispatch_once_proven
        :: seen[w].phase == Phase_dispatching && returning -> goto return_unsent
        :: seen[w].phase == Phase_dispatching && !returning -> goto reconcile
        :: seen[w].phase >= Phase_committed && seen[w].phase <= Phase_cleanup_dispatching -> goto clean_up
        :: is_settled(seen[w].phase) && finishing_other -> forget_pass(w); goto decide
        :: else -> end_call
        fi;

dispatch_once_proven:
        if
        :: dispatching && word == Word_ready && seen[w].candidate == mine ->
           d_step {
               begin_write(TO_DISPATCH);
               grant_attempt(NEXT, Phase_dispatching);
               unsent = 0
           };
           write_once
        :: dispatching && some_unavailable -> end_call
        :: else -> end_call
        fi;

return_unsent:
        if
        :: evidence == QueueEvidence_none ->
           d_step {
               begin_write(TO_RETURN);
               NEXT.result = unsent;
               returning = (word == Word_not_dispatched);
           };
           write_once
        :: else -> returning = 0 /* it was sent after all: the queue counts */
        fi;

reconcile:
        if
        :: word == Word_committed ->
           d_step {
               begin_write(TO_LEARN);
               with_evidence(NEXT);
               to_committed(NEXT);
           };
           write_once
        :: word != Word_committed && has_evidence(seen[w]) ->
           d_step { begin_write(TO_LEARN); with_evidence(NEXT) };
           write_once
        :: else -> skip
        fi;
        if
        :: word == Word_in_progress || word == Word_awaiting_receipt || word == Word_partial_in_progress -> pause
        :: some_unavailable -> pause
        :: evidence == QueueEvidence_none && !some(State_foreign) && visibility_pending && word == Word_outcome_unknown ->
           waited = 1;
           pause
#ifdef DEFECT_PUBLICATION_SENT_AGAIN
        :: evidence == QueueEvidence_none && all(State_pending) ->
           d_step {
               begin_write(TO_DISPATCH);
               grant_attempt(NEXT, Phase_dispatching);
               unsent = 0
           };
           write_once
#endif
        :: else -> end_call
        fi;

clean_up:
        if
        :: word == Word_set_aside_required ->
           d_step {
               begin_write(TO_CLEAN);
#ifdef DEFECT_ONE_STEP_CLEANUP
               NEXT.set_aside_receipt = 1;
               grant_attempt(NEXT, Phase_cleanup_dispatching)
#else
               grant_attempt(NEXT, Phase_set_aside_dispatching)
#endif
           };
           write_once
        :: word == Word_drop_required ->
           d_step {
               begin_write(TO_CLEAN);
               with_evidence(NEXT);
               grant_attempt(NEXT, Phase_cleanup_dispatching);
           };
           write_once
        :: word == Word_completable ->
           d_step {
               begin_write(TO_SETTLE);
               with_evidence(NEXT);
               settle_as(NEXT, Phase_completed);
           };
           write_once
        :: word == Word_cleanup_in_progress && has_evidence(seen[w]) ->
           d_step { begin_write(TO_LEARN); with_evidence(NEXT) };
           write_once
        :: word == Word_cleanup_in_progress && !has_evidence(seen[w]) -> pause
        :: word == Word_cleanup_lost && evidence == QueueEvidence_none && visibility_pending -> waited = 1; pause
        :: (word == Word_cleanup_lost || word == Word_cleanup_incomplete) && seen[w].attempts < attempts ->
           d_step {
               begin_write(TO_CLEAN);
               with_evidence(NEXT);
               grant_attempt(NEXT, seen[w].phase);
           };
           write_once
        :: word == Word_outcome_unknown && some_unavailable -> pause
        :: else -> end_call
        fi;

retire: /* to_retiring, redispatch, retire_to_completed, retire_to_abandoned */
        if
        :: seen[w].phase == Phase_dispatching || seen[w].phase == Phase_committed ->
           d_step {
               begin_write(TO_CLEAN);
               grant_attempt(NEXT, Phase_retiring);
           };
           write_once
        :: seen[w].phase == Phase_retiring && word == Word_retirable ->
           d_step {
               begin_write(TO_SETTLE);
               with_evidence(NEXT);
               if
               :: all_targets_desired -> settle_as(NEXT, Phase_completed)
               :: else -> settle_as(NEXT, Phase_abandoned)
               fi;
           };
           write_once
        :: seen[w].phase == Phase_retiring && word == Word_retire_in_progress && has_evidence(seen[w]) ->
           d_step { begin_write(TO_LEARN); with_evidence(NEXT) };
           write_once
        :: seen[w].phase == Phase_retiring && word == Word_retire_in_progress && !has_evidence(seen[w]) -> pause
        :: seen[w].phase == Phase_retiring && word == Word_retire_lost && evidence == QueueEvidence_none && visibility_pending ->
           waited = 1;
           pause
        :: seen[w].phase == Phase_retiring && (word == Word_retire_lost || word == Word_retire_incomplete) &&
           seen[w].attempts < attempts ->
           d_step {
               begin_write(TO_CLEAN);
               with_evidence(NEXT);
               grant_attempt(NEXT, Phase_retiring);
           };
           write_once
        :: else -> end_call
        fi;

close: /* close_keeping_predecessor */
        if
        :: seen[w].phase >= Phase_committed && seen[w].phase <= Phase_cleanup_dispatching &&
           seen[w].predecessor != ABSENT && all_targets_desired && evidence != QueueEvidence_in_progress &&
           (!all(State_cleaned) || (seen[w].phase == Phase_cleanup_dispatching && !is_terminal(evidence))) ->
           d_step {
               begin_write(TO_SETTLE);
               settle_as(NEXT, Phase_completed);
           };
           write_once
        :: else -> end_call
        fi;

abandon: /* to_abandoned */
        if
        :: seen[w].phase == Phase_prepared || word == Word_not_dispatched ->
           d_step {
               begin_write(TO_SETTLE);
               settle_as(NEXT, Phase_abandoned);
           };
           write_once
        :: else -> end_call
        fi
    }

orphans: /* one name, after every member shows the recorded uuid under it and no live record names it */
    atomic {
        if
        :: (row.orphans & 2) != 0 -> mine = 1
        :: (row.orphans & 4) != 0 -> mine = 2
        :: (row.orphans & 8) != 0 -> mine = 3
        fi;
        if
        :: !is_settled(row.phase) && row.candidate == mine -> end_call
        :: CANDIDATE(0, name_of(mine)) != uuid_of(mine) || CANDIDATE(1, name_of(mine)) != uuid_of(mine) -> end_call
        :: else -> skip
        fi
    };
discard: /* also discard_candidate: what this try staged and no record can name */
    atomic {
        ddl.action = Action_setup;
        ddl.name = name_of(mine);
        ddl.uuid = uuid_of(mine);
        enqueue(ddl);
        forget_entry(ddl);
        end_call
    };

post: /* A statement that has not left yet and one that the member has not begun yet are the same to all. */
    atomic {
        if
        :: faults > 0 && request[w].state == ARRIVED -> faults--; written = WriteResult_NotSent
        :: request[w].state == ACKNOWLEDGED -> /* read_back */
           if
           :: read_back_shows_ours -> written = WriteResult_Won
           :: else ->
              if
              :: row.version == expected_version -> written = WriteResult_Conflict
              :: else -> written = WriteResult_OutcomeUnknown
              fi
           fi
        :: request[w].state == BAD_VERSION -> written = WriteResult_Conflict
        :: faults > 0 && can_give_up -> faults--; give_up(); written = WriteResult_OutcomeUnknown
        :: crashes > 0 && can_give_up -> crashes--; give_up(); end_call
        fi;
        forget_pass(w);
        waited = 0;
        if
        :: written == WriteResult_Won ->
           d_step {
               NEXT.version = expected_version;
               copy_record(seen[w], NEXT)
           }
#ifdef DEFECT_PERMIT_WITHOUT_WON
        :: written == WriteResult_Conflict && purpose == TO_DISPATCH ->
           copy_record(seen[w], NEXT)
        :: written != WriteResult_Won && !(written == WriteResult_Conflict && purpose == TO_DISPATCH) -> copy_record(seen[w], row)
#else
        :: written != WriteResult_Won -> copy_record(seen[w], row)
#endif
        fi;
        free_request(w);
        if
        :: written == WriteResult_Won && (purpose == TO_DISPATCH || purpose == TO_CLEAN) ->
           check_permit(seen[w].dispatch_epoch);
           goto execute_once
#ifdef DEFECT_PERMIT_WITHOUT_WON
        :: written == WriteResult_Conflict && purpose == TO_DISPATCH -> goto execute_once
#endif
        :: written == WriteResult_Won && purpose == TO_PREPARE -> dispatching = 1; next_pass
        :: written == WriteResult_Won && purpose == TO_LEARN -> next_pass
        :: written == WriteResult_Won && purpose == TO_RETURN ->
           if
           :: returning -> /* back_to_prepared, chained to the write that was won */
              d_step {
                  begin_write(TO_RETURN_PREPARED);
                  back_to_prepared(NEXT);
                  written = 0; returning = 0
              };
              write_once
           :: else -> end_call
           fi
        :: written == WriteResult_Won && purpose == TO_RETURN_PREPARED ->
           if
           :: unsent == HolderResult_not_sent -> unsent = 0; next_pass
           :: else -> end_call
           fi
        :: written == WriteResult_Won && purpose == TO_SETTLE ->
           if
           :: finishing_other -> purpose = 0; written = 0; goto decide
           :: else -> end_call
           fi
        :: written != WriteResult_Won && purpose == TO_PREPARE ->
           if
           :: written == WriteResult_NotSent -> goto discard
#ifdef DEFECT_DISCARD_AFTER_UNKNOWN
           :: written == WriteResult_OutcomeUnknown -> goto discard
#endif
           :: written != WriteResult_NotSent -> /* follow_winner: `seen` is the record as it stands now */
              if
              :: seen[w].phase == NO_RECORD || seen[w].operation_id != operation -> end_call
              :: else ->
                 mine = seen[w].candidate; /* its own, or take_over of the other worker's */
                 dispatching = 1;
                 next_pass
              fi
           fi
#ifndef DEFECT_PERMIT_WITHOUT_WON
        :: written == WriteResult_Conflict && purpose == TO_DISPATCH -> dispatching = 0; next_pass
#endif
        :: written == WriteResult_NotSent && purpose == TO_DISPATCH -> next_pass
        :: written == WriteResult_OutcomeUnknown && purpose == TO_DISPATCH -> end_call
        :: written != WriteResult_Won && (purpose == TO_RETURN || purpose == TO_RETURN_PREPARED) -> end_call
        :: written != WriteResult_Won && (purpose == TO_LEARN || purpose == TO_CLEAN || purpose == TO_SETTLE) ->
           next_pass
        fi
    }

execute_once: /* the permit is consumed by whatever happens here */
    atomic {
        if
        :: seen[w].phase == Phase_dispatching -> ddl.action = Action_publish
        :: seen[w].phase == Phase_cleanup_dispatching -> ddl.action = Action_cleanup
        :: else -> ddl.action = Action_aside
        fi;
        ddl.name = name_of(seen[w].candidate);
        ddl.token = seen[w].token;
        ddl.operation = seen[w].operation_id;
        ddl.uuid = seen[w].predecessor;
        ddl.exchange = (seen[w].predecessor != ABSENT);
        purpose = 0; written = 0;
        if
        ::  say_dispatched(); enqueue(ddl); forget_entry(ddl)
        ::  /* on its way for longer than the client waits, or for ever */
            faults > 0 && !late_ddl.there ->
            faults--;
            say_dispatched();
            copy_entry(late_ddl.e, ddl);
            late_ddl.there = 1;
            forget_entry(ddl)
        ::  /* duplicate */
            faults > 0 && !late_ddl.there ->
            faults--;
            say_dispatched();
            enqueue(ddl);
            copy_entry(late_ddl.e, ddl);
            late_ddl.there = 1;
            forget_entry(ddl)
        :: 
            faults > 0 ->
            faults--;
            unsent = HolderResult_not_sent;
            returning = (seen[w].phase == Phase_dispatching);
            forget_entry(ddl)
        :: 
            faults > 0 ->
            faults--;
            unsent = HolderResult_rejected;
            returning = (seen[w].phase == Phase_dispatching);
            forget_entry(ddl)
#ifdef REJECTED_COPY
        ::  /* rejected, while a copy of it goes on */
            faults > 1 && !late_ddl.there ->
            faults = faults - 2;
            unsent = HolderResult_rejected;
            returning = (seen[w].phase == Phase_dispatching);
            copy_entry(late_ddl.e, ddl);
            late_ddl.unsaid = (ddl.action == Action_publish);
            late_ddl.there = 1;
            forget_entry(ddl)
#endif
#ifdef DEFECT_PERMIT_USED_TWICE
        ::  /* the answer is lost; the statement is sent again */
            faults > 0 ->
            faults--;
            say_dispatched();
            enqueue(ddl);
            say_dispatched();
            enqueue(ddl);
            forget_entry(ddl)
#endif
        ::  crashes > 0 -> crashes--; forget_entry(ddl); end_call
        fi;
        goto pass
    }

over:
    skip /* ended */
}

init {
    atomic {
        choose_scenario();
        run ddl_worker(0);
        run ddl_worker(1);
        run worker(0);
        run worker(1)
    }
}
