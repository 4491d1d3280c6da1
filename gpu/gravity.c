/* gravity.c - gas and particles that attract each other on CUDA devices, host part: the order of
 * calls, and what goes between ranks.
 *
 * The device of the first rank has the whole box, whose cells are those of all ranks, block after
 * block. With one rank they are read and kicked where they are; else their densities come here and
 * their accelerations go back through memory of the host.
 *
 * Shapes  as in core/step/gravity.h; lists [cell] of the blocks of rank after rank
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    struct sl_cuda_gravity behind struct device
 * MPI     as in core/step/gravity.h
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu/gravity.c
 */
#include "core/step/gravity.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "gpu/cuda.h"
#include "gpu/fft.h"

enum { HOLDER = 0 };

struct sl_cuda_gravity {
    struct sl_fft *fft; /* owned; of the rank that has the box */
    int *cells, *first; /* owned; of each rank, and of those before it */
    double *all, *own;  /* owned; of several ranks: lists of three numbers for each cell */
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

static bool is_holder(const struct sl_sim *sim)
{
    return sim->state.mesh->rank == HOLDER;
}

void sl_cuda_gravity_free(struct sl_cuda_gravity *g)
{
    if (!g) return;
    sl_fft_close(g->fft);
    free(g->cells);
    free(g->first);
    free(g->all);
    free(g->own);
    free(g);
}

/* ---- making ---------------------------------------------------------------------------------- */

static int64_t cells_of(const struct sl_mesh *m, int64_t blocks)
{
    return blocks * m->n[0] * m->n[1] * m->n[2];
}

/* Of more than one rank. */
static int lists_make(const struct sl_sim *sim, struct sl_cuda_gravity *g, int64_t all)
{
    const struct sl_mesh *m = sim->state.mesh;
    SL_CHECK(3 * all < INT_MAX, SL_EMEM,
             "%lld cells are more than one device gathers: one rank, or at most 512^3 cells",
             (long long)all);
    free(g->own);
    free(g->all);
    g->own = g->all = NULL;
    SL_TRY(
        sl_alloc("accelerations", 3 * (size_t)cells_of(m, m->nblock) + 1, sizeof *g->own, &g->own));
    if (!is_holder(sim)) return SL_OK;
    return sl_alloc("accelerations of all ranks", 3 * (size_t)all, sizeof *g->all, &g->all);
}

/* How many cells each rank has; the first cells of all blocks, at[blocks][3], to the holder. */
static int places_gather(const struct sl_sim *sim, struct sl_cuda_gravity *g, const int *own,
                         int *at)
{
    const struct sl_mesh *m = sim->state.mesh;
    int three = 3 * m->nblock;
    MPI_Allgather(&three, 1, MPI_INT, g->cells, 1, MPI_INT, m->comm);
    g->first[0] = 0;
    for (int r = 1; r < m->size; r++)
        g->first[r] = g->first[r - 1] + g->cells[r - 1];
    int code = MPI_Gatherv(own, three, MPI_INT, at, g->cells, g->first, MPI_INT, HOLDER, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot gather the places of blocks");
    for (int r = 0; r < m->size; r++) {
        g->cells[r] = (int)cells_of(m, g->cells[r] / 3);
        g->first[r] = (int)cells_of(m, g->first[r] / 3);
    }
    return SL_OK;
}

/* (2 sin(pi k / n) / h)^2 of all modes along the axes, one axis after the other. */
static void squares(const struct sl_gravity_grid *grid, double *out)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < grid->cells[d]; k++)
            *out++ = pow(2 * sin(acos(-1) * k / grid->cells[d]) / grid->h[d], 2);
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
    const char *text = sl_device_gravity_new(on, what);
    free(square);
    return text;
}

/* The box, unless it is there, and the places of blocks in it. */
static int device_make(struct sl_sim *sim, const struct sl_gravity_grid *grid, int blocks,
                       const int *at, bool there)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_device_gravity what = {.isolated = grid->isolated,
                                     .holds = is_holder(sim),
                                     .many = sim->state.mesh->size > 1,
                                     .places = grid->places,
                                     .own = d->start,
                                     .nall = blocks,
                                     .all = at};
    const char *text = there ? NULL : box_make(d->on, grid, &what);
    if (!text) text = sl_device_gravity_places(d->on, &what);
    SL_CHECK(!text, SL_EMEM, "a device has no room for the potential of the box (%s)", text);
    return SL_OK;
}

