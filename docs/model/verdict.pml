/* What a pass concludes: protocol/queue_evidence.cpp, protocol/member_state.cpp, protocol/verdict.cpp.
   One pass is at work per worker w. */

#define evidence passes[w].evidence
#define state0 passes[w].state0
#define state1 passes[w].state1
#define word passes[w].word
#define holder_result passes[w].holder_result

#define QueueEvidence_none 1
#define QueueEvidence_in_progress 2
#define QueueEvidence_success 3
#define QueueEvidence_failure 4
#define QueueEvidence_several 5
#define QueueEvidence_gone 6
#define is_terminal(e) ((e) == QueueEvidence_success || (e) == QueueEvidence_failure)

#define State_pending 1
#define State_committed 2
#define State_aside 3
#define State_cleaned 4
#define State_kept_old 5
#define State_foreign 6
#define State_unavailable 7

#define Word_abandoned 1
#define Word_drifted 2
#define Word_completed 3
#define Word_outcome_unknown 4
#define Word_retire_in_progress 5
#define Word_retire_unknown 6
#define Word_retire_lost 7
#define Word_retire_incomplete 8
#define Word_retired_mixed 9
#define Word_retirable 10
#define Word_ready 11
#define Word_not_dispatched 12
#define Word_in_progress 13
#define Word_awaiting_receipt 14
#define Word_partial_in_progress 15
#define Word_committed 16
#define Word_not_committed 17
#define Word_partial_terminal 18
#define Word_completable 19
#define Word_set_aside_required 20
#define Word_cleanup_in_progress 21
#define Word_cleanup_unknown 22
#define Word_cleanup_lost 23
#define Word_drop_required 24
#define Word_cleanup_incomplete 25

/* Evidence of the record's current attempt; in PREPARED, whether any entry of the operation is there. */
inline conclude_queue(record) {
    entries = 0;
    i = 0;
    evidence = QueueEvidence_none;
    if
    :: record.receipt != NO_RECEIPT -> evidence = record.receipt
    :: else ->
       do
       :: i < queue_length ->
          if
          :: record.phase == Phase_prepared && queue[i].operation == record.operation_id &&
             queue[i].action != Action_setup && queue[i].action != REMOVED -> entries = 2
          :: is_dispatching(record.phase) && queue[i].token == record.token && queue[i].action != REMOVED ->
             entries++;
             if
             :: queue[i].row[0] == IN_PROGRESS || queue[i].row[1] == IN_PROGRESS ->
                evidence = QueueEvidence_in_progress
             :: else ->
                if
                :: queue[i].row[0] == FAILURE || queue[i].row[1] == FAILURE -> evidence = QueueEvidence_failure
                :: else -> evidence = QueueEvidence_success
                fi
             fi
          :: else -> skip
          fi;
          i++
       :: else -> break
       od;
       if
       :: entries > 1 -> evidence = QueueEvidence_several
       :: entries == 0 && record.entry -> evidence = QueueEvidence_gone
       :: else -> skip
       fi
    fi;
    i = 0;
    entries = 0
}

/* What stands under the names (target, candidate, aside) of one member. */
#ifdef DEFECT_CLEANUP_BY_NAME
/* From COMMITTED on the names alone are looked at. */
#define by_name(record) (record.phase >= Phase_committed)
#else
#define by_name(record) false
#endif
#define is_predecessor(record, uuid) ((uuid) != ABSENT && (by_name(record) || (uuid) == record.predecessor))
#define is_desired(record, uuid) ((uuid) == record.desired || (by_name(record) && (uuid) != ABSENT))

inline member_state(record, m, shown) {
    if
    :: !by_name(record) && record.predecessor != ABSENT && is_predecessor(record, members[m].target) &&
       CANDIDATE(m, name_of(record.candidate)) == record.desired &&
       ASIDE(m, name_of(record.candidate)) == ABSENT -> shown = State_pending
    :: is_desired(record, members[m].target) && is_predecessor(record, CANDIDATE(m, name_of(record.candidate))) &&
       ASIDE(m, name_of(record.candidate)) == ABSENT -> shown = State_committed
    :: is_desired(record, members[m].target) && CANDIDATE(m, name_of(record.candidate)) == ABSENT &&
       is_predecessor(record, ASIDE(m, name_of(record.candidate))) -> shown = State_aside
    :: record.predecessor != ABSENT && is_desired(record, members[m].target) &&
       CANDIDATE(m, name_of(record.candidate)) == ABSENT &&
       ASIDE(m, name_of(record.candidate)) == ABSENT -> shown = State_cleaned
    :: !by_name(record) && record.predecessor != ABSENT && is_predecessor(record, members[m].target) &&
       CANDIDATE(m, name_of(record.candidate)) == ABSENT &&
       ASIDE(m, name_of(record.candidate)) == record.desired -> shown = State_kept_old
    :: record.predecessor == ABSENT && members[m].target == ABSENT &&
       CANDIDATE(m, name_of(record.candidate)) == record.desired &&
       ASIDE(m, name_of(record.candidate)) == ABSENT -> shown = State_pending
    :: record.predecessor == ABSENT && is_desired(record, members[m].target) &&
       CANDIDATE(m, name_of(record.candidate)) == ABSENT &&
       ASIDE(m, name_of(record.candidate)) == ABSENT -> shown = State_committed
    :: record.predecessor == ABSENT && members[m].target == ABSENT &&
       CANDIDATE(m, name_of(record.candidate)) == ABSENT &&
       ASIDE(m, name_of(record.candidate)) == record.desired -> shown = State_kept_old
    :: else -> shown = State_foreign
    fi
}

