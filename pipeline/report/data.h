/* data.h - what a campaign directory says, read for the report and for exports.
 *
 * Results that are missing are no error: a member without statistics has empty tables, a value that
 * nobody wrote is NAN. Only a directory that is no campaign is refused.
 *
 * Shapes  members in the order of the campaign
 * Units   seconds, core hours, code units; times of figures in time.unit
 * Errors  those of sl_campaign_open and sl_campaign_state_open; SL_EMEM
 * Owns    everything below struct sl_report
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c
 */
#ifndef SL_PIPELINE_REPORT_DATA_H
#define SL_PIPELINE_REPORT_DATA_H

#include "core/config/show.h"
#include "pipeline/base/csv.h"
#include "pipeline/campaign/state.h"

/* "path: value" lines of a run.yaml. */
struct sl_keys {
    struct sl_buffer text;  /* owned */
    const char **key_value; /* owned array: key, value, key, value ... into text */
    int n;
};

/* Numbers of the snapshots that have statistics, ascending. */
struct sl_report_snapshots {
    int *number; /* owned array */
    int n;
};

/* Members that differ in their seed only: what an ensemble is reduced over. */
struct sl_report_group {
    char dir[32];          /* of its results below the campaign, "" when it has none */
    char what[512];        /* the keys in which it differs from other groups */
    struct sl_csv summary; /* summary.csv of dir */
    int members, first;    /* how many; row of the first finished one, -1 none */
    struct sl_report_snapshots snapshots; /* of dir, or else of that member */
};

struct sl_report_attempt {
    char stage[12], result[12], host[72], cause[512]; /* result: "done", "failed", "stopped" ... */
    int number, code;                                 /* exit code of the program */
    double start, wall;                               /* seconds since 1970, seconds */
};

struct sl_report_member {
    const char *id, *label; /* borrowed from the campaign */
    int group;
    enum sl_work_state state;
    bool measured; /* its statistics are done */
    struct sl_keys keys;
    struct sl_report_snapshots snapshots;
    struct sl_csv summary;             /* stats/summary.csv */
    struct sl_csv verify;              /* verify.tsv: errors against the exact solution */
    struct sl_report_attempt *attempt; /* owned array, in order of their ends */
    int attempts;
    double wall, core_hours, cells_per_s, particle_steps_per_s, steps, cells, repaired, floored,
        rows;
    double gravity_share; /* of the wall time of its steps, of all attempts; NAN: it has none */
    double time_unit;     /* code time in one time.unit */
    double parseval;      /* largest error of the sums of its last spectra */
    double density;       /* mean of the gas at the start of the history, NAN without gas */
    double field;         /* G of a code unit of the field where a is 1; NAN: not in a universe */
    double mass_drift;    /* largest |x / x(0) - 1| of the history */
    /* the same of the total energy; with gravity largest |x - x(0)| of total and potential energy
     * over the largest of kinetic and potential energy; NAN in an expanding universe */
    double energy_drift;
    /* largest |div B| over its rms: over the longest side of a finest cell, with constrained
     * transport of any cell, with cleaning its mean over the volume; NAN without a field */
    double divergence;
    double cooled; /* size of the energy lost by cooling until the end; NAN: the history has none */
};

struct sl_report {
    struct sl_campaign campaign;      /* owned */
    const struct sl_report *against;  /* borrowed; a campaign to compare with, NULL */
    const char *dir, *name;           /* of it */
    struct sl_buffer recipe, journal; /* as they are; journal may be empty */
    char recipe_hash[65];             /* SHA-256 of recipe.yaml */
    struct sl_report_member *member;  /* owned array */
    int members;
    struct sl_report_member whole;     /* only its attempts: at the stages of the campaign itself */
    struct sl_use use[SL_STAGE_COUNT]; /* of what attempts had asked for */
    int done, bad, open; /* members that finished; failed, diverged or stalled; may still go on */
    int measured;        /* members whose statistics are done */
    char target[480];    /* that members lack the quantity of ensemble.target; "": they do not */
    struct sl_report_group *group; /* owned array, at least one */
    int groups;
    struct sl_csv provenance; /* history.tsv of the first member that has one: its comments */
    const char **varied; /* owned array: keys whose value differs between members, borrowed texts */
    int varieds;
    double start, end, core_hours; /* first start, last end of all attempts; sum */
};

int sl_report_read(struct sl_report *r, const char *dir);
void sl_report_release(struct sl_report *r);

/* A state that a person should look at. */
bool sl_report_bad(enum sl_work_state state);
/* The last of them, 0 of none. */
int sl_report_last(const struct sl_report_snapshots *s);
/* The first member whose values are known, for what is the same in all. */
const struct sl_report_member *sl_report_first(const struct sl_report *r);
/* The first finished member of any group, -1: none is. */
int sl_report_finished(const struct sl_report *r);
/* Whether members differ by this key. */
bool sl_report_differs(const struct sl_report *r, const char *key);
/* Whether members that differ by this key are in different groups. */
bool sl_report_makes_group(const char *key);
/* Value of a key of a member, "" when absent. */
const char *sl_report_key(const struct sl_report_member *m, const char *key);
/* The i-th number of a list such as "[64, 64, 64]", NAN when there is none. */
double sl_report_list_number(const char *list, int i);
/* Whether its box expands with a universe. */
bool sl_report_expands(const struct sl_report_member *m);
/* What tells the time of its snapshots: 'z', a redshift, of an expanding universe or the start of
 * one, else 't'. */
char sl_report_clock(const struct sl_report_member *m);
/* km/s of a code unit of velocity at a scale factor of its universe, where velocities are a v over
 * 100 km/s; 1 of a run in none. */
double sl_report_speed(const struct sl_report_member *m, double scale_factor);
/* K of a code unit of pressure over density, likewise; 1 of a run in none. The gas is neutral, of
 * hydrogen and helium. */
double sl_report_kelvin(const struct sl_report_member *m, double scale_factor);
/* Proper G of a code unit of the magnetic field, likewise; NAN where the history does not say. */
double sl_report_gauss(const struct sl_report_member *m, double scale_factor);
/* Whether a random force drives it. */
bool sl_report_driven(const struct sl_report_member *m);
/* What stands behind the name of an axis: " (3.1e+18 cm)" for "code length" of a run with physical
 * units, else `otherwise` in such brackets, "" for "". */
void sl_report_unit(const struct sl_report_member *m, const char *unit, const char *otherwise,
                    char text[96]);
/* What the row of its problem shows (core/config/show.h). */
const struct sl_show *sl_report_show(const struct sl_report_member *m);
/* Value of a quantity of a member's summary, NAN when absent. */
double sl_report_value(const struct sl_report_member *m, const char *quantity);
/* Mean and standard error of a quantity over a group; of a group without results the value of its
 * first finished member, with error NAN. */
void sl_report_mean(const struct sl_report *r, int group, const char *quantity, double *mean,
                    double *error);
/* The group of the campaign to compare with that stands beside a group: the only one, or the one of
 * the same keys; -1 when there is none with results. */
int sl_report_counterpart(const struct sl_report *r, int group);
/* Reads the groups and their summaries; part of sl_report_read (report/group.c). */
int sl_report_groups_read(struct sl_report *r);

#endif