/* The transforms, on the stream of the device. */
static int fft_make(struct sl_sim *sim, const struct sl_gravity_grid *grid)
{
    struct device *d = sl_cuda_device(sim);
    int n[3];
    if (!is_holder(sim)) return SL_OK;
    d->gravity->fft = sl_fft_open();
    SL_CHECK(d->gravity->fft, SL_EUNAVAIL, "%s", lacks());
    for (int a = 0; a < 3; a++)
        n[a] = grid->cells[a] * (grid->isolated ? 2 : 1);
    return sl_fft_plan_box(d->gravity->fft, n, sl_device_stream(d->on));
}

static int room_make(struct sl_sim *sim, struct sl_cuda_gravity **out)
{
    const struct sl_mesh *m = sim->state.mesh;
    SL_TRY(sl_cuda_starts(sim));
    if (*out) return SL_OK;
    SL_TRY(sl_alloc("gravity", 1, sizeof **out, out));
    SL_TRY(sl_alloc("cells of ranks", (size_t)m->size, sizeof(int), &(*out)->cells));
    return sl_alloc("cells of ranks", (size_t)m->size, sizeof(int), &(*out)->first);
}

static int make(struct sl_sim *sim, const struct sl_gravity_grid *grid)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct device *d = sl_cuda_device(sim);
    int64_t blocks = m->nblock;
    int *at = NULL;
    bool there = has(sim);
    MPI_Allreduce(MPI_IN_PLACE, &blocks, 1, MPI_INT64_T, MPI_SUM, m->comm);
    int code = room_make(sim, &d->gravity);
    if (code == SL_OK) code = sl_alloc("places of blocks", 3 * (size_t)blocks, sizeof *at, &at);
    if (code == SL_OK && m->size > 1 && has_gas(sim))
        code = lists_make(sim, d->gravity, cells_of(m, blocks));
    code = sl_agree(m->comm, code);
    if (code == SL_OK) code = sl_agree(m->comm, places_gather(sim, d->gravity, d->start, at));
    if (code == SL_OK) {
        code = device_make(sim, grid, (int)blocks, at, there);
        if (code == SL_OK && !there) code = fft_make(sim, grid);
        code = sl_agree(m->comm, code);
    }
    free(at);
    return code;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* The first of nvar variables of a field, which is the density, to the device that has the box. */
static int gather(struct sl_sim *sim, int nvar, const sl_real *u)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct device *d = sl_cuda_device(sim);
    struct sl_cuda_gravity *g = d->gravity;
    const char *text = sl_device_gravity_density(d->on, nvar, u, g->own);
    int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
    if (m->size == 1 || !has_gas(sim)) return code;
    SL_TRY(sl_agree(m->comm, code));
    code = MPI_Gatherv(g->own, g->cells[m->rank], MPI_DOUBLE, g->all, g->cells, g->first,
                       MPI_DOUBLE, HOLDER, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot gather the density");
    if (is_holder(sim)) DEVICE(sl_device_gravity_lay(d->on, g->all));
    return SL_OK;
}

static int transform(struct device *d, double factor)
{
    double *grid = sl_device_gravity_grid(d->on);
    SL_TRY(sl_fft_forth(d->gravity->fft, grid));
    DEVICE(sl_device_gravity_modes(d->on, factor));
    return sl_fft_back(d->gravity->fft, grid);
}

/* On the device that has the box; accelerations for several ranks to the host. */
static int solve_box(struct sl_sim *sim, double factor, struct sl_gravity_sums *out)
{
    struct device *d = sl_cuda_device(sim);
    SL_TRY(transform(d, factor));
    DEVICE(sl_device_gravity_sums(d->on, &out->mean, &out->product, &out->square, &out->pull));
    if (d->gravity->all) DEVICE(sl_device_gravity_pull(d->on, d->gravity->all));
    return SL_OK;
}

/* Three numbers of each cell back to all ranks. */
static int scatter_host(struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct device *d = sl_cuda_device(sim);
    struct sl_cuda_gravity *g = d->gravity;
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    int code = MPI_Scatterv(g->all, g->cells, g->first, three, g->own, g->cells[m->rank], three,
                            HOLDER, m->comm);
    MPI_Type_free(&three);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot spread what the box gives");
    return SL_OK;
}

/* And to their devices. */
static int scatter(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_cuda_gravity *g = d->gravity;
    SL_TRY(scatter_host(sim));
    DEVICE(sl_device_gravity_take(d->on, g->own));
    return SL_OK;
}

