/* state.h - where every member stands: the journal folded, corrected by the end-records.
 *
 * Shapes  member[0 .. campaign->n-1]
 * Units   seconds
 * Errors  SL_EIO, SL_EMEM
 * Owns    what sl_campaign_state_release frees; the campaign is borrowed
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_STATE_H
#define SL_PIPELINE_CAMPAIGN_STATE_H

#include "core/config/choices.h"
#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/nodes.h"
#include "pipeline/campaign/stage.h"

/* How far the work on a stage or a member is. X(name, letter, does it end the member,
 * "sentence") */
#define SL_WORK_LIST(X)                                                                            \
    X(waiting, '.', 0, "not started, or between two stages")                                       \
    X(running, 'R', 0, "an attempt is under way")                                                  \
    X(stopped, 'P', 0, "stopped with its work saved; goes on in the next attempt")                 \
    X(done, 'D', 1, "all its stages are done")                                                     \
    X(failed, 'F', 1, "failed as often as it may")                                                 \
    X(stalled, 'S', 1, "stops at the wall-time limit without getting any further")                 \
    X(diverged, 'V', 1, "the solution broke down")                                                 \
    X(cancelled, 'C', 1, "taken out by a person")                                                  \
    X(surplus, '-', 1, "not needed: the error bar is small enough without it")

#define SL_WORK_ENUM(name, letter, ends, about) SL_WORK_##name,
enum sl_work_state { SL_WORK_LIST(SL_WORK_ENUM) SL_WORK_COUNT };

/* Attempts in a row that reach the wall-time limit without a newer checkpoint before `stalled`. */
enum { SL_STUCK_MAX = 2 };
/* Nodes that may fail under a stage in a row, without a newer checkpoint, before `failed`. */
enum { SL_TAKEN_MAX = 20 };

/* Seconds until what one node wrote is seen by all: NFS remembers for up to a minute that a file
 * was not there, or how long it was (nfs(5), acregmax and acdirmax). What is appended to the
 * journal is seen at once, since each look opens it. */
enum { SL_SETTLE_WAIT = 90 };

/* What attempts at a stage took of what they had asked for. Bytes are those of a rank, the
 * fullest one. */
enum { SL_USE_SIZES = 256 }; /* as many as a submission tells apart */
struct sl_use {
    int attempts;             /* whose limit is known */
    double seconds, walltime; /* of all of them */
    double most;              /* bytes: the most that one took */
    int measured;             /* attempts of which is known what they took and what was asked for */
    double memory, asked;     /* sums over those */
    struct {                  /* of members that are done, by what was planned for them */
        double planned, most;
        int n;
    } size[SL_USE_SIZES];
    int sizes;
};

struct sl_stage_state {
    enum sl_work_state state;
    int attempts, last_end; /* highest attempt begun, highest ended */
    int failures;           /* since the last checkpoint that was newer */
    int stuck;              /* attempts without a newer checkpoint */
    int taken;              /* attempts whose node failed, likewise */
    int shortages;          /* attempts that ended because memory was short */
    double asked;           /* bytes of a rank that the last of those had asked for */
    int code;
    bool journal_done; /* the journal calls it done, since it was last begun or tried again */
    long long step;
    double seconds; /* of all attempts */
    double rate, begin, end;
};

struct sl_member_state {
    struct sl_stage_state stage[SL_MEMBER_STAGES];
    bool started, cancelled, surplus;
    long long haloes; /* that its statistics found in its last snapshot; -1: none were looked for */
    char *why;        /* owned: last failure, NULL for none */
};

