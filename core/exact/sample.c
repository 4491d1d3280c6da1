/* sample.c - see sample.h. One function print_<name> per row of SL_SAMPLE_LIST. */
#include "core/exact/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/config/scale.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

struct sample {
    const struct sl_state *state;
    const struct sl_whole *w;
    FILE *out;
};

/* What the exact solution has at a cell, as in sl_whole_at; nan where there is none. */
static void exact(const struct sample *s, const double lo[3], const double hi[3], double *prim)
{
    double all[SL_PRIM_MAX] = {0};
    const struct sl_problem *p = s->state->problem;
    const void *data = s->state->problem_data;
    double t = s->state->time;
    bool known = p->exact || (p->flow && p->flow(data, lo, hi, t, all));
    if (p->exact) p->state(data, lo, hi, t, all);
    for (int v = 0; v < SL_WHOLE_NVAR; v++)
        prim[v] = !known ? NAN : all[v < SL_WHOLE_B ? v : SL_PRIM_B + v - SL_WHOLE_B];
}

static void put(const struct sample *s, double x)
{
    fprintf(s->out, ",%.10g", x);
}

struct column {
    const char *name, *unit;
};

/* What the table is, when its state was, the units of its columns, their names. */
static void print_head(const struct sample *s, const char *about, const struct column *column,
                       int n)
{
    double z = s->state->expansion ? sl_state_redshift(s->state) : 0;
    const struct sl_scale scale = sl_scale_at(s->state->cfg, 1 / (1 + z));
    fprintf(s->out, "# %s\n# time: %.17g\n", about, s->state->time);
    if (s->state->expansion) fprintf(s->out, "# redshift: %.17g\n", z);
    for (int i = 0; i < n; i++) {
        char unit[64];
        sl_scale_say(&scale, column[i].unit, unit, sizeof unit);
        fprintf(s->out, "# unit %s: %s\n", column[i].name, unit);
    }
    for (int i = 0; i < n; i++)
        fprintf(s->out, "%s%s", i ? "," : "", column[i].name);
    fputc('\n', s->out);
}

#define PRINT_HEAD(s, about, column)                                                               \
    print_head(s, about, column, (int)(sizeof(column) / sizeof *(column)))