/* What the holder found, to all. */
static int tell(const struct sl_mesh *m, struct sl_gravity_sums *out)
{
    double sums[4] = {out->mean, out->product, out->square, out->pull};
    int code = MPI_Bcast(sums, 4, MPI_DOUBLE, HOLDER, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the sums of the box");
    *out = (struct sl_gravity_sums){sums[0], sums[1], sums[2], sums[3]};
    return SL_OK;
}

static int solve(struct sl_sim *sim, double factor, struct sl_gravity_sums *out)
{
    const struct sl_mesh *m = sim->state.mesh;
    *out = (struct sl_gravity_sums){0};
    SL_TRY(sl_agree(m->comm, gather(sim, sim->state.layout.nvar, sim->work->now)));
    if (sim->state.particles) SL_TRY(sl_cuda_particles_density(sim));
    SL_TRY(sl_agree(m->comm, is_holder(sim) ? solve_box(sim, factor, out) : SL_OK));
    if (sim->state.particles) SL_TRY(sl_cuda_particles_potential(sim));
    if (m->size == 1) return SL_OK;
    if (has_gas(sim)) SL_TRY(sl_agree(m->comm, scatter(sim)));
    return tell(m, out);
}

static int kick(struct sl_sim *sim, double time)
{
    const char *text =
        sl_device_gravity_kick(sl_cuda_device(sim)->on, (sl_real)time, sim->work->now);
    int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    sl_step_changed(sim);
    return SL_OK;
}

/* ---- the potential for snapshots ------------------------------------------------------------- */

/* Of one rank. */
static int potential_alone(struct sl_sim *sim, size_t cells, sl_real *out)
{
    double *list = NULL;
    SL_TRY(sl_alloc("the potential", cells, sizeof *list, &list));
    const char *text = sl_device_gravity_potential(sl_cuda_device(sim)->on, list);
    for (size_t i = 0; i < cells && !text; i++)
        out[i] = (sl_real)list[i];
    free(list);
    DEVICE(text);
    return SL_OK;
}

/* Of several ranks: the accelerations that the devices have stay. */
static int potential_shared(struct sl_sim *sim, size_t cells, sl_real *out)
{
    struct device *d = sl_cuda_device(sim);
    const char *text = is_holder(sim) ? sl_device_gravity_values(d->on, SL_DEVICE_GRAVITY_POTENTIAL,
                                                                 d->gravity->all)
                                      : NULL;
    int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    SL_TRY(scatter_host(sim));
    for (size_t i = 0; i < cells; i++)
        out[i] = (sl_real)d->gravity->own[3 * i];
    return SL_OK;
}

static int potential(struct sl_sim *sim, struct sl_potential_level *level, sl_real *out)
{
    const struct sl_mesh *m = sim->state.mesh;
    size_t cells = (size_t)cells_of(m, m->nblock);
    if (level) return sl_cuda_potential_fetch(level, out);
    return m->size > 1 ? potential_shared(sim, cells, out) : potential_alone(sim, cells, out);
}

/* ---- the root grid of levels ----------------------------------------------------------------- */

/* What the box gives to the cells of a field, or beyond the sides of the box. */
static int spread(struct sl_sim *root, enum sl_device_gravity_value what, sl_real *field)
{
    const struct sl_mesh *m = root->state.mesh;
    struct device *d = sl_cuda_device(root);
    const char *text =
        d->gravity->all ? sl_device_gravity_values(d->on, what, d->gravity->all) : NULL;
    SL_TRY(sl_agree(m->comm, text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK));
    if (m->size > 1) SL_TRY(scatter(root));
    DEVICE(sl_device_gravity_spread(d->on, what, field));
    return SL_OK;
}

int sl_cuda_gravity_root(struct sl_sim *root, bool isolated, const sl_real *density, sl_real *field)
{
    struct device *d = sl_cuda_device(root);
    MPI_Comm comm = root->state.mesh->comm;
    SL_TRY(sl_agree(comm, gather(root, 1, density)));
    SL_TRY(sl_agree(comm, is_holder(root) ? transform(d, 1) : SL_OK));
    SL_TRY(spread(root, SL_DEVICE_GRAVITY_POTENTIAL, field));
    return isolated ? spread(root, SL_DEVICE_GRAVITY_BEYOND, field) : SL_OK;
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
                                              .potential = potential,
                                              .levels = &sl_potential_cuda,
                                              .level_density = sl_cuda_potential_density,
                                              .level_most = sl_cuda_potential_most,
                                              .level_kick = sl_cuda_potential_kick};
