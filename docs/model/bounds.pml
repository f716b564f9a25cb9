/* How large the world is. A scenario bounds what happens in it; init chooses one. With -DSCENARIO=n only that one. */

#define MEMBERS 2
#define WORKERS 2
#define TRIES 3      /* candidates that may be staged in all */
#define QUEUE 12     /* entries; a run that needs more fails loudly */
#define OPERATIONS 2 /* a publication and its successor */

/* Names and generations are small numbers. A try k stages the generation uuid_of(k) under the name name_of(k). */
#define ABSENT 0
#define FIRST_GENERATION 1 /* what the target is at the beginning */
#define uuid_of(k) ((k) + 1)
#ifdef DEFECT_CANDIDATE_NAME_REUSED
#define name_of(k) (1)
#else
#define name_of(k) (k)
#endif

byte calls[WORKERS]; /* calls that a worker still makes, one after the other */
byte operations;     /* of these many operations */
byte tries_left;     /* candidates that may still be staged */
byte attempts;       /* limits::attempts_per_action */
byte faults;         /* of any kind, in any mixture */
byte crashes;        /* of workers */
bool operator;       /* calls may be the operator's */
byte faults_in_all;
byte crashes_in_all;

#define bounds(calls0, calls1, operations_, tries_, attempts_, faults_, crashes_, operator_) \
    calls[0] = calls0; calls[1] = calls1; operations = operations_; tries_left = tries_; attempts = attempts_; \
    faults = faults_; faults_in_all = faults_; crashes = crashes_; \
    crashes_in_all = crashes_; operator = operator_

/* Two workers of one operation at the same time, with one fault anywhere. */
#define RACE 1
/* Two workers at the same time, a publication, its successor and the operator. */
#define SUCCESSION 2
/* One worker call after call: a publication, its successor, the operator, with two faults anywhere. */
#define SEQUENCE 3
/* The race without any fault, and one worker for long with one: for the defects and for progress. */
#define QUIET_RACE 4
#define LONG_SEQUENCE 5
/* Two workers at the same time, one of which crashes anywhere; the next try goes on. */
#define CRASHES 6
/* Two workers at the same time, of two operations or one of them the operator, with a crash. */
#define OPERATOR 7

inline existing_target() {
    members[0].target = FIRST_GENERATION;
    members[1].target = FIRST_GENERATION
}

inline any_target() {
    if
    :: existing_target()
    :: skip
    fi
}

inline choose_scenario() {
    if
#if !defined SCENARIO || SCENARIO == RACE
    :: bounds(1, 1, 1, 1, 1, 1, 0, 0); existing_target()
#endif
#if !defined SCENARIO || SCENARIO == SUCCESSION
    :: bounds(2, 1, 2, 2, 1, 0, 0, 1); existing_target()
#endif
#if !defined SCENARIO || SCENARIO == SEQUENCE
    :: bounds(2, 0, 2, 2, 2, 2, 0, 1); existing_target()
#endif
#if SCENARIO == QUIET_RACE
    :: bounds(1, 1, 1, 2, 1, 0, 0, 0); any_target()
#endif
#if SCENARIO == LONG_SEQUENCE
    :: bounds(3, 0, 2, 3, 2, 1, 0, 0); any_target()
#endif
#if SCENARIO == CRASHES
    :: bounds(2, 1, 1, 2, 1, 0, 1, 0); any_target()
#endif
#if SCENARIO == OPERATOR
    :: bounds(1, 1, 2, 2, 1, 0, 1, 1); any_target()
#endif
    fi
}
