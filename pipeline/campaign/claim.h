/* claim.h - who may work: exactly one process at a time, on any host that sees the directory.
 *
 * The n-th claim on a name is the file NAME.n.json, made by link(), which exactly one process can
 * win. It names its owner (host, boot, process, start time of the process). When the owner ends, it
 * rewrites the file with an end time. The highest n counts: a claim without an end whose owner is
 * provably dead (same host), or silent for too long (another host), is taken over by linking n + 1;
 * nothing is ever removed, so two that take over at once cannot harm each other.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EAGAIN when another holds it, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/claim.c
 */
#ifndef SL_PIPELINE_CAMPAIGN_CLAIM_H
#define SL_PIPELINE_CAMPAIGN_CLAIM_H

#include <jansson.h>
#include <stdbool.h>

#include "pipeline/base/disk.h"

enum { SL_TOKEN_MAX = 64 };

struct sl_owner {
    char host[72];
    char boot[40];  /* changes when the host starts anew */
    char space[40]; /* name space of process numbers: differs between containers of one host */
    long pid;
    unsigned long long start; /* of the process, in clock ticks since boot: a reused pid differs */
    char job[48], node[72];   /* of a task of Slurm, "" without one */
    int restart;              /* how often Slurm has started the task again */
};

enum sl_owner_state { SL_OWNER_DEAD, SL_OWNER_ALIVE, SL_OWNER_ELSEWHERE };

struct sl_claim {
    char path[SL_PATH_MAX]; /* of the file, once taken */
    char stem[SL_PATH_MAX]; /* directory/name */
    int n;
    struct sl_owner owner;
    char token[SL_TOKEN_MAX]; /* unique; processes of the claim carry it in SLUICE_TASK */
    double begin;
};

struct sl_claim_look {
    int n;         /* highest claim; 0: never claimed */
    bool held;     /* not ended, and its owner is alive or may be */
    bool stale;    /* not ended, and its owner is gone */
    double silent; /* seconds since the owner's last sign, by the file server's clock */
    struct sl_claim claim;
    json_t *record; /* the caller's (json_decref); NULL when n is 0 or the file is damaged */
};

/* Seconds of silence after which a claim of another host counts as stale. */
extern double sl_claim_limit;

enum sl_owner_state sl_owner_state(const struct sl_owner *owner);

/* What is known of the highest claim on dir/name; *look holds a reference on record. */
int sl_claim_look(const char *dir, const char *name, struct sl_claim_look *look);

/* Takes the claim; SL_EAGAIN with the holder named in the error text. `extra` (may be NULL) is
 * merged into the record; token NULL: a new one is made. */
int sl_claim_take(const char *dir, const char *name, const char *token, json_t *extra,
                  struct sl_claim *claim);
/* Still ours: nobody has linked a higher one. */
bool sl_claim_held(const struct sl_claim *claim);
/* Somebody has. A claim that cannot be seen, as its server or its directory is gone, is not lost by
 * that. */
bool sl_claim_lost(const struct sl_claim *claim);
/* A sign of life for other hosts. */
void sl_claim_beat(const struct sl_claim *claim);
/* Ends the claim; `extra` is merged into the record. SL_EGUARD when it is not ours any more. */
int sl_claim_end(const struct sl_claim *claim, json_t *extra);

/* Processes of this host that carry the token, but for this one: their number, the first `max` in
 * pids. */
int sl_claim_processes(const char *token, long *pids, int max);
/* Sends them the signal. */
void sl_claim_signal(const char *token, int signal);
/* Is process `pid` of this host all that is left of those that carry the token? Not when it has had
 * no children yet, nor while it waits for a disk: it may be about to start them, or to end; nor
 * while one of them lives, even if what it carries cannot be read. */
bool sl_claim_left(const char *token, long pid);

enum { SL_LEFT_EVERY = 10, SL_LEFT_WAIT = 30 }; /* seconds */
/* Looks at a process, all 0 at first. */
struct sl_left {
    double look_at; /* moment of the next look */
    int looks;      /* in a row at which it was left */
};
/* Whether it has been left for SL_LEFT_WAIT; looks when that is due. The time is counted in looks,
 * so that a suspension of the whole job, in which nothing can end, does not count. */
bool sl_claim_left_long(struct sl_left *left, const char *token, long pid);
/* Kills what a dead owner left behind, waits until it is gone, and removes the directory of its
 * MPI; SL_EAGAIN when it does not go. */
int sl_claim_sweep(const char *token);

#endif
