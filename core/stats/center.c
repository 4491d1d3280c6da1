/* center.c - see center.h. */
#include "core/stats/center.h"

#include <math.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/stats/leaf_cells.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

static const char *const density[] = {"dens"};
static const double alike = 1e-6; /* share by which densities may differ that count as the same */
static const double beside = 2.1; /* cells, how far from the first one these lie */

static struct sl_leaf_reader reader(MPI_Comm comm, const struct sl_snapshot *snapshot)
{
    struct sl_leaf_reader r = {.snapshot = snapshot, .nfield = 1, .field = density};
    MPI_Comm_rank(comm, &r.rank);
    MPI_Comm_size(comm, &r.size);
    return r;
}

/* Middle of the i-th cell of a leaf. */
static void middle_of(const struct sl_leaf_cells *leaf, size_t i, double x[3])
{
    for (int d = 0; d < 3; d++) {
        size_t n = (size_t)leaf->n[d];
        x[d] = d < leaf->dim ? leaf->lo[d] + ((double)(i % n) + 0.5) * leaf->dx[d] : 0;
        i /= n;
    }
}

/* ---- the densest point ----------------------------------------------------------------------- */

/* First the largest density, then where the first cell of it is, then the mean place of those
 * beside it. */
struct peak {
    const struct sl_snapshot_info *info;
    double most;
    bool found;        /* on this rank */
    double x[3], size; /* of the first cell */
    double *sums;      /* [piece][4] */
};

static int largest(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    struct peak *p = of;
    (void)piece;
    for (size_t i = 0; i < sl_leaf_count(leaf); i++)
        p->most = fmax(p->most, leaf->value[i]);
    return SL_OK;
}

static int first_of(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    struct peak *p = of;
    (void)piece;
    for (size_t i = 0; i < sl_leaf_count(leaf) && !p->found; i++) {
        if (leaf->value[i] < p->most * (1 - alike)) continue;
        middle_of(leaf, i, p->x);
        p->size = leaf->dx[0];
        for (int d = 1; d < leaf->dim; d++)
            p->size = fmax(p->size, leaf->dx[d]);
        p->found = true;
    }
    return SL_OK;
}

static int mean_of(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    struct peak *p = of;
    double *sum = p->sums + 4 * (ptrdiff_t)piece, x[3];
    for (size_t i = 0; i < sl_leaf_count(leaf); i++) {
        double off[3], far = 0;
        if (leaf->value[i] < p->most * (1 - alike)) continue;
        middle_of(leaf, i, x);
        for (int d = 0; d < 3; d++) {
            off[d] = x[d] - p->x[d];
            if (d < leaf->dim && p->info->periodic[d])
                off[d] = remainder(off[d], p->info->hi[d] - p->info->lo[d]);
            far = fmax(far, fabs(off[d]));
        }
        if (far > beside * p->size) continue;
        sum[0] += 1;
        for (int d = 0; d < 3; d++)
            sum[1 + d] += off[d];
    }
    return SL_OK;
}

/* The first rank that has one of the densest cells tells the others of it. */
static int share_first(MPI_Comm comm, const struct sl_leaf_reader *r, struct peak *p)
{
    int holder = p->found ? r->rank : r->size;
    double told[4] = {p->x[0], p->x[1], p->x[2], p->size};
    int mpi = MPI_Allreduce(MPI_IN_PLACE, &holder, 1, MPI_INT, MPI_MIN, comm);
    SL_CHECK(mpi == MPI_SUCCESS, SL_EMPI, "MPI_Allreduce of the densest cell failed");
    SL_CHECK(holder < r->size, SL_EINPUT, "no cell has a density above zero");
    MPI_Bcast(told, 4, MPI_DOUBLE, holder, comm);
    for (int d = 0; d < 3; d++)
        p->x[d] = told[d];
    p->size = told[3];
    return SL_OK;
}

static int densest(MPI_Comm comm, const struct sl_snapshot *snapshot, double x[3])
{
    double sums[4 * SL_LEAF_CHUNKS] = {0}, sum[4];
    struct sl_leaf_reader r = reader(comm, snapshot);
    struct peak p = {.info = sl_snapshot_about(snapshot), .sums = sums};
    SL_TRY(sl_agree_most(comm, sl_leaf_each(&r, &p, largest), 1, &p.most));
    if (p.most > 0) SL_TRY(sl_agree(comm, sl_leaf_each(&r, &p, first_of)));
    SL_TRY(share_first(comm, &r, &p));
    SL_TRY(sl_agree(comm, sl_leaf_each(&r, &p, mean_of)));
    SL_TRY(sl_sum_columns(comm, sl_leaf_pieces(&r), 4, sums, sum));
    for (int d = 0; d < 3; d++)
        x[d] = p.x[d] + sum[1 + d] / sum[0];
    return SL_OK;
}

/* ---- the centre of mass ---------------------------------------------------------------------- */

struct moments {
    const struct sl_snapshot_info *info;
    double *sums; /* [piece][7]: mass, and of each axis x or cosine, and sine */
};

static const double pi = 3.14159265358979323846;

static int weigh(void *of, int piece, const struct sl_leaf_cells *leaf)
{
    struct moments *m = of;
    double *sum = m->sums + 7 * (ptrdiff_t)piece, x[3];
    for (size_t i = 0; i < sl_leaf_count(leaf); i++) {
        double mass = leaf->value[i] * leaf->volume;
        middle_of(leaf, i, x);
        sum[0] += mass;
        for (int d = 0; d < leaf->dim; d++) {
            double from = x[d] - m->info->lo[d],
                   angle = 2 * pi * from / (m->info->hi[d] - m->info->lo[d]);
            sum[1 + d] += mass * (m->info->periodic[d] ? cos(angle) : from);
            sum[4 + d] += mass * (m->info->periodic[d] ? sin(angle) : 0);
        }
    }
    return SL_OK;
}

static int of_mass(MPI_Comm comm, const struct sl_snapshot *snapshot, double x[3])
{
    double sums[7 * SL_LEAF_CHUNKS] = {0}, sum[7];
    const struct sl_snapshot_info *info = sl_snapshot_about(snapshot);
    struct sl_leaf_reader r = reader(comm, snapshot);
    struct moments m = {.info = info, .sums = sums};
    SL_TRY(sl_agree(comm, sl_leaf_each(&r, &m, weigh)));
    SL_TRY(sl_sum_columns(comm, sl_leaf_pieces(&r), 7, sums, sum));
    for (int d = 0; d < 3; d++) {
        double side = info->hi[d] - info->lo[d], turn = atan2(sum[4 + d], sum[1 + d]) / (2 * pi);
        x[d] =
            info->lo[d] + (info->periodic[d] ? (turn - floor(turn)) * side : sum[1 + d] / sum[0]);
        if (d >= info->dim) x[d] = 0;
    }
    return SL_OK;
}

int sl_center_find(MPI_Comm comm, const struct sl_config *cfg, const struct sl_snapshot *snapshot,
                   double x[3])
{
    switch (cfg->statistics_profile_center) {
    case SL_CENTER_densest:
        return densest(comm, snapshot, x);
    case SL_CENTER_mass:
        return of_mass(comm, snapshot, x);
    case SL_CENTER_point:
        break;
    }
    for (int d = 0; d < 3; d++)
        x[d] = d < sl_config_dim(cfg) ? cfg->output_center[d] : 0;
    return SL_OK;
}
