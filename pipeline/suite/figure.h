/* figure.h - the figures of the verification page: ours beside those of the papers whose codes
 * sluice follows. The figures and their curves are the last rows of suite.def.
 *
 * Writes figures/<name>.csv (numbers of the first curve; <name>_2.csv ... of the others), .gp,
 * .svg, .png.
 *
 * Shapes  none
 * Units   code units of the problems
 * Errors  SL_EIO, SL_EMEM; a figure that cannot be made says why in `missing`
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010; Wang, Abel & Kaehler 2010; Wasiljew & Murawski 2013
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_FIGURE_H
#define SL_PIPELINE_SUITE_FIGURE_H

#include "pipeline/suite/run.h"
#include "pipeline/suite/suite.h"

/* X(name, title): the papers, in the order of the page */
#define SL_SUITE_PAPER_LIST(X)                                                                     \
    X(schemes, "Which scheme")                                                                     \
    X(wang, "Wang, Abel &amp; Kaehler 2010, New Astronomy 15, 581")                                \
    X(gamer, "Schive, Tsai &amp; Chiueh 2010 (GAMER), ApJS 186, 457")                              \
    X(wasiljew, "Wasiljew &amp; Murawski 2013 (Athena-GPU), Bull. Pol. Ac.: Tech. 61 (1)")

/* X(name): how a figure is drawn */
#define SL_SUITE_DRAW_LIST(X)                                                                      \
    X(line)    /* points along x, with the exact solution */                                       \
    X(cut)     /* lines along x, one per curve */                                                  \
    X(shells)  /* means over shells with their scatter, and the exact solution */                  \
    X(map)     /* a plane in colours */                                                            \
    X(time)    /* a column of the history, one line per curve */                                   \
    X(order)   /* error against the number of cells: a curve runs with @ replaced by 16, 32 ... */ \
    X(steps)   /* seconds of a step against the number of cells (ask->times), of field `column` */ \
    X(schemes) /* error against cost of every scheme, of the kind `column` (ask->schemes) */       \
    X(shared)  /* speedup against the number of devices (ask->times) */

#define SL_SUITE_PAPER_ENUM(name, title) SL_SUITE_PAPER_##name,
enum sl_suite_paper { SL_SUITE_PAPER_LIST(SL_SUITE_PAPER_ENUM) SL_SUITE_PAPERS };
#define SL_SUITE_DRAW_ENUM(name) SL_SUITE_DRAW_##name,
enum sl_suite_draw { SL_SUITE_DRAW_LIST(SL_SUITE_DRAW_ENUM) };

struct sl_suite_figure {
    const char *name, *group;
    enum sl_suite_paper paper;
    enum sl_suite_draw draw;
    const char *column, *label; /* what is drawn; the axis */
    const char *title, *about;  /* HTML */
};
extern const struct sl_suite_figure sl_suite_figures[];
extern const int sl_suite_figure_count;

/* Whether figure i is asked for: one of times needs their file, one of schemes their kind. */
bool sl_suite_figure_asked(int i, const struct sl_suite_ask *ask);

/* Whether what figure i shows was timed: its caption says on what. */
bool sl_suite_figure_timed(int i);

/* Makes figure i in `folder`; *missing gets "" or why there is none. */
int sl_suite_figure_make(int i, const struct sl_suite_ask *ask, struct sl_suite_runs *runs,
                         const char *folder, char missing[256]);

#endif
