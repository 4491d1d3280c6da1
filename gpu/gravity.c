/* gravity.c - gas and particles that attract each other on CUDA devices, host part: the order of
 * calls.
 *
 * Several devices share the transforms of a periodic box of three axes (slabs.h). Else the device
 * of each rank has the whole box and finds its potential by itself: ranks give each other densities
 * (root.h), and read what they find where it lies.
 *
 * Shapes  as in core/step/gravity.h
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    struct sl_cuda_gravity behind struct device
 * MPI     as in core/step/gravity.h
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu/gravity.c
 */
#include "core/step/gravity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/particle.h"
#include "core/config/config.h"
#include "core/gravity/screen.h"
#include "core/step/mass_work.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "gpu/cuda.h"
#include "gpu/fft.h"
#include "gpu/root.h"
#include "gpu/share.h"
#include "gpu/slabs.h"

/* Devices of several kinds may round in several ways: what the host goes by is that of one. */
enum { TELLER = 0 };

struct sl_cuda_gravity {
    struct sl_fft *fft;     /* owned */
    struct sl_fft *side[3]; /* owned; of the sides across each axis, with screening charges */
    bool screened;
    bool shared; /* several devices share the box, by slabs; else each has it, by root */
    struct sl_cuda_slabs slabs;
    struct sl_cuda_root root; /* of several ranks with gas */
    double *row;              /* owned; sums of rows of modes, then their mean */
};

static const char *lacks(void)
{
    static int known, there;
    if (!known) {
        struct sl_fft *fft = sl_fft_open();
        there = fft != NULL;
        sl_fft_close(fft);
        known = 1;
    }
    return there ? NULL : "gravity needs cuFFT (libcufft.so.12, .11 or .10)";
}

static bool has_gas(const struct sl_sim *sim)
{
    return sim->state.layout.nvar > 0;
}

/* Whether the box is there already: it stays while levels come and go. */
static bool has(const struct sl_sim *sim)
{
    return sl_cuda_device(sim)->gravity != NULL;
}

void sl_cuda_gravity_free(struct sl_cuda_gravity *g)
{
    if (!g) return;
    sl_fft_close(g->fft);
    for (int d = 0; d < 3; d++)
        sl_fft_close(g->side[d]);
    sl_cuda_root_release(&g->root);
    sl_cuda_slabs_release(&g->slabs);
    free(g->row);
    free(g);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* (2 sin(pi k / n) / h)^2 of all modes along the axes, one axis after the other. */
static void squares(const struct sl_gravity_grid *grid, double *out)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < grid->cells[d]; k++)
            *out++ = pow(2 * sin(acos(-1) * k / grid->cells[d]) / grid->h[d], 2);
}

/* sine and wave of struct sl_device_screen, of one axis after the other. */
static void waves(const struct sl_gravity_grid *grid, double *out, struct sl_device_screen *what)
{
    for (int d = 0; d < 3; d++) {
        int n = grid->cells[d];
        what->sine[d] = out;
        for (int k = 0; k < n; k++)
            *out++ = 2 * sin(acos(-1) * (k + 1) / (2 * n)) / grid->h[d];
        what->wave[d] = out;
        for (int r = 0; r < 4 * n; r++)
            *out++ = sin(acos(-1) * r / (2 * n));
    }
}

static const char *screened_make(struct sl_device *on, const struct sl_gravity_grid *grid,
                                 struct sl_device_gravity *what)
{
    const struct sl_screen_tables *t = grid->screen;
    struct sl_device_screen screen = {.places = t->places};
    double *list = NULL;
    if (sl_alloc("sines", 5 * (size_t)(grid->cells[0] + grid->cells[1] + grid->cells[2]),
                 sizeof *list, &list) != SL_OK)
        return "no memory on the host";
    waves(grid, list, &screen);
    for (int d = 0; d < 3; d++) {
        screen.n[d] = grid->cells[d], screen.h[d] = grid->h[d];
        screen.near[d] = t->near[d], screen.along[d] = t->along[d];
        screen.same[d] = t->same[d], screen.far[d] = t->far[d];
    }
    what->screen = &screen;
    const char *text = sl_device_gravity_new(on, what);
    what->screen = NULL;
    free(list);
    return text;
}

