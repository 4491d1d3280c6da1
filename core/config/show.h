/* show.h - what is shown of a problem: the figures, maps and headline numbers of a report, as the
 * row SL_SHOW of the problem's file says (core/state/problem.h).
 *
 * Shapes  none
 * Units   none
 * Errors  none: a problem without a row shows its density and its energies
 * Owns    nothing; all texts are static
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/show.c
 */
#ifndef SL_CONFIG_SHOW_H
#define SL_CONFIG_SHOW_H

#include <stdbool.h>
#include <stdint.h>

struct sl_config;

/* X(name, sentence): what the first text of a row may hold */
#define SL_SHOWN_LIST(X)                                                                           \
    X(turbulence, "laws of turbulence: Mach number, decay, slopes, log-normal densities")          \
    X(universe, "redshift, Omega, h and sigma8; powers beside those of linear theory")             \
    X(energies, "energies against time")                                                           \
    X(spectra, "power spectra, structure functions, distributions")                                \
    X(profiles, "cells along x")                                                                   \
    X(radial, "cells and shells by their distance from the centre")                                \
    X(error, "the error against the exact solution, also across a sweep")

/* Blank-separated words. */
struct sl_show {
    const char *what;    /* of SL_SHOWN_LIST */
    const char *maps;    /* of SL_MAP_LIST; those the run lacks are left out */
    const char *numbers; /* headlines: quantities of summary.csv or verify.tsv, in their order */
};

/* By a number of enum sl_problem_name; any other: as a problem without a row. */
const struct sl_show *sl_show_of(int problem);
/* Whether a list of words holds one. */
bool sl_show_has(const char *words, const char *word);

/* The maps of a run as bits 1 << SL_MAP_*: statistics.maps, with those of the problem for auto;
 * none in one dimension. */
unsigned sl_show_maps(const struct sl_config *cfg);

/* The level of the grid of maps: the finest of the run on which no side has more than SL_MAP_EDGE
 * cells, at least statistics.level. */
enum { SL_MAP_EDGE = 512, SL_MAP_PLANES = 4 }; /* planes: that are summed up at a time */
int sl_show_map_level(const struct sl_config *cfg);

/* The plane of `cells` along an axis that a slice across it shows: the one that holds the centre of
 * the problem (its key `center`), beside a symmetric wall without an opposite the one next to it,
 * the middle one else. Of a periodic axis never the first or last, whose neighbours lie apart. */
int64_t sl_show_plane(const struct sl_config *cfg, int axis, int64_t cells);

/* Where the problem has its centre along an axis (its key `center`); NAN: it has no such key. */
double sl_show_center(const struct sl_config *cfg, int axis);

/* Whether statistics take the pressure of snapshots, too. */
bool sl_show_pressure(const struct sl_config *cfg);

#endif
