/* schemes.h - error and cost of every scheme of the gas (integrator, reconstruction, limiter,
 * Riemann solver) on problems with known answers: what the defaults of the table of keys are chosen
 * by.
 *
 * A scheme is each combination that the recipe takes. Its error is the geometric mean over the
 * problems of its kind of the error over that of the default scheme; its cost the processor time of
 * the same steps over the default's: good to a tenth or two.
 *
 * Shapes  none
 * Units   none: all numbers are relative to the default scheme; errors of problems are those of
 *         verify.tsv
 * Errors  SL_EMEM, and those of suite/run.h; a run that fails is NAN
 * Owns    the list of struct sl_schemes, which sl_schemes_release frees
 * MPI     none: the programs are started as programs of one rank
 * Where   host
 * Refs    suite.def names the problems
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_SCHEMES_H
#define SL_PIPELINE_SUITE_SCHEMES_H

#include <stdbool.h>

#include "pipeline/base/buffer.h"
#include "pipeline/suite/run.h"

/* X(name, title): what the schemes are compared in */
#define SL_SCHEMES_LIST(X)                                                                         \
    X(gas, "ideal gas")                                                                            \
    X(isothermal, "isothermal gas")                                                                \
    X(mhd, "MHD with constrained transport")
#define SL_SCHEMES_ENUM(name, title) SL_SCHEMES_##name,
enum { SL_SCHEMES_LIST(SL_SCHEMES_ENUM) SL_SCHEMES_KINDS };

enum { SL_SCHEME_PROBLEMS_MAX = 8 };

struct sl_scheme {
    char keys[160];    /* " fluid.integrator=... ..." */
    char name[48];     /* "rk2 plm minmod hllc" */
    const char *order; /* name of its reconstruction; that of the integrator where it takes none */
    bool is_default;
    bool best;                            /* none is both cheaper and more accurate */
    double value[SL_SCHEME_PROBLEMS_MAX]; /* error of each problem */
    double error, cost;
};

struct sl_schemes {
    int kind, n, problems;
    const char *problem[SL_SCHEME_PROBLEMS_MAX]; /* borrowed: their names */
    struct sl_scheme *list; /* owned; by their errors, those that failed last */
};

/* The name of a kind, and the kind of a name or -1. */
const char *sl_schemes_name(int kind);
int sl_schemes_find(const char *name);

/* Runs what was not run yet. */
int sl_schemes_measure(int kind, struct sl_suite_runs *runs, struct sl_schemes *out);
void sl_schemes_release(struct sl_schemes *schemes);

/* A line per scheme. */
void sl_schemes_csv(const struct sl_schemes *schemes, struct sl_buffer *csv);
/* The best ones and the default to standard output. */
void sl_schemes_print(const struct sl_schemes *schemes);

#endif
