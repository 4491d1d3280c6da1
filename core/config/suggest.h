/* suggest.h - what a person meant by a value that is refused: how other programs write what a
 * recipe writes otherwise. For messages alone: nothing is taken for what it is not.
 *
 * Shapes  none
 * Units   those of the key
 * Errors  a text of length 0, or NULL, where nothing is known
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/cli/recipe.sh
 */
#ifndef SL_CONFIG_SUGGEST_H
#define SL_CONFIG_SUGGEST_H

#include <stdbool.h>

#include "core/config/keys.h"

/* X(end of the key's path, choice, "words by which other codes know it"): a blank or a dash in a
 * word of a recipe counts as _ */
#define SL_SUGGEST_LIST(X)                                                                         \
    X("boundary", "outflow",                                                                       \
      "open outgoing transmissive transparent free zero_gradient extrapolate neumann "             \
      "continuative")                                                                              \
    X("boundary", "reflecting", "wall mirror slip solid rigid")                                    \
    X("boundary", "fixed", "inflow dirichlet user prescribed")                                     \
    X("boundary", "periodic", "cyclic wrap")                                                       \
    X("backend", "cuda", "gpu gpus device nvidia")                                                 \
    X("backend", "cpu", "host processor serial")                                                   \
    X("precision", "single", "float float32 f32 fp32 32 4")                                        \
    X("precision", "double", "float64 f64 fp64 64 8")                                              \
    X("fluid.eos", "ideal", "adiabatic gamma gamma_law perfect")                                   \
    X("fluid.reconstruct", "constant", "pcm donor donor_cell godunov first_order none")            \
    X("fluid.reconstruct", "plm", "linear piecewise_linear muscl")                                 \
    X("fluid.reconstruct", "ppm", "parabolic piecewise_parabolic")                                 \
    X("fluid.reconstruct", "wenoz", "weno weno5")                                                  \
    X("fluid.riemann", "hlle", "hll")                                                              \
    X("fluid.riemann", "llf", "rusanov lax_friedrichs lxf")                                        \
    X("fluid.integrator", "rk2", "heun ssprk2")                                                    \
    X("fluid.integrator", "rk3", "ssprk3")                                                         \
    X("fluid.integrator", "vl2", "vl van_leer")                                                    \
    X("fluid.mhd", "glm", "dedner cleaning")                                                       \
    X("fluid.mhd", "ct", "constrained_transport")                                                  \
    X("problem", "sod", "shock_tube")                                                              \
    X("problem", "sedov", "point_explosion blast_wave sedov_taylor")                               \
    X("problem", "kelvin_helmholtz", "kh khi")                                                     \
    X("problem", "rayleigh_taylor", "rt rti")                                                      \
    X("problem", "orszag_tang", "ot")                                                              \
    X("problem", "pancake", "zeldovich")

enum { SL_SUGGEST_MAX = 256 };
struct sl_suggestion {
    char text[SL_SUGGEST_MAX];
};

/* Adds a text behind a mark, but for the first; false when it does not fit. */
bool sl_suggestion_add(struct sl_suggestion *m, const char *mark, const char *text, size_t n);

/* In brackets; "" where it was not `good`. */
struct sl_suggestion sl_suggestion_bracket(const struct sl_suggestion *inner, bool good);

/* Whether the word is one of a list, with a blank between each two; letters of any case. */
bool sl_suggest_among(const char *words, const char *word);

/* The choice of the key that was meant: by another name, with a slip, as a part of a longer name or
 * the beginning of one. */
const char *sl_suggest_choice(const struct sl_key *key, const char *word);

/* Several choices as a list, "[velocity, density]" of "velocity, density"; where each may be left
 * out also of "all", and "[]" of "none". */
struct sl_suggestion sl_suggest_choices(const struct sl_key *key, const char *text);

/* Does the word say that there is none, as "off" does? That something is or is not, "yes" and "no"?
 * "true", "false", or NULL. */
bool sl_suggest_is_none(const char *word);
const char *sl_suggest_bool(const char *word);

/* Numbers with another mark between them than commas and brackets: "[16, 16, 16]" of 16x16x16 and
 * of "16, 16, 16". One number, as in "16x", stands for three. */
struct sl_suggestion sl_suggest_list(const char *text);

/* The ends of a range, "1..4" of 1-4, 1:4, 1...4 and "1 to 4"; ".." may be another mark, as ", ".
 */
struct sl_suggestion sl_suggest_range(const char *text, const char *mark);

/* "0.3" of 0,3; of 1,000 both that it may be, or what a whole number can be. */
struct sl_suggestion sl_suggest_comma(const char *text, bool whole);

/* Sides of a square or a cube whose number of cells was given: "[64, 64, 64]" of 64^3. */
struct sl_suggestion sl_suggest_cube(const char *text);

/* "1 h + 30 min" of 01:30:00, and of 1-12:00 as Slurm writes days. Of 1:30 both that it may be. */
struct sl_suggestion sl_suggest_clock(const char *text);

/* "1 h + 30 min" of 1h30m, "4 GB or 4 GiB" of 4G; numbers alone where the key has no unit: "0.05"
 * of 0.05s, "1e-3" of 1d-3, "0.3" of 30%, of a whole number "4e9" of 4G. */
struct sl_suggestion sl_suggest_units(const char *text, enum sl_unit unit, bool whole);

#endif
