/* The KeeperMap table and the port to it: engine/authority.cpp. An UPDATE reads the rows and evaluates its WHERE first
   and writes later, if the znode's version is still the one that it read (strict mode). */

AuthorityRecord row;

#define FREE 0
#define ARRIVED 1      /* the member has the statement */
#define MATCHED 2      /* its WHERE matched; the write is not done */
#define ACKNOWLEDGED 3 /* successful, whether it matched anything or not */
#define BAD_VERSION 4  /* 999 (Bad version) or (Node exists) */

typedef Request {
    byte state;
    /* the WHERE */
    byte version;
    byte operation_id;
    byte fence_token;
    byte phase;
    byte payload_sha256;
    /* what Keeper had when the WHERE was evaluated */
    byte read_write_id;
    AuthorityRecord next
};

/* One for each worker, and one for whatever a client no longer waits for. */
#define LATE WORKERS
Request request[WORKERS + 1];

inline free_request(i) {
    request[i].state = FREE;
    request[i].version = 0; request[i].operation_id = 0; request[i].fence_token = 0; request[i].phase = 0;
    request[i].payload_sha256 = 0; request[i].read_write_id = 0;
    forget_record(request[i].next)
}

inline copy_request(to, from) {
    request[to].version = request[from].version;
    request[to].operation_id = request[from].operation_id;
    request[to].fence_token = request[from].fence_token;
    request[to].phase = request[from].phase;
    request[to].payload_sha256 = request[from].payload_sha256;
    request[to].read_write_id = request[from].read_write_id;
    copy_record(request[to].next, request[from].next)
}

/* authority_update_statement's WHERE; for a create: there is no row. */
#ifdef DEFECT_VERSION_AND_DIGEST_LEFT_OUT
#define where_version(i) true
#define where_digest(i) true
#else
#define where_version(i) (request[i].version == row.version)
#define where_digest(i) (request[i].payload_sha256 == row.write_id)
#endif
#define where_matches(i) (request[i].phase == row.phase && (row.phase == NO_RECORD || \
    (request[i].operation_id == row.operation_id && request[i].fence_token == row.fence_token && \
     where_version(i) && where_digest(i))))

inline evaluate_where(i) {
    if
    :: where_matches(i) ->
       request[i].read_write_id = row.write_id;
       request[i].state = MATCHED
    :: else ->
       if
       :: request[i].phase == NO_RECORD -> request[i].state = BAD_VERSION /* a strict INSERT says so */
       :: else -> request[i].state = ACKNOWLEDGED /* a stale UPDATE is a successful no-op */
       fi
    fi
}

#ifdef DEFECT_NOT_STRICT
#define znode_is_unchanged(i) true
#else
#define znode_is_unchanged(i) (request[i].read_write_id == row.write_id)
#endif

/* Equal futures, equal states: a pass over a record that does not stand any more is thrown away whatever else it reads,
   and a request whose WHERE names that record matches nothing whatever else it says. UNREDUCED leaves this out; the
   defects that make a difference of it are run that way. */
#ifdef UNREDUCED
#define outdate(v) skip
#define outdate_late skip
#else
#define outdate_late \
    if \
    :: request[LATE].state == ARRIVED -> free_request(LATE) \
    :: else -> skip \
    fi
#define outdate(v) \
    if \
    :: passes[v].evidence != 0 -> forget_pass(v); copy_record(seen[v], row) \
    :: else -> skip \
    fi; \
    if \
    :: request[v].state == ARRIVED -> \
       request[v].operation_id = 0; request[v].fence_token = 0; request[v].payload_sha256 = 0; \
       forget_record(request[v].next) \
    :: else -> skip \
    fi
#endif

inline write_row(i) {
    if
    :: znode_is_unchanged(i) ->
       check_write(i);
       request[i].next.version = row.version;
       if
       :: row.phase != NO_RECORD -> request[i].next.version++
       :: else -> skip
       fi;
       copy_record(row, request[i].next);
       request[i].state = ACKNOWLEDGED;
       outdate(0);
       outdate(1);
       outdate_late
    :: else -> request[i].state = BAD_VERSION
    fi
}

#ifdef TWO_PHASES
#define serve(i) \
    :: d_step { request[i].state == ARRIVED -> evaluate_where(i) } \
    :: d_step { request[i].state == MATCHED -> write_row(i) }
#else
#define serve(i) \
    :: d_step { \
        request[i].state == ARRIVED -> \
        evaluate_where(i); \
        if \
        :: request[i].state == MATCHED -> write_row(i) \
        :: else -> skip \
        fi \
       }
#endif
#define duplicate(i) \
    :: d_step { \
        faults > 0 && request[i].state == ACKNOWLEDGED && request[LATE].state == FREE -> \
        faults--; \
        copy_request(LATE, i); \
        request[LATE].state = ARRIVED \
       }

active proctype authority_table() {
end:
    do
    serve(0)
    serve(1)
    serve(LATE)
    duplicate(0)
    duplicate(1)
    :: d_step { request[LATE].state == ACKNOWLEDGED || request[LATE].state == BAD_VERSION -> free_request(LATE) }
    :: d_step { request[LATE].state == ARRIVED -> free_request(LATE) } /* lost after all */
    od
}