/* The table of docs/protocol.md, rows 3 to 28. */
#ifdef DEFECT_UNAVAILABLE_MEMBER_SKIPPED
#define said(state) (state) == State_unavailable ||
#else
#define said(state)
#endif
#define some(s) (state0 == (s) || state1 == (s))
#define all(s) ((said(state0) state0 == (s)) && (said(state1) state1 == (s)))
#define all_of(s, t) ((said(state0) state0 == (s) || state0 == (t)) && (said(state1) state1 == (s) || state1 == (t)))
#define all_targets_desired ((state0 >= State_committed && state0 <= State_cleaned) && \
                             (state1 >= State_committed && state1 <= State_cleaned))
#define no_target_desired all_of(State_pending, State_kept_old)
#define some_candidate_there(record) (some(State_pending) || (record.predecessor != ABSENT && some(State_committed)))
#ifdef DEFECT_UNAVAILABLE_MEMBER_SKIPPED
#define some_unavailable (state0 == State_unavailable && state1 == State_unavailable)
#else
#define some_unavailable some(State_unavailable)
#endif

inline classify_retiring(record) {
    if
    :: some_unavailable || some(State_foreign) -> word = Word_outcome_unknown
    :: else ->
       if
       :: evidence == QueueEvidence_in_progress -> word = Word_retire_in_progress
       :: evidence == QueueEvidence_several -> word = Word_retire_unknown
       :: evidence == QueueEvidence_none || evidence == QueueEvidence_gone -> word = Word_retire_lost
       :: else ->
          if
          :: some_candidate_there(record) -> word = Word_retire_incomplete
          :: else ->
             if
             :: all_targets_desired || no_target_desired -> word = Word_retirable
             :: else -> word = Word_retired_mixed
             fi
          fi
       fi
    fi
}

inline classify_dispatching() {
    if
    :: holder_result != HolderResult_none && all(State_pending) && evidence == QueueEvidence_none -> word = Word_not_dispatched
    :: else ->
       if
       :: some(State_aside) || some(State_cleaned) || some(State_kept_old) -> word = Word_outcome_unknown
       :: else ->
          if
          :: evidence == QueueEvidence_in_progress ->
             if
             :: all(State_pending) -> word = Word_in_progress
#ifdef DEFECT_COMMITTED_WITHOUT_RECEIPT
             :: all(State_committed) -> word = Word_committed
#else
             :: all(State_committed) -> word = Word_awaiting_receipt
#endif
             :: else -> word = Word_partial_in_progress
             fi
          :: is_terminal(evidence) ->
             if
             :: all(State_committed) -> word = Word_committed
             :: all(State_pending) ->
                if
                :: evidence == QueueEvidence_failure -> word = Word_not_committed
                :: else -> word = Word_outcome_unknown
                fi
             :: else -> word = Word_partial_terminal
             fi
          :: else -> word = Word_outcome_unknown
          fi
       fi
    fi
}

inline classify_cleaning(record) {
    if
    :: some(State_pending) || some(State_kept_old) -> word = Word_outcome_unknown
    :: else ->
       if
       :: record.phase == Phase_committed ->
          if
          :: record.predecessor == ABSENT || all(State_cleaned) -> word = Word_completable
          :: else -> word = Word_set_aside_required
          fi
       :: record.phase == Phase_cleanup_dispatching && all(State_cleaned) && is_terminal(evidence) ->
          word = Word_completable
       :: record.phase == Phase_cleanup_dispatching && some(State_committed) -> word = Word_outcome_unknown
       :: else ->
          if
          :: evidence == QueueEvidence_in_progress -> word = Word_cleanup_in_progress
          :: evidence == QueueEvidence_several -> word = Word_cleanup_unknown
          :: evidence == QueueEvidence_none || evidence == QueueEvidence_gone -> word = Word_cleanup_lost
          :: else ->
             if
             :: record.phase == Phase_set_aside_dispatching && all_of(State_aside, State_cleaned) ->
                word = Word_drop_required
             :: else -> word = Word_cleanup_incomplete
             fi
          fi
       fi
    fi
}

inline classify(record) {
    if
    :: record.phase == Phase_abandoned -> word = Word_abandoned
    :: record.phase == Phase_completed ->
       if
       :: some(State_pending) || some(State_kept_old) || some(State_foreign) -> word = Word_drifted
       :: else ->
          if
          :: some_unavailable -> word = Word_outcome_unknown
          :: else -> word = Word_completed
          fi
       fi
    :: record.phase == Phase_retiring -> classify_retiring(record)
    :: else ->
       if
       :: some_unavailable || some(State_foreign) -> word = Word_outcome_unknown
       :: else ->
          if
          :: record.phase == Phase_prepared ->
             if
             :: all(State_pending) && evidence == QueueEvidence_none -> word = Word_ready
             :: else -> word = Word_outcome_unknown
             fi
          :: record.phase == Phase_dispatching -> classify_dispatching()
          :: else -> classify_cleaning(record)
          fi
       fi
    fi
}
