/* journal.h - the facts of a campaign: journal.jsonl, one JSON object per line, only ever appended.
 *
 * A fact is one write of one line, flushed. A line torn by a crash is skipped by readers and closed
 * by the next writer. Readers need no lock and may go on from where they stopped; writers hold a
 * lock for the moment of the write, because NFS does not append atomically between hosts. What the
 * journal says is a record; whether a stage is done is decided by its end-record (task.h).
 *
 * Shapes  none
 * Units   seconds since 1970
 * Errors  SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/journal.c
 */
#ifndef SL_PIPELINE_CAMPAIGN_JOURNAL_H
#define SL_PIPELINE_CAMPAIGN_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

/* X(name, sentence) */
#define SL_FACT_LIST(X)                                                                            \
    X(created, "the campaign was made; count: its members")                                        \
    X(extended, "members were added; count: members now")                                          \
    X(run, "an executor began; text: how")                                                         \
    X(idle, "the executor ended; code: its exit code")                                             \
    X(stop, "a person asked the executor to stop")                                                 \
    X(start, "attempt n of a stage of a member began")                                             \
    X(end,                                                                                         \
      "attempt n ended; result, code, step, seconds of walltime, memory of asked and of planned "  \
      "bytes on a rank, haloes of statistics, text: why")                                          \
    X(inject, "a failure was injected into attempt n")                                             \
    X(retry, "the failures of a member are forgotten, it may run again")                           \
    X(cancel, "a person took a member out")                                                        \
    X(target,                                                                                      \
      "ensemble.target was looked at; code 1: reached, members that wait are surplus; text: that " \
      "members do not have it")                                                                    \
    X(throttle, "count: members that may run at once; 0: as many as fit")                          \
    X(notified, "the program of notify.program was started; text: of what; code: its exit code")   \
    X(forgive, "sluice readmit: the node is used again; without a name, all of them")              \
    X(set, "a person changed a key for what is still to run; text: key=value")                     \
    X(clean, "files were deleted; text: which")                                                    \
    X(intent, "an array is about to be submitted; text: its name and token; count: its slots")     \
    X(submitted, "Slurm took it; text: name, token, job")                                          \
    X(refused, "Slurm did not take it; text: name, token, why")

#define SL_FACT_ENUM(name, about) SL_FACT_##name,
enum sl_fact_kind { SL_FACT_LIST(SL_FACT_ENUM) SL_FACT_COUNT };

struct sl_fact {
    enum sl_fact_kind what;
    double t;        /* 0: now */
    char member[72]; /* "" where the fact is the campaign's */
    char stage[12];
    char node[72];   /* where an attempt began; the nodes that ended it */
    char result[12]; /* of an attempt: names of SL_RESULT_LIST (task.h) */
    int n;           /* attempt */
    int code;        /* exit code */
    long long step;  /* last checkpointed step, -1 unknown */
    double seconds;  /* an attempt took */
    double walltime, memory, asked,
        planned;  /* of an attempt: its limit; bytes of its fullest rank, of those that a cluster
                                                was asked for and that were planned; 0 unknown */
    double value; /* cell updates per second of an attempt, relative error of a target; 0 unknown */
    long long count;
    long long haloes; /* of the last snapshot in which they were looked for; -1: in none */
    char text[512];
};

const char *sl_fact_name(enum sl_fact_kind what);
void sl_fact_init(struct sl_fact *fact, enum sl_fact_kind what, const char *member,
                  const char *stage);

/* Appends one fact to dir/journal.jsonl and flushes it. */
int sl_journal_add(const char *dir, const struct sl_fact *fact);

/* When the first fact was written, by which campaigns at one place differ; 0 without a journal. */
int sl_journal_first(const char *dir, double *t);

/* Calls each() for the facts from byte *offset on and moves *offset behind the last whole line.
 * *damaged (may be NULL) counts lines that are no facts; unknown kinds of fact are passed over. */
int sl_journal_read(const char *dir, int64_t *offset, int (*each)(const struct sl_fact *, void *),
                    void *user, int *damaged);

#endif