static int middle(const struct sl_whole *w, int axis)
{
    return w->n[axis] / 2;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* The converged density at x, where the problem has one for this time. */
static void converged(const struct sample *s, double x, double *density)
{
    const struct sl_converged *c = &s->state->problem->converged;
    const struct sl_mesh_spec *m = &s->state->mesh->spec;
    if (c->n == 0 || fabs(s->state->time - c->time) > 1e-9) return;
    *density = c->density[(int)((x - m->lo[0]) / (m->hi[0] - m->lo[0]) * c->n)];
}

/* X(name, unit) of the variables, in the order of sl_whole_at. */
#define LINE_LIST(X)                                                                               \
    X(density, "code density")                                                                     \
    X(velocity_x, "code velocity")                                                                 \
    X(velocity_y, "code velocity")                                                                 \
    X(velocity_z, "code velocity")                                                                 \
    X(pressure, "code pressure")                                                                   \
    X(magnetic_x, "code field")                                                                    \
    X(magnetic_y, "code field")                                                                    \
    X(magnetic_z, "code field")
#define OF_CELL(name, unit)  {#name, unit},
#define OF_EXACT(name, unit) {"exact_" #name, unit},

static int print_line(const struct sample *s)
{
    static const struct column column[] = {{"x", "code length"},
                                           LINE_LIST(OF_CELL) LINE_LIST(OF_EXACT)};
    const struct sl_whole *w = s->w;
    int j = middle(w, 1), k = middle(w, 2);
    PRINT_HEAD(s, "cells along x through the middle of the box, and the exact solution there",
               column);
    for (int i = 0; i < w->n[0]; i++) {
        double lo[3] = {w->lo[0] + i * w->dx[0], w->lo[1] + j * w->dx[1], w->lo[2] + k * w->dx[2]};
        double hi[3] = {lo[0] + w->dx[0], lo[1] + w->dx[1], lo[2] + w->dx[2]};
        double want[SL_WHOLE_NVAR];
        exact(s, lo, hi, want);
        converged(s, sl_whole_x(w, 0, i), &want[0]);
        fprintf(s->out, "%.10g", sl_whole_x(w, 0, i));
        for (int v = 0; v < SL_WHOLE_NVAR; v++)
            put(s, sl_whole_at(w, v, k, j, i));
        for (int v = 0; v < SL_WHOLE_NVAR; v++)
            put(s, want[v]);
        fputc('\n', s->out);
    }
    return SL_OK;
}

/* ---- the shells ------------------------------------------------------------------------------ */

enum { RHO, SPEED, PRESSURE, QUANTITIES };
struct shell {
    double cells, radius, sum[QUANTITIES], square[QUANTITIES];
};

/* Distance from output.center; *speed is the velocity away from it. */
static double distance(const struct sample *s, int k, int j, int i, double *speed)
{
    const int at[3] = {i, j, k};
    double r2 = 0, along = 0;
    for (int d = 0; d < s->state->mesh->dim; d++) {
        double x = sl_whole_x(s->w, d, at[d]) - s->state->cfg->output_center[d];
        r2 += x * x;
        along += x * sl_whole_at(s->w, 1 + d, k, j, i);
    }
    *speed = r2 > 0 ? along / sqrt(r2) : 0;
    return sqrt(r2);
}

static void add_cell(const struct sample *s, int k, int j, int i, int n, struct shell *shell)
{
    double value[QUANTITIES], r = distance(s, k, j, i, &value[SPEED]);
    int at = (int)floor(r / s->w->dx[0]);
    value[RHO] = sl_whole_at(s->w, 0, k, j, i);
    value[PRESSURE] = sl_whole_at(s->w, 4, k, j, i);
    if (at >= n) return;
    shell[at].cells++;
    shell[at].radius += r;
    for (int q = 0; q < QUANTITIES; q++) {
        shell[at].sum[q] += value[q];
        shell[at].square[q] += value[q] * value[q];
    }
}

static void print_shell(const struct sample *s, const struct shell *shell)
{
    double n = shell->cells, r = shell->radius / n, want[SL_WHOLE_NVAR], lo[3], hi[3];
    if (!(n > 0)) return;
    for (int d = 0; d < 3; d++) { /* a point: a box without size */
        lo[d] = s->state->cfg->output_center[d] + (d == 0 ? r : 0);
        hi[d] = lo[d];
    }
    exact(s, lo, hi, want);
    fprintf(s->out, "%.10g,%.0f", r, n);
    for (int q = 0; q < QUANTITIES; q++) {
        double mean = shell->sum[q] / n;
        put(s, mean);
        put(s, sqrt(fmax(0, shell->square[q] / n - mean * mean)));
    }
    put(s, want[0]);
    put(s, want[1]);
    put(s, want[4]);
    fputc('\n', s->out);
}

static int print_radius(const struct sample *s)
{
    static const struct column column[] = {
        {"radius", "code length"},          {"cells", "1"},
        {"density", "code density"},        {"density_deviation", "code density"},
        {"velocity", "code velocity"},      {"velocity_deviation", "code velocity"},
        {"pressure", "code pressure"},      {"pressure_deviation", "code pressure"},
        {"exact_density", "code density"},  {"exact_velocity", "code velocity"},
        {"exact_pressure", "code pressure"}};
    const struct sl_whole *w = s->w;
    int n = 0;
    for (int d = 0; d < s->state->mesh->dim; d++)
        n += w->n[d];
    struct shell *shell = calloc((size_t)n, sizeof *shell);
    SL_CHECK(shell, SL_EMEM, "no memory for %d shells", n);
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++)
                add_cell(s, k, j, i, n, shell);
    PRINT_HEAD(s,
               "means and standard deviations over shells around output.center, velocity away "
               "from it, and the exact solution there",
               column);
    for (int i = 0; i < n; i++)
        print_shell(s, &shell[i]);
    free(shell);
    return SL_OK;
}