struct sl_campaign_state {
    const struct sl_campaign *campaign;
    struct sl_member_state *member;
    int n;
    int listed; /* members that the campaign had at the fact that was read last; 0: not known */
    struct sl_stage_state whole[SL_STAGE_COUNT - SL_MEMBER_STAGES]; /* ensemble, summary, report */
    char *whole_why[SL_STAGE_COUNT -
                    SL_MEMBER_STAGES]; /* owned: why the last attempt failed; NULL: it did not */
    int64_t offset;
    int damaged;
    int count[SL_WORK_COUNT];
    double first, last;  /* times of the first and last fact */
    int stop;            /* the claim of the local run that was asked to stop last; 0: none */
    bool halted;         /* a person stopped the campaign, and it was not begun since */
    double rank_seconds; /* spent by all attempts */
    struct sl_use use[SL_STAGE_COUNT];
    /* of a failure since the last retry, of the end since the last attempt */
    bool notified[SL_NOTIFY_EVENTS];
    double retried; /* time of the last retry */
    double submitted,
        waited; /* last submission that nothing started after; longest wait, -1 none */
    int failures, stops, injected; /* of all attempts */
    int lost;                      /* runs that their node or a kill ended */
    double run_seconds;            /* of all runs, each on all its nodes */
    bool target_seen, target_reached;
    double target_error;
    int target_members;     /* that were measured when it was looked at last */
    char target_lacks[400]; /* that they do not have the quantity; "": they have it */
    void (*on_fact)(const struct sl_fact *fact, void *user); /* called for every fact when set */
    void *on_fact_user;
    struct sl_bad_nodes bad_nodes;
    long long throttle; /* members that may run at once on a cluster; 0: no limit */
    const bool *watch;  /* borrowed: members whose end-records are looked at; NULL: all */
    int grown; /* the journal speaks of members that the campaign does not list (extended) */
};

int sl_campaign_state_open(const struct sl_campaign *campaign, struct sl_campaign_state *state);
/* The state before anything has run, whatever lies in the directory. */
int sl_campaign_state_imagine(const struct sl_campaign *campaign, struct sl_campaign_state *state);
/* The same for the eyes of one task: of the members that `watch` does not mark, the journal is
 * believed, since thousands of tasks must not look at thousands of files each. */
int sl_campaign_state_open_for(const struct sl_campaign *campaign, const bool *watch,
                               struct sl_campaign_state *state);
void sl_campaign_state_release(struct sl_campaign_state *state);
/* Takes in what was added since; looks at the end-records of members that are not known as done,
 * of all members when `all`. */
int sl_campaign_state_refresh(struct sl_campaign_state *state, bool all);
/* Waits until the end-records of all stages that the journal calls done are seen, at most
 * SL_SETTLE_WAIT seconds. */
int sl_campaign_state_settle(struct sl_campaign_state *state);
/* Running members whose process is gone become `stopped`; *held counts those that are at work. */
int sl_campaign_state_probe(struct sl_campaign_state *state, int *held);

/* Mean time between failures of a run's nodes, in seconds, by what this campaign has seen;
 * `expected` before that. */
double sl_campaign_state_mtbf(const struct sl_campaign_state *state, double expected);

enum sl_work_state sl_campaign_state_member(const struct sl_campaign_state *state, int member);
/* First stage of the member that is not done; -1 when all are. */
int sl_campaign_state_next(const struct sl_campaign_state *state, int member);
/* Compares a stage of the member with its record (SL_CHECK_SUM), and with the last one of a member
 * that is done all of run.yaml. */
int sl_campaign_state_verify(const struct sl_campaign_state *state, int member, enum sl_stage stage,
                             int *files, double *bytes);
/* Whether the statistics of a member are done, so that ensemble and report can show it: commands of
 * one's own may have failed after them. */
bool sl_campaign_state_is_measured(const struct sl_campaign_state *state, int member);
/* How many are. */
int sl_campaign_state_measured(const struct sl_campaign_state *state);
/* How many are neither done nor otherwise at their end. */
int sl_campaign_state_open_members(const struct sl_campaign_state *state);
const char *sl_campaign_state_name(enum sl_work_state kind);
char sl_campaign_state_letter(enum sl_work_state kind);
bool sl_campaign_state_ends(enum sl_work_state kind);

#endif