static const char *box_make(struct sl_device *on, const struct sl_gravity_grid *grid,
                            struct sl_device_gravity *what)
{
    double *square = NULL;
    if (sl_alloc("modes", (size_t)(grid->cells[0] + grid->cells[1] + grid->cells[2]),
                 sizeof *square, &square) != SL_OK)
        return "no memory on the host";
    squares(grid, square);
    what->square = square;
    for (int a = 0; a < 3; a++) {
        what->n[a] = grid->cells[a];
        what->scale[a] = a < grid->dim ? 0.5 / grid->h[a] : 0;
        what->h[a] = grid->h[a];
        what->green[a] = grid->green[a];
    }
    const char *text =
        grid->screen ? screened_make(on, grid, what) : sl_device_gravity_new(on, what);
    free(square);
    return text;
}

/* The box, unless it is there, and the places of blocks in it. */
static const char *device_make(struct sl_sim *sim, const struct sl_gravity_grid *grid, bool there)
{
    struct device *d = sl_cuda_device(sim);
    const struct sl_cuda_gravity *g = d->gravity;
    const struct sl_cuda_root *root = &g->root;
    struct sl_device_gravity what = {.isolated = grid->isolated,
                                     .places = grid->places,
                                     .slabs = g->shared ? &g->slabs.what : NULL,
                                     .own = d->start,
                                     .nother = root->blocks,
                                     .other = root->at};
    const char *text = there ? NULL : box_make(d->on, grid, &what);
    return text ? text : sl_device_gravity_places(d->on, &what);
}

static int fft_open(struct sl_fft **out)
{
    *out = sl_fft_open();
    SL_CHECK(*out, SL_EUNAVAIL, "%s", lacks());
    return SL_OK;
}

/* Those of a side across an axis, of twice the cells. */
static int side_make(struct device *d, const struct sl_gravity_grid *grid, int axis)
{
    const int n[3] = {2 * grid->cells[axis == 0], 2 * grid->cells[axis == 2 ? 1 : 2], 1};
    SL_TRY(fft_open(&d->gravity->side[axis]));
    return sl_fft_plan_box(d->gravity->side[axis], n, sl_device_stream(d->on));
}

/* Those of the planes and the rows that the device has. */
static int shared_fft_make(struct device *d)
{
    const struct sl_device_slabs *what = &d->gravity->slabs.what;
    const int *n = what->n;
    int planes = sl_share_count(n[2], what->rank, what->size),
        columns = sl_share_count(n[1], what->rank, what->size) * (n[0] / 2 + 1);
    const struct sl_fft_columns c = {n[2], columns, columns};
    void *stream = sl_device_stream(d->on);
    SL_TRY(fft_open(&d->gravity->fft));
    SL_TRY(sl_fft_plan_slab(d->gravity->fft, n, planes, stream));
    return sl_fft_plan_columns(d->gravity->fft, &c, stream);
}

/* The transforms, on the stream of the device. */
static int fft_make(struct sl_sim *sim, const struct sl_gravity_grid *grid)
{
    struct device *d = sl_cuda_device(sim);
    int n[3];
    if (d->gravity->shared) return shared_fft_make(d);
    SL_TRY(fft_open(&d->gravity->fft));
    for (int a = 0; a < 3; a++)
        n[a] = grid->cells[a] * (grid->isolated == SL_AROUND_padded ? 2 : 1);
    d->gravity->screened = grid->isolated == SL_AROUND_screened;
    for (int a = 0; a < 3 && d->gravity->screened; a++)
        SL_TRY(side_make(d, grid, a));
    return sl_fft_plan_box(d->gravity->fft, n, sl_device_stream(d->on));
}

static int room_make(struct sl_sim *sim, struct sl_cuda_gravity **out)
{
    SL_TRY(sl_cuda_starts(sim));
    if (!*out) SL_TRY(sl_alloc("gravity", 1, sizeof **out, out));
    (*out)->shared = sl_cuda_slabs_serve(sim);
    return SL_OK;
}

/* GB of the numbers of the box that a device has: where it is shared planes and rows, and a window
 * beside two messages of it. */
