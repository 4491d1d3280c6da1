/* problem.h - what a problem is: one file of core/problem that defines `const struct sl_problem
 * sl_problem_<file>`.
 *
 * The Makefile finds problems by their file names. The first lines of a problem file after its head
 * are its rows for the table of keys, one per line, in the form of config/keys.def; the Makefile
 * collects them (they expand to nothing here), so that a problem with its keys is one file:
 *
 *   SL_PROBLEM(sod, 0, "shock tube of Sod 1978")
 *   SL_REAL_KEY(sod_x0, "sod.x0", "0.5", -1e30, 1e30, none, "place of the diaphragm")
 *
 * SL_PROBLEM: name, 1 when an ic stage makes its initial fields, sentence.
 *
 * A list of choices of a problem's own key is a macro SL_<NAME>_LIST(X) in the same file, which the
 * Makefile collects too. So is what a problem asks of its keys, so that a wrong recipe is refused
 * with the place of the key before anything runs (core/config/config_problem.c expands the
 * rows):
 *
 *   SL_RULE(sedov, fluid_gamma, fabs(cfg->fluid_gamma - 2) > 1e-4, "the blast is singular at 2")
 *
 * name, member of the key to point at, what holds of cfg when all is well, text and its arguments.
 * SL_RULE_IDEAL(name), SL_RULE_FIELD(name), SL_RULE_PLANE(name): it needs an ideal gas, a magnetic
 * field, two axes or three. Of `verify`: SL_RULE_EXACT(name), the exact solution is one without
 * sources (core/source); SL_RULE_EXACT_WITH(name, source), one with this source alone,
 * SL_RULE_EXACT_WITH_OR(name, source, other), or with the other one besides;
 * SL_RULE_UNKNOWN(name), there is nothing to compare with. They say what `exact`, `force` and
 * `measure` of struct sl_problem say; SL_RULE_REFINES(name) says that there is `refine`.
 * SL_RULE_WALLS(name, x-, x+, y-, y+, z-, z+): what the faces of the box are where the recipe does
 * not say it, periodic without this row: WALL(outflow), with which alone, but for `fixed`, an exact
 * solution is compared, FREE(outflow), where others are as good, or what
 * core/config/config_boundary.c has beside these; SL_RULE_TUBE(name), those of a tube along x.
 * SL_SHOW(name, "what", "maps", "numbers"): what its report shows, as core/config/show.h says:
 *
 *   SL_SHOW(sod, "profiles error", "density", "relative_l1")
 *
 * Rows are read in their order; a later one may rely on the earlier ones. Lists are filled up to
 * the dimension and boundaries to six by then.
 *
 * Shapes  prim: rho, u, v, w, p, then the passive scalars (as fractions); p is rho cs^2 in an
 *         isothermal gas
 * Units   code units
 * Errors  SL_EINPUT for parameters that make no sense
 * Owns    data is made by open, freed by close
 * MPI     local, but for fill and measure, which are collective
 * Where   host
 * Refs    none
 * Tests   tests/problem, tests/law/symmetry.c
 */
#ifndef SL_STATE_PROBLEM_H
#define SL_STATE_PROBLEM_H

#include <stdbool.h>

#include "core/config/config.h"
#include "core/config/key_rows.h"

#define SL_PROBLEM(...)
#define SL_SHOW(...)
#define SL_RULE(...)
#define SL_RULE_IDEAL(...)
#define SL_RULE_FIELD(...)
#define SL_RULE_PLANE(...)
#define SL_RULE_EXACT(...)
#define SL_RULE_EXACT_WITH(...)
#define SL_RULE_EXACT_WITH_OR(...)
#define SL_RULE_UNKNOWN(...)
#define SL_RULE_REFINES(...)
#define SL_RULE_WALLS(...)
#define SL_RULE_TUBE(...)

struct sl_state;

/* Where what a problem sets lies in prim: rho, u, v, w, p come first. */
enum { SL_PRIM_SCALAR = 5, SL_PRIM_B = 13, SL_PRIM_MAX = 16 };

