/* reduce.h - reduces the statistics of the members of a campaign: reads members' stats/x.csv,
 * writes campaign/ensemble.
 *
 * Only members that differ in nothing but their seed are averaged, and the two of a pair
 * (ic.paired) with them: of several pairs each counts as one realisation, its mean, in errors; of
 * one pair alone the error is the scatter of its two members. A campaign whose
 * sweep changes other keys has several such groups; then each group of two members or more has a
 * directory ensemble/group-1, group-2 .. and ensemble/groups.csv says what they are; beside it lie
 * derivatives and ratios over the same seeds (response.h), ensemble/response_<key>_<table>.csv and
 * ratio_<table>.csv. With one group
 * the files lie in ensemble itself: summary.csv, members.csv, jackknife.csv, one file <table>.csv
 * per table of the members with columns x, q_mean, q_error, covariance_<table>.csv of spectra and
 * mass functions of haloes, beside it covariance_error_<table>.csv and
 * correlation_matrix_<table>.csv (p x p as it is), and ensemble.h5 with all of it. Members that are
 * tied (core/config/tie.h) have no such matrices, and a line of the log says why.
 *
 * Shapes  none
 * Units   those of the members' tables
 * Errors  SL_EINPUT for fewer than two members, damaged or missing tables, tables that do not
 *         match; SL_EIO, SL_EMEM; everything is computed before anything is written, and
 *         summary.csv comes last
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    see ensemble.h
 * Tests   tests/cli/stats.sh
 */
#ifndef SL_STATS_REDUCE_H
#define SL_STATS_REDUCE_H

#include <stdbool.h>

#include "core/config/choices.h"

#define SL_TARGET_COUNT(name, about) +1
enum { SL_TARGETS = 0 SL_TARGET_LIST(SL_TARGET_COUNT) };
#undef SL_TARGET_COUNT

/* What tells members of a group apart. */
struct sl_own {
    long long seed;
    bool paired;
};

/* Member directories and their groups. */
struct sl_members {
    int n, room;
    char **path; /* owned */
    char **key;  /* owned; what a member has in common with its group: run.yaml without the seed */
    int *group;  /* owned; 0 .. ngroup - 1 in order of appearance */
    int *unit; /* owned; the first member of the same group and seed: itself, or that of its pair */
    struct sl_own *own; /* owned */
    int ngroup;
};
/* One path per line of a file; relative ones are relative to campaign. file NULL: every directory
 * of campaign/members that holds stats/summary.csv, in the order of their names. */
int sl_members_read(const char *campaign, const char *file, struct sl_members *out);
void sl_members_release(struct sl_members *members);

/* The members of one group and the realisations that they are of. */
struct sl_group {
    int n, units;
    char **path;     /* owned list of borrowed paths, [n] */
    int *unit;       /* owned, [n]: 0 .. units - 1, in order of appearance */
    long long *seed; /* owned, [units] */
    int *halves;     /* owned, [units]: 1 as the seed has it, 2 its opposite, 3 both */
    const char *key; /* borrowed; "" of a group without members */
};
int sl_group_make(const struct sl_members *members, int group, struct sl_group *out);
void sl_group_release(struct sl_group *group);
/* Names of the tables of a member that are reduced, in their order; sl_group_files_release frees
 * them. */
int sl_group_files(const char *member, char ***name, int *n);
void sl_group_files_release(char **name, int n);

int sl_reduce(const char *campaign, const struct sl_members *members);

/* Whether the quantity that ensemble.target names is known well enough in every group; error is the
 * largest of the groups (that of ensemble.stop), infinite when a group has one member or lacks
 * it. */
struct sl_target_state {
    bool reached;
    double error;
    int members;
    enum sl_target target;
    int lacking; /* members of the groups of which none has it */
    /* in their place: what ensemble.target can name and every group has, nearest first */
    enum sl_target have[SL_TARGETS];
    int nhave;
};
int sl_reduce_check_target(const struct sl_members *members, struct sl_target_state *out);

#endif
