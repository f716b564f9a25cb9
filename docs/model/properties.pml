/* What must hold. The ghosts below are seen by nobody but these checks. */

byte dispatched[OPERATIONS + 1]; /* publications that left a client and were not refused, per operation */
short permits;                   /* bit e: a permit of epoch e was made */
/* Whether a statement ran on the member after the worker's evidence was read: a verdict is about what was read, and
   nobody can know what a server does afterwards. */
byte moved[WORKERS];
bool ended[WORKERS]; /* the worker has made all its calls */

/* 1. No second dispatch: one publication per operation, one permit per epoch. */
inline count_dispatch(which) {
    dispatched[which]++;
    assert(dispatched[which] <= 1)
}

inline check_permit(epoch) {
    assert((permits & (1 << epoch)) == 0);
    permits = permits | (1 << epoch)
}

/* 2. No wrong drop: what is dropped is what its sender proved, and nobody's target; and nothing that an unsettled
   record still needs as its desired generation. */
inline check_drop(proven, dropped) {
    if
    :: dropped != ABSENT ->
       assert(dropped == proven);
       assert(members[0].target != dropped && members[1].target != dropped);
       assert(row.phase == NO_RECORD || is_settled(row.phase) || dropped != row.desired)
    :: else -> skip
    fi
}

/* 3. Nothing stale ever wins, no receipt is forgotten, no cleanup without its receipt. */
inline check_write(i) {
    assert(request[i].payload_sha256 == row.write_id);
    if
    :: row.phase == request[i].next.phase && row.dispatch_epoch == request[i].next.dispatch_epoch &&
       row.candidate == request[i].next.candidate ->
       assert(row.receipt == NO_RECEIPT || request[i].next.receipt == row.receipt)
    :: else -> skip
    fi;
    assert(request[i].next.phase != Phase_set_aside_dispatching || request[i].next.publication_receipt);
    assert(request[i].next.phase != Phase_cleanup_dispatching || request[i].next.set_aside_receipt)
}

#define MOVED(w, m) ((moved[w] & (1 << (m))) != 0)

inline note_movement(m) {
    if
    :: passes[0].evidence != 0 -> moved[0] = moved[0] | (1 << m)
    :: else -> skip
    fi;
    if
    :: passes[1].evidence != 0 -> moved[1] = moved[1] | (1 << m)
    :: else -> skip
    fi
}
