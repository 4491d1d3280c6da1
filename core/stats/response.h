/* response.h - how the tables of an ensemble answer to what a campaign sweeps: derivatives to its
 * numbers, and ratios between its groups, both of runs of the same seeds, whose chance cancels.
 *
 * For each number that a campaign sweeps (a key of real numbers), groups that differ in it alone
 * stand in a row. A group with a neighbour on either side has the derivative of the parabola
 * through the three, which is (y2 - y0) / (x2 - x0) where they are evenly spaced; of two alone the
 * lower one has their difference, (y1 - y0) / (x1 - x0), which is of first order there. It is taken
 * for each seed that all of these groups have, and the two of a pair (ic.paired) are averaged
 * first; given are its mean over seeds and the standard error. Likewise the ratio of each group to
 * the first.
 *
 * Tables: response_<key>_<table> with columns group, value (of the key), order (2, or 1 of a
 * difference of two), members (seeds), the first column of the members' table, and of each other
 * column q_mean (over these seeds), q_response, q_error; ratio_<table> with group, over (the
 * first), members, the first column, q_ratio, q_error. Rows of a group follow one another. Tables
 * against time have neither, nor those whose rows differ between the groups, nor groups with fewer
 * than two seeds in common.
 *
 * Shapes  none
 * Units   those of the members' tables, per value of the key
 * Errors  SL_EINPUT for tables that are missing, damaged or do not match within a group; SL_EMEM
 * Owns    what is made goes to the caller's tables
 * MPI     local
 * Where   host
 * Refs    Villaescusa-Navarro et al. 2020 (derivatives from pairs of parameters at fixed seeds)
 * Tests   tests/cli/response.sh, tests/problem/numpy_matter.sh
 */
#ifndef SL_STATS_RESPONSE_H
#define SL_STATS_RESPONSE_H

#include "core/measure/table.h"
#include "core/stats/reduce.h"

/* Adds the tables of all keys and of all files of stats/. */
int sl_response_reduce(const struct sl_members *members, struct sl_tables *tables);

#endif