/* Numbers that a run is judged by, e.g. how symmetric it stayed, and what they mean, in one line
 * without a tab: verify.tsv and the report say it. */
enum { SL_MEASURE_MAX = 32 };
struct sl_measures {
    int n;
    struct {
        const char *name, *meaning; /* static texts */
        double value;
    } row[SL_MEASURE_MAX];
};
void sl_measure(struct sl_measures *list, const char *name, const char *meaning, double value);

/* A density that a run should come to: averages over n equal parts of the box along x. */
struct sl_converged {
    double time;
    int n;
    const double *density; /* static */
};

struct sl_problem {
    const char *name;
    /* state is the exact solution at any t, not only the start, of gas that no source changes but
     * `force`, the name of a file of core/source; NULL: none. */
    bool exact;
    const char *force;
    const char *matter; /* a source that the run may have besides `force`; NULL: none */
    /* Checks the parameters and prepares data; may be NULL when there is nothing to prepare. */
    int (*open)(const struct sl_config *cfg, void **data);
    void (*close)(void *data); /* may be NULL */
    /* Average of the primitive state over the cell lo .. hi at time t; also what a fixed boundary
     * takes; there a density of 0 means a wall, as for reflecting. */
    void (*state)(const void *data, const double lo[3], const double hi[3], double t, double *prim);
    /* local. Average of the exact flow over the cell at time t where `state` is the start alone:
     * tables have it beside the cells (output.sample); false: none at that time. NULL: never. */
    bool (*flow)(const void *data, const double lo[3], const double hi[3], double t, double *prim);
    /* The magnetic field as a uniform part and the curl of a potential, for constrained transport:
     * the average of A_axis along an edge, which goes from lo to hi along that axis alone; and the
     * uniform part. NULL: the field of `state` is uniform, or each component is along the others'
     * axes. */
    double (*potential)(const void *data, int axis, const double lo[3], const double hi[3],
                        double t);
    void (*uniform)(const void *data, double b[3]); /* NULL: there is none beside the potential's */
    /* Whether these parameters ask for the potential, else the field is that of `state`; NULL: they
     * do. */
    bool (*curled)(const void *data);
    /* collective. Sets run->u (interior) at t = 0 instead of state, e.g. from ic.h5; NULL when
     * state does. */
    int (*fill)(const void *data, struct sl_state *run);
    /* collective. Adds those of a start, with their masses, to run->particles
     * (core/particles/store.h), each on any rank; NULL: particles.file has them. */
    int (*particles)(const void *data, struct sl_state *run);
    /* local. *fills: whether fill has what the cells of the level of run hold, as it has for those
     * of the root; NULL: it does not, and levels come of the root. */
    int (*fills)(const void *data, const struct sl_state *run, bool *fills);
    /* local. The first mesh has its cells: what fill has kept for more levels may go; NULL: it
     * keeps nothing. */
    void (*filled)(const void *data);
    /* local. Adds to the field at faces (constrained transport) what `fill` could not put into
     * cells, or sets it; NULL: nothing. */
    int (*faces)(const void *data, struct sl_state *run);
    /* Code time in one "crossing" (time.unit); NULL: the sound crossing time of the box is not
     * defined, unit is 1. */
    double (*crossing)(const void *data);
    struct sl_converged converged; /* n = 0: none */
    /* Rule `problem` of mesh.refine: of the blocks of a level that reach into lo .. hi at time t,
     * 1: they are to be refined, 0: not merged, -1: nothing. NULL: the problem has no such rule. */
    int (*refine)(const void *data, const double lo[3], const double hi[3], int level, double t);
    /* collective. What `verify` reports beside the L1 errors; NULL: nothing. */
    int (*measure)(const void *data, const struct sl_state *run, struct sl_measures *out);
};

/* All problems, sorted by name; the table ends with NULL. sl_problem_find returns NULL for an
 * unknown name. */
extern const struct sl_problem *const sl_problems[];
const struct sl_problem *sl_problem_find(const char *name);

/* An open for problems that need nothing but their keys: data is a copy of the configuration; its
 * close is free. */
int sl_problem_keep(const struct sl_config *cfg, void **data);

#endif
