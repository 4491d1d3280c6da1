/* book.h - what was handed to Slurm: slot tables and the journal's facts about them.
 *
 * A generation is a list of members in slots/slurm.NNNN.tsv, which is never changed; each of its
 * stages is one array over its slots, of which each holds `pack` members, one after another in the
 * table; of these pack / turns run side by side, and each process does `turns` in turn. Before
 * sbatch is called, the journal holds an intent with a token; after it, the id of the job or the
 * refusal. What happened to an intent with neither is found out by the name and the token of the
 * job.
 *
 * Shapes  generation[0 .. n-1], number n of the file is n + 1
 * Units   seconds since 1970
 * Errors  SL_EINPUT for a damaged table, SL_EIO, SL_EMEM
 * Owns    what sl_book_release frees; the campaign is borrowed
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_SLURM_BOOK_H
#define SL_PIPELINE_SLURM_BOOK_H

#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/stage.h"

enum { SL_JOB_NAME_MAX = 64, SL_JOB_TOKEN_MAX = 24 };

enum sl_handed { SL_HANDED_NOT, SL_HANDED_INTENDED, SL_HANDED_DONE };

struct sl_submission {
    enum sl_handed how;
    long long job;
    double when;
    char token[SL_JOB_TOKEN_MAX];
};

struct sl_generation {
    int *member; /* owned: rows of the campaign's table */
    int n, pack, turns;
    unsigned stages; /* bit per stage of a member that it runs */
    struct sl_submission stage[SL_STAGE_COUNT];
};

struct sl_book {
    int lost; /* number of the last table that the journal tells of and that is gone; 0: none */
    const struct sl_campaign *campaign;
    char camp[9]; /* of the directory: jobs of a copy elsewhere are not ours */
    struct sl_generation *generation;
    int n;
};

int sl_book_open(const struct sl_campaign *campaign, struct sl_book *book);
/* The empty book of a campaign that is not made yet, whatever lies in its directory. */
int sl_book_imagine(const struct sl_campaign *campaign, struct sl_book *book);
void sl_book_release(struct sl_book *book);
/* Was anything of this campaign ever handed to Slurm? */
bool sl_book_used(const struct sl_campaign *campaign);

/* Adds generation book->n + 1 with these members and stages, on disk and in the book. */
int sl_book_add(struct sl_book *book, const int *member, int n, unsigned stages, int pack,
                int turns);
/* Number of slots; a slot holds the members [slot * pack, sl_book_end). */
int sl_book_slots(const struct sl_generation *generation);
int sl_book_end(const struct sl_generation *generation, int slot);
/* Members of a slot side by side. */
int sl_book_lanes(const struct sl_generation *generation);
/* Is the mark set for any, or for all, of the members of a slot? */
bool sl_book_any(const struct sl_generation *generation, int slot, const bool *mark);
bool sl_book_all(const struct sl_generation *generation, int slot, const bool *mark);
/* Tells the journal and the book; `job` < 0: Slurm refused, `why` tells. */
int sl_book_intend(struct sl_book *book, int g, enum sl_stage stage);
int sl_book_settle(struct sl_book *book, int g, enum sl_stage stage, long long job,
                   const char *why);

/* "slc-1a2b3c4d-sim-g3"; g counts from 0, the name from 1. */
void sl_book_name(const struct sl_book *book, int g, enum sl_stage stage,
                  char name[SL_JOB_NAME_MAX]);
/* The stage and generation of such a name; false when it is not one of ours. */
bool sl_book_parse_name(const struct sl_book *book, const char *name, int *g, enum sl_stage *stage);

#endif