static double gigabytes(const struct sl_sim *sim, const struct sl_gravity_grid *grid)
{
    const struct sl_cuda_gravity *g = sl_cuda_device(sim)->gravity;
    const int *w = g->slabs.what.wide;
    double cells = (double)grid->cells[0] * grid->cells[1] * grid->cells[2];
    if (g->shared) cells = 2 * cells / sim->state.mesh->size + 3.0 * w[0] * w[1] * w[2];
    return 1e-9 * sizeof(double) * cells *
           (grid->isolated == SL_AROUND_screened ? 3
            : grid->isolated                     ? 9
                                                 : 1);
}

static int box_ready(struct sl_sim *sim, const struct sl_gravity_grid *grid, bool there)
{
    const struct sl_cuda_gravity *g = sl_cuda_device(sim)->gravity;
    const char *text = device_make(sim, grid, there);
    SL_CHECK(
        !text, SL_EMEM,
        "the device of rank %d has no room for the potential of the root grid, %s: %d x %d x %d "
        "cells take %.3g GB besides transforms (%s); nearest: fewer cells (mesh.cells)",
        sim->state.mesh->rank, g->shared ? "of which it has a part" : "which each device has",
        grid->cells[0], grid->cells[1], grid->cells[2], gigabytes(sim, grid), text);
    if (there) return SL_OK;
    SL_TRY(sl_alloc("sums of modes", (size_t)sl_device_gravity_rows(sl_cuda_device(sim)->on) + 1,
                    sizeof *g->row, &sl_cuda_device(sim)->gravity->row));
    return fft_make(sim, grid);
}

/* Layers of cells around own blocks whose potential is read: by gas, or by particles. */
static int layers_of(const struct sl_config *cfg)
{
    if (!sl_config_wants(cfg, SL_SOURCE_particles)) return 1;
    return sl_kernel_reach(cfg->particles_kernel) + 1;
}

static int make(struct sl_sim *sim, const struct sl_gravity_grid *grid)
{
    MPI_Comm comm = sim->state.mesh->comm;
    struct device *d = sl_cuda_device(sim);
    bool there = has(sim);
    SL_TRY(sl_agree(comm, room_make(sim, &d->gravity)));
    struct sl_cuda_gravity *g = d->gravity;
    if (g->shared)
        SL_TRY(sl_cuda_slabs_make(sim, layers_of(sim->state.cfg), grid->cells, &g->slabs));
    else if (has_gas(sim))
        SL_TRY(sl_cuda_root_make(sim, d->start, &g->root));
    return sl_agree(comm, box_ready(sim, grid, there));
}

const struct sl_cuda_slabs *sl_cuda_gravity_slabs(const struct sl_sim *sim)
{
    const struct sl_cuda_gravity *g = sl_cuda_device(sim)->gravity;
    return g->shared ? &g->slabs : NULL;
}

/* ---- solving --------------------------------------------------------------------------------- */

static int lay(struct device *d, int nvar, const sl_real *u)
{
    if (d->gravity->shared) DEVICE(sl_device_slabs_clear(d->on));
    DEVICE(sl_device_gravity_density(d->on, nvar, u));
    return SL_OK;
}

/* The first of nvar variables of a field, which is the density, into the boxes of all devices, or
 * the planes that each has. */
static int gather(struct sl_sim *sim, int nvar, const sl_real *u)
{
    struct device *d = sl_cuda_device(sim);
    int code = lay(d, nvar, u);
    if (d->gravity->shared && has_gas(sim))
        return sl_cuda_slabs_gather(sim, &d->gravity->slabs, SL_DEVICE_GAS, code);
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    return has_gas(sim) ? sl_cuda_root_exchange(sim, &d->gravity->root, nvar, u) : SL_OK;
}

/* The potential of the charges of both sides across an axis. */
static int act_facing(struct device *d, int axis)
{
    const struct sl_fft *fft = d->gravity->side[axis];
    DEVICE(sl_device_screen_lay(d->on, axis));
    for (int side = 0; side < 2; side++)
        SL_TRY(sl_fft_forth(fft, sl_device_screen_pair(d->on, axis, side)));
    DEVICE(sl_device_screen_facing(d->on, axis));
    for (int side = 0; side < 2; side++)
        SL_TRY(sl_fft_back(fft, sl_device_screen_pair(d->on, axis, side)));
    DEVICE(sl_device_screen_take(d->on, axis));
    return SL_OK;
}