/* ---- the plane ------------------------------------------------------------------------------- */

/* Central difference of a variable along an axis; one-sided at the ends, which a periodic axis does
 * not have. */
static double slope(const struct sample *s, int var, int axis, int k, int j, int i)
{
    const struct sl_whole *w = s->w;
    int at[2][3] = {{i, j, k}, {i, j, k}}, n = w->n[axis];
    bool turns = s->state->mesh->spec.boundary[2 * axis] == SL_BOUNDARY_periodic;
    int below = at[0][axis] - 1, above = at[0][axis] + 1;
    at[0][axis] = turns ? (below + n) % n : below < 0 ? 0 : below;
    at[1][axis] = turns ? above % n : above < n ? above : n - 1;
    double cells = turns ? 2 : at[1][axis] - at[0][axis];
    return n < 2 ? 0
                 : (sl_whole_at(w, var, at[1][2], at[1][1], at[1][0]) -
                    sl_whole_at(w, var, at[0][2], at[0][1], at[0][0])) /
                       (cells * w->dx[axis]);
}

static int print_plane(const struct sample *s)
{
    static const struct column column[] = {{"x", "code length"},
                                           {"y", "code length"},
                                           {"density", "code density"},
                                           {"pressure", "code pressure"},
                                           {"current_z", "code field / code length"}};
    const struct sl_whole *w = s->w;
    int k = middle(w, 2);
    PRINT_HEAD(s, "cells of the plane through the middle of the box", column);
    for (int j = 0; j < w->n[1]; j++)
        for (int i = 0; i < w->n[0]; i++)
            fprintf(s->out, "%.6g,%.6g,%.6g,%.6g,%.6g\n", sl_whole_x(w, 0, i), sl_whole_x(w, 1, j),
                    sl_whole_at(w, 0, k, j, i), sl_whole_at(w, 4, k, j, i),
                    slope(s, SL_WHOLE_B + 1, 0, k, j, i) - slope(s, SL_WHOLE_B, 1, k, j, i));
    return SL_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int write_one(struct sample *s, const char *path, int (*print)(const struct sample *))
{
    char *text;
    size_t size;
    s->out = open_memstream(&text, &size);
    SL_CHECK(s->out, SL_EMEM, "no memory for %s", path);
    int code = print(s), failed = ferror(s->out);
    if (fclose(s->out) != 0 || failed) code = SL_FAIL(SL_EMEM, "no memory for %s", path);
    if (code == SL_OK) code = sl_file_replace(path, text, size, SL_DURABLE);
    if (code == SL_OK && s->state->sealed)
        code =
            sl_sealed_set(s->state->sealed, path, (int64_t)size, sl_crc32c(0, text, size), false);
    free(text);
    return code;
}

static int write_all(struct sample *s)
{
    unsigned wanted = s->state->cfg->output_sample;
#define SAMPLE(name, about)                                                                        \
    if (wanted & (1u << SL_SAMPLE_##name))                                                         \
        SL_TRY(write_one(s, "sample_" #name ".csv", print_##name));
    SL_SAMPLE_LIST(SAMPLE)
#undef SAMPLE
    return SL_OK;
}

int sl_sample_write(const struct sl_state *state)
{
    struct sl_whole w;
    struct sample s = {.state = state, .w = &w};
    if (state->cfg->output_sample == 0) return SL_OK;
    SL_TRY(sl_whole_init(state, &w));
    int code = state->mesh->rank == 0 ? write_all(&s) : SL_OK;
    sl_whole_release(&w);
    return sl_agree(state->mesh->comm, code);
}
