/* The record and the steps from one record to the next: protocol/authority_record.hpp, protocol/transitions.hpp.
   NO_RECORD stands for the slot without a row. */

#define NO_RECORD 0
#define Phase_prepared 1
#define Phase_dispatching 2
#define Phase_committed 3
#define Phase_set_aside_dispatching 4
#define Phase_cleanup_dispatching 5
#define Phase_retiring 6
#define Phase_completed 7
#define Phase_abandoned 8

#define HolderResult_none 0
#define HolderResult_not_sent 1
#define HolderResult_rejected 2

/* A receipt is the terminal evidence itself. */
#define NO_RECEIPT 0

typedef AuthorityRecord {
    byte version;     /* the row's _version; not part of the payload */
    byte write_id;    /* stands for the payload's digest too: it differs whenever the payload does */
    byte operation_id;
    byte fence_token; /* whose; weaker than the code's, which is new with every grant */
    byte phase;
    byte dispatch_epoch;
    byte candidate;   /* the try whose name it is; the aside name goes with it */
    byte predecessor; /* uuid, ABSENT: the target did not exist */
    byte desired;     /* uuid */
    /* current_attempt() */
    byte token;
    bool entry;       /* bound */
    byte result;
    byte receipt;
    byte attempts;    /* of this phase's action */
    /* what stays when the attempt is over */
    bool publication_receipt;
    bool set_aside_receipt;
    byte completed;   /* `recent` and the operations of the slot before: bit o: operation o */
    byte abandoned;
    byte orphans      /* bit k: the candidate of try k */
};

#define is_settled(p) ((p) == Phase_completed || (p) == Phase_abandoned)
#define is_dispatching(p) ((p) == Phase_dispatching || (p) == Phase_set_aside_dispatching || \
                           (p) == Phase_cleanup_dispatching || (p) == Phase_retiring)

inline copy_record(to, from) {
    to.version = from.version;
    to.write_id = from.write_id;
    to.operation_id = from.operation_id;
    to.fence_token = from.fence_token;
    to.phase = from.phase;
    to.dispatch_epoch = from.dispatch_epoch;
    to.candidate = from.candidate;
    to.predecessor = from.predecessor;
    to.desired = from.desired;
    to.token = from.token;
    to.entry = from.entry;
    to.result = from.result;
    to.receipt = from.receipt;
    to.attempts = from.attempts;
    to.publication_receipt = from.publication_receipt;
    to.set_aside_receipt = from.set_aside_receipt;
    to.completed = from.completed;
    to.abandoned = from.abandoned;
    to.orphans = from.orphans
}

inline forget_record(r) {
    r.version = 0; r.write_id = 0; r.operation_id = 0; r.fence_token = 0; r.phase = NO_RECORD;
    r.dispatch_epoch = 0; r.candidate = 0; r.predecessor = 0; r.desired = 0;
    r.token = 0; r.entry = 0; r.result = 0; r.receipt = 0; r.attempts = 0;
    r.publication_receipt = 0; r.set_aside_receipt = 0; r.completed = 0; r.abandoned = 0; r.orphans = 0
}

/* What a worker has read. `evidence` is not 0 while a pass is under way. */
typedef Pass {
    byte evidence;
    byte state0;
    byte state1;
    byte word;
    byte holder_result
};

Pass passes[WORKERS];
AuthorityRecord seen[WORKERS]; /* the VersionedRecord that it is about */

inline forget_pass(v) {
    passes[v].evidence = 0;
    passes[v].state0 = 0;
    passes[v].state1 = 0;
    passes[v].word = 0;
    passes[v].holder_result = 0;
    moved[v] = 0
}

inline forget_attempt(r) {
    r.token = 0; r.entry = 0; r.result = HolderResult_none; r.receipt = NO_RECEIPT
}

/* prepare_new, prepare_next, re_prepare: `r` is the record that was read and becomes the next one. */
inline prepare(r, operation, try, old) {
    if
    :: r.phase == NO_RECORD -> skip                                  /* prepare_new: epoch 0 */
    :: r.phase == Phase_prepared ->                                  /* re_prepare: epoch kept */
       r.orphans = r.orphans | (1 << r.candidate)
    :: is_settled(r.phase) ->                                        /* prepare_next */
       r.dispatch_epoch++;
       if
#ifdef DEFECT_RECENT_FORGOTTEN
       :: r.completed = 0; r.abandoned = 0
#else
       :: r.phase == Phase_completed -> r.completed = r.completed | (1 << r.operation_id)
       :: r.phase == Phase_abandoned -> r.abandoned = r.abandoned | (1 << r.operation_id)
#endif
       fi
    fi;
    forget_attempt(r);
    r.attempts = 0; r.publication_receipt = 0; r.set_aside_receipt = 0;
    r.phase = Phase_prepared;
    r.operation_id = operation;
    r.candidate = try;
    r.desired = uuid_of(try);
    r.predecessor = old;
    r.fence_token = w + 1
}

/* grant_attempt: to_dispatching, to_set_aside_dispatching, to_cleanup_dispatching, to_retiring, redispatch. */
inline grant_attempt(r, to_phase) {
    if
    :: r.phase == to_phase -> r.attempts++
    :: else -> r.attempts = 1
    fi;
    if
    :: r.phase == Phase_set_aside_dispatching && to_phase == Phase_cleanup_dispatching ->
       r.set_aside_receipt = (r.receipt != NO_RECEIPT)
    :: else -> skip
    fi;
    forget_attempt(r);
    r.phase = to_phase;
    r.dispatch_epoch++;
    r.token = r.dispatch_epoch; /* unique among what is sent: one permit per epoch, which check_permit asserts */
    r.fence_token = w + 1
}

inline to_committed(r) {
    r.publication_receipt = (r.receipt != NO_RECEIPT);
    forget_attempt(r);
    r.attempts = 0;
    r.phase = Phase_committed
}

/* to_completed, retire_to_completed, close_keeping_predecessor; to_abandoned, retire_to_abandoned. */
inline settle_as(r, to_phase) {
    if
    :: to_phase == Phase_abandoned && r.phase != Phase_retiring -> r.orphans = r.orphans | (1 << r.candidate)
    :: else -> skip
    fi;
    forget_attempt(r);
    r.attempts = 0;
    r.phase = to_phase
}

inline back_to_prepared(r) {
    forget_attempt(r);
    r.attempts = 0;
    r.phase = Phase_prepared
}