static int transform_screened(struct device *d, double factor)
{
    double *modes = sl_device_screen_modes(d->on);
    DEVICE(sl_device_screen_begin(d->on));
    SL_TRY(sl_fft_forth(d->gravity->fft, modes));
    DEVICE(sl_device_screen_odd(d->on, factor));
    for (int axis = 0; axis < 3; axis++)
        SL_TRY(act_facing(d, axis));
    DEVICE(sl_device_screen_true(d->on, factor));
    SL_TRY(sl_fft_back(d->gravity->fft, modes));
    DEVICE(sl_device_screen_end(d->on));
    return SL_OK;
}

static int transform(struct device *d, double factor)
{
    if (d->gravity->screened) return transform_screened(d, factor);
    double *grid = sl_device_gravity_grid(d->on);
    SL_TRY(sl_fft_forth(d->gravity->fft, grid));
    DEVICE(sl_device_gravity_modes(d->on, factor));
    return sl_fft_back(d->gravity->fft, grid);
}

/* Of own rows of modes, along z. */
static int transform_rows(struct device *d, double factor)
{
    void *rows = sl_device_slabs_rows(d->on);
    SL_TRY(sl_fft_columns(d->gravity->fft, rows, -1));
    DEVICE(sl_device_gravity_modes(d->on, factor));
    return sl_fft_columns(d->gravity->fft, rows, 1);
}

/* Devices share it. What a rank did is agreed on before the next messages. */
static int transform_shared(const struct sl_sim *sim, double factor)
{
    struct device *d = sl_cuda_device(sim);
    const struct sl_cuda_slabs *s = &d->gravity->slabs;
    double *cells = sl_device_slabs_cells(d->on);
    int code = sl_fft_slab_forth(d->gravity->fft, cells);
    SL_TRY(sl_cuda_slabs_turn(sim, s, &code));
    if (code == SL_OK) code = transform_rows(d, factor);
    SL_TRY(sl_cuda_slabs_turn_back(sim, s, &code));
    if (code == SL_OK) code = sl_fft_slab_back(d->gravity->fft, cells);
    return sl_cuda_slabs_spread(sim, s, code);
}

static int transform_all(const struct sl_sim *sim, double factor)
{
    struct device *d = sl_cuda_device(sim);
    return d->gravity->shared ? transform_shared(sim, factor)
                              : sl_agree(sim->state.mesh->comm, transform(d, factor));
}

/* Of each row of modes the sum of rho phi; where devices share them, those of others are 0. */
static int own_sums(struct device *d, double *mean, double most[2])
{
    struct sl_cuda_gravity *g = d->gravity;
    const struct sl_device_slabs *what = &g->slabs.what;
    int rows = sl_device_gravity_rows(d->on),
        first = g->shared ? sl_share_first(what->n[1], what->rank, what->size) : 0;
    DEVICE(sl_device_gravity_sums(d->on, g->row, mean, most));
    memmove(g->row + first, g->row, (size_t)(rows - first) * sizeof *g->row);
    memset(g->row, 0, (size_t)first * sizeof *g->row);
    return SL_OK;
}

/* Each sum of a row is that of one rank, and 0 on all others. */
static int join(const struct sl_mesh *m, double *row, int rows, double most[2])
{
    int code = MPI_Allreduce(MPI_IN_PLACE, row, rows + 1, MPI_DOUBLE, MPI_SUM, m->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the sums of the box");
    return SL_OK;
}

/* What one found, to all. */
static int tell(const struct sl_mesh *m, struct sl_gravity_sums *out)
{
    double sums[4] = {out->mean, out->product, out->square, out->pull};
    if (m->size == 1) return SL_OK;
    int code = MPI_Bcast(sums, 4, MPI_DOUBLE, TELLER, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the sums of the box");
    *out = (struct sl_gravity_sums){sums[0], sums[1], sums[2], sums[3]};
    return SL_OK;
}

static int sums(const struct sl_sim *sim, struct sl_gravity_sums *out)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_cuda_gravity *g = d->gravity;
    const struct sl_mesh *m = sim->state.mesh;
    int rows = sl_device_gravity_rows(d->on);
    double *mean = &g->row[rows], most[2] = {0, 0};
    SL_TRY(sl_agree(m->comm, own_sums(d, mean, most)));
    if (g->shared) SL_TRY(join(m, g->row, rows, most));
    *out = (struct sl_gravity_sums){.mean = *mean, .square = most[0], .pull = most[1]};
    for (int i = 0; i < rows; i++)
        out->product += g->row[i];
    return tell(m, out);
}

static int solve(struct sl_sim *sim, double factor, struct sl_gravity_sums *out)
{
    SL_TRY(gather(sim, sim->state.layout.nvar, sim->work->now));
    if (sim->state.particles) SL_TRY(sl_cuda_particles_density(sim));
    SL_TRY(transform_all(sim, factor));
    if (sim->state.particles) SL_TRY(sl_cuda_particles_potential(sim));
    return sums(sim, out);
}

static int kick(struct sl_sim *sim, double time)
{
    const char *text = sl_device_gravity_kick(sl_cuda_device(sim)->on, (sl_real)time,
                                              sim->work->now, sim->work->kicked);
    int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    sl_step_changed(sim);
    return SL_OK;
}

static struct sl_device_work work_of(const struct sl_sim *s, double share)
{
    const struct sl_step *w = s->work;
    return (struct sl_device_work){sl_mass_work_of_level(s, share), w->mass[w->mass_now],
                                   w->kicked};
}

static int work(struct sl_sim *s, const struct sl_potential_level *level, double share)
{
    const struct sl_device_work what = work_of(s, share);
    if (level)
        SL_TRY(sl_cuda_potential_work(s, level, &what));
    else
        DEVICE(sl_device_gravity_work(sl_cuda_device(s)->on, &what, s->work->now));
    sl_step_changed(s);
    return SL_OK;
}

static int close_gas(struct sl_sim *s, double time, double share)
{
    const struct sl_device_work what = work_of(s, share);
    DEVICE(sl_device_gravity_close(sl_cuda_device(s)->on, (sl_real)time, &what, s->work->now));
    sl_step_changed(s);
    return SL_OK;
}

/* ---- the potential for snapshots ------------------------------------------------------------- */

static int potential(struct sl_sim *sim, struct sl_potential_level *level, sl_real *out)
{
    const struct sl_mesh *m = sim->state.mesh;
    size_t cells = (size_t)m->nblock * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    double *list = NULL;
    if (level) return sl_cuda_potential_fetch(level, out);
    SL_TRY(sl_alloc("the potential", cells + 1, sizeof *list, &list));
    const char *text = sl_device_gravity_potential(sl_cuda_device(sim)->on, list);
    for (size_t i = 0; i < cells && !text; i++)
        out[i] = (sl_real)list[i];
    free(list);
    DEVICE(text);
    return SL_OK;
}

/* ---- the root grid of levels ----------------------------------------------------------------- */

static int spread(struct device *d, bool isolated, sl_real *field)
{
    DEVICE(sl_device_gravity_spread(d->on, SL_DEVICE_GRAVITY_POTENTIAL, field));
    if (isolated) DEVICE(sl_device_gravity_spread(d->on, SL_DEVICE_GRAVITY_BEYOND, field));
    return SL_OK;
}

int sl_cuda_gravity_root(struct sl_sim *root, bool isolated, double factor, sl_real *field)
{
    SL_TRY(gather(root, 1, field));
    SL_TRY(transform_all(root, factor));
    return sl_agree(root->state.mesh->comm, spread(sl_cuda_device(root), isolated, field));
}

void sl_cuda_gravity_hand(struct device *from, struct device *to)
{
    if (!from->gravity) return;
    to->gravity = from->gravity;
    from->gravity = NULL;
    sl_device_gravity_hand(from->on, to->on);
}

const struct sl_gravity_on sl_gravity_cuda = {.lacks = lacks,
                                              .has = has,
                                              .make = make,
                                              .solve = solve,
                                              .kick = kick,
                                              .close = close_gas,
                                              .potential = potential,
                                              .levels = &sl_potential_cuda,
                                              .level_density = sl_cuda_potential_density,
                                              .level_density_between =
                                                  sl_cuda_potential_density_between,
                                              .level_pulled = sl_cuda_potential_pulled,
                                              .level_most = sl_cuda_potential_most,
                                              .level_force = sl_cuda_potential_force,
                                              .level_push = sl_cuda_potential_push,
                                              .level_kick = sl_cuda_potential_kick,
                                              .work = work};
