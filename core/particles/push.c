/* push.c - see push.h. */
#include "core/particles/push.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/particle.h"
#include "core/grid/planes.h"
#include "core/particles/backend.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

/* Layers of cells around a block: those that a kernel reaches, and the neighbours of these, which
 * their slopes need. */
static int touched_layers(const struct sl_particles *p)
{
    return sl_kernel_reach(p->kernel);
}

static int read_layers(const struct sl_particles *p)
{
    return touched_layers(p) + 1;
}

/* ---- blocks with cells around them ----------------------------------------------------------- */

struct shape {
    int layers;
    ptrdiff_t row, plane, block; /* distances */
};

static struct shape shape_of(const struct sl_mesh *m, int layers)
{
    struct shape s = {layers, m->n[0] + 2 * layers, 0, 0};
    s.plane = s.row * (m->n[1] + 2 * layers);
    s.block = s.plane * (m->n[2] + 2 * layers);
    return s;
}

/* Row k, j of a block, counted from its first cell. */
static ptrdiff_t row_at(const struct shape *s, int block, int k, int j)
{
    return block * s->block + (k + s->layers) * s->plane + (j + s->layers) * s->row;
}

/* The first cell that a particle touches. */
static ptrdiff_t touched(const struct shape *s, const struct sl_mesh *m, int block,
                         const struct sl_particle_axis axis[3])
{
    ptrdiff_t at[3];
    for (int d = 0; d < 3; d++)
        at[d] = (ptrdiff_t)(axis[d].cell - m->blocks[block].at[d] * m->n[d]);
    return row_at(s, block, (int)at[2], (int)at[1]) + at[0] + s->layers;
}

static int ready(struct sl_particles *p, const struct sl_pencil *pencil)
{
    const struct shape s = shape_of(p->mesh, read_layers(p));
    if (p->field) return SL_OK;
    SL_TRY(
        sl_agree(p->mesh->comm, sl_alloc("blocks of particles", (size_t)(s.block * p->mesh->nblock),
                                         sizeof *p->field, &p->field)));
    SL_TRY(sl_planes_new_around(p->mesh, pencil, touched_layers(p), sizeof(int64_t), &p->sums));
    return sl_planes_new_around(p->mesh, pencil, read_layers(p), sizeof(double), &p->potentials);
}

struct move {
    const struct sl_particles *p;
    const struct sl_particle_planes *planes;
    struct shape shape;
    int64_t *mass;   /* [nz][ny][cells]; of the planes */
    int64_t *blocks; /* what p->field is while mass is summed */
};

/* ---- mass ------------------------------------------------------------------------------------ */

static void weigh(const struct sl_particles *p, int kernel, const struct sl_particle *q,
                  struct sl_particle_axis axis[3])
{
    for (int d = 0; d < 3; d++)
        axis[d] = sl_particle_weigh(kernel, q->x[d], p->mesh->spec.cells[d]);
}

SL_FN void deposit_one(int kernel, int64_t mass, const struct sl_particle_axis axis[3], int64_t *at,
                       const struct shape *s)
{
    int64_t part[SL_KERNEL_MOST][SL_KERNEL_MOST][SL_KERNEL_MOST];
    int n = sl_kernel_cells(kernel);
    sl_particle_parts(kernel, mass, axis, part);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                at[k * s->plane + j * s->row + i] += part[k][j][i];
}

SL_FN void deposit_block(const struct move *a, int kernel, int block, const int64_t *mass)
{
    const struct sl_particles *p = a->p;
    for (size_t i = p->first[block]; i < p->first[block + 1]; i++) {
        const struct sl_particle *q = &p->at[i];
        struct sl_particle_axis axis[3];
        weigh(p, kernel, q, axis);
        deposit_one(kernel, mass[q->kind], axis,
                    a->blocks + touched(&a->shape, p->mesh, block, axis), &a->shape);
    }
}

void sl_particles_whole(const struct sl_particles *p, int64_t mass[SL_PARTICLE_KINDS])
{
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        mass[k] = (int64_t)floor(p->mass[k] / p->unit + 0.5);
}

static void deposit_blocks(const struct move *a)
{
    const struct sl_particles *p = a->p;
    int64_t mass[SL_PARTICLE_KINDS];
    sl_particles_whole(p, mass);
    memset(a->blocks, 0, (size_t)(a->shape.block * p->mesh->nblock) * sizeof *a->blocks);
    for (int b = 0; b < p->mesh->nblock; b++) {
        if (p->kernel == SL_KERNEL_ngp) deposit_block(a, SL_KERNEL_ngp, b, mass);
        if (p->kernel == SL_KERNEL_cic) deposit_block(a, SL_KERNEL_cic, b, mass);
        if (p->kernel == SL_KERNEL_tsc) deposit_block(a, SL_KERNEL_tsc, b, mass);
        if (p->kernel == SL_KERNEL_pcs) deposit_block(a, SL_KERNEL_pcs, b, mass);
    }
}

static void mass_from_block(void *context, int block, int k, int j, void *row)
{
    const struct move *a = context;
    memcpy(row, a->blocks + row_at(&a->shape, block, k, j),
           (size_t)a->shape.row * sizeof *a->blocks);
}

/* Cells beyond the sides of a box that does not repeat are touched by no mass. */
static void mass_to_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct move *a = context;
    const struct sl_mesh_spec *s = &a->p->mesh->spec;
    const struct sl_pencil *pencil = a->planes->pencil;
    const int64_t *from = row;
    if (pencil->z0 + k >= s->cells[2] || pencil->y0 + j >= s->cells[1]) return;
    int64_t *to = a->mass + ((ptrdiff_t)k * pencil->ny + j) * s->cells[0];
    for (int q = 0; q < n; q++) {
        int x = i + q < 0 ? i + q + s->cells[0] : i + q;
        to[x < s->cells[0] ? x : x - s->cells[0]] += from[q];
    }
}

static void add_density(const struct move *a)
{
    const struct sl_mesh_spec *s = &a->p->mesh->spec;
    const struct sl_pencil *pencil = a->planes->pencil;
    double density = a->p->unit;
    for (int d = 0; d < 3; d++)
        density /= (s->hi[d] - s->lo[d]) / s->cells[d];
    for (int k = 0; k < pencil->nz && pencil->z0 + k < s->cells[2]; k++)
        for (int j = 0; j < pencil->ny && pencil->y0 + j < s->cells[1]; j++) {
            const int64_t *from = a->mass + ((ptrdiff_t)k * pencil->ny + j) * s->cells[0];
            double *to = a->planes->row(a->planes->of, k, j);
            for (int i = 0; i < s->cells[0]; i++)
                to[i] += (double)from[i] * density;
        }
}

int sl_particles_deposit(struct sl_particles *p, const struct sl_particle_planes *to)
{
    SL_TRY(ready(p, to->pencil));
    struct move a = {p, to, shape_of(p->mesh, touched_layers(p)), NULL, (void *)p->field};
    size_t rows = (size_t)to->pencil->nz * (size_t)to->pencil->ny;
    SL_TRY(
        sl_agree(p->mesh->comm, sl_alloc("mass of particles", rows * (size_t)p->mesh->spec.cells[0],
                                         sizeof *a.mass, &a.mass)));
    deposit_blocks(&a);
    int code = sl_planes_gather(p->sums, mass_from_block, mass_to_plane, &a);
    if (code == SL_OK) add_density(&a);
    free(a.mass);
    return code;
}

/* ---- the pull -------------------------------------------------------------------------------- */

static void potential_from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct move *a = context;
    const double *from = a->planes->row(a->planes->of, k, j);
    int cells = a->planes->pencil->n[0];
    double *to = row;
    for (int q = 0; q < n; q++) {
        int x = i + q < 0 ? i + q + cells : i + q;
        to[q] = from[x < cells ? x : x - cells];
    }
}

static void potential_to_block(void *context, int block, int k, int j, void *row)
{
    const struct move *a = context;
    memcpy(a->p->field + row_at(&a->shape, block, k, j), row,
           (size_t)a->shape.row * sizeof *a->p->field);
}

SL_FN void pull_block(struct sl_particles *p, const struct shape *s, int kernel, int block,
                      const double scale[3])
{
    for (size_t i = p->first[block]; i < p->first[block + 1]; i++) {
        struct sl_particle *q = &p->at[i];
        struct sl_particle_axis axis[3];
        double pull[3];
        weigh(p, kernel, q, axis);
        sl_particle_pull(kernel, axis, p->field + touched(s, p->mesh, block, axis), s->row,
                         s->plane, scale, pull);
        for (int d = 0; d < 3; d++) {
            q->g[d] = (sl_real)pull[d];
            p->pull = fmax(p->pull, 2 * scale[d] * fabs(pull[d]));
        }
    }
}

static void pull_all(struct sl_particles *p, const struct shape *s)
{
    const struct sl_mesh_spec *m = &p->mesh->spec;
    double scale[3];
    p->pull = 0;
    for (int d = 0; d < 3; d++)
        scale[d] = 0.5 * m->cells[d] / (m->hi[d] - m->lo[d]);
    for (int b = 0; b < p->mesh->nblock; b++) {
        if (p->kernel == SL_KERNEL_ngp) pull_block(p, s, SL_KERNEL_ngp, b, scale);
        if (p->kernel == SL_KERNEL_cic) pull_block(p, s, SL_KERNEL_cic, b, scale);
        if (p->kernel == SL_KERNEL_tsc) pull_block(p, s, SL_KERNEL_tsc, b, scale);
        if (p->kernel == SL_KERNEL_pcs) pull_block(p, s, SL_KERNEL_pcs, b, scale);
    }
}

static int largest(const struct sl_particles *p, double *value)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MAX, p->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the particles of the ranks");
    return SL_OK;
}

int sl_particles_gather(struct sl_particles *p, const struct sl_particle_planes *from)
{
    SL_TRY(ready(p, from->pencil));
    struct move a = {p, from, shape_of(p->mesh, read_layers(p)), NULL, NULL};
    SL_TRY(sl_planes_spread(p->potentials, potential_from_plane, potential_to_block, &a));
    pull_all(p, &a.shape);
    return largest(p, &p->pull);
}

/* ---- motion ---------------------------------------------------------------------------------- */

static int kick(struct sl_particles *p, double keep, double gain)
{
    const struct sl_particle_kick by = {(sl_real)keep, (sl_real)gain};
    if (p->on) return p->on->kick(p, keep, gain);
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++)
            p->at[i].v[d] = sl_particle_kicked(by, p->at[i].v[d], p->at[i].g[d]);
    return SL_OK;
}

int sl_particles_kick(struct sl_particles *p, double time)
{
    return kick(p, 1, time);
}

void sl_particles_margins(const struct sl_particles *p, int64_t margin[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t cell = ((int64_t)1 << 32) / p->mesh->spec.cells[d] + 1, half = cell / 2 + 1;
        const int64_t reach[SL_KERNELS] = {half, half, cell, cell + half};
        margin[d] = p->open ? reach[p->kernel] : INT64_MIN;
    }
}

/* Whether a particle stays in the box. */
static bool drift_one(struct sl_particle *q, const double way[3], const int64_t margin[3])
{
    int stays = 1;
    for (int d = 0; d < 3; d++)
        stays &= sl_particle_drift(&q->x[d], (double)q->v[d] * way[d], margin[d]);
    return stays;
}

int sl_particles_drift(struct sl_particles *p, double time)
{
    const struct sl_mesh_spec *s = &p->mesh->spec;
    double way[3];
    int64_t margin[3];
    if (p->on) return p->on->drift(p, time);
    sl_particles_margins(p, margin);
    for (int d = 0; d < 3; d++)
        way[d] = time / (s->hi[d] - s->lo[d]);
    for (size_t i = 0; i < p->n; i++)
        p->key[i] = drift_one(&p->at[i], way, margin) ? sl_particles_key(p, p->at[i].x)
                                                      : p->mesh->nblock + 1;
    return sl_particles_migrate(p);
}

int sl_particles_leap(struct sl_particles *p)
{
    p->integral += p->leap.work * p->potential;
    p->most = fmax(p->most, fabs(p->potential));
    SL_TRY(kick(p, p->leap.keep, p->leap.gain));
    return sl_particles_drift(p, p->leap.after);
}

int sl_particles_look(struct sl_particles *p)
{
    const struct sl_mesh_spec *s = &p->mesh->spec;
    if (p->on) return p->on->look(p);
    p->speed = 0;
    for (int d = 0; d < 3; d++) {
        double rate = s->cells[d] / (s->hi[d] - s->lo[d]);
        for (size_t i = 0; i < p->n; i++)
            p->speed = fmax(p->speed, fabs((double)p->at[i].v[d]) * rate);
    }
    return largest(p, &p->speed);
}

int sl_particles_sum(const struct sl_particles *p, struct sl_particle_sums *out)
{
    enum { TERMS = SL_PARTICLE_TERMS };
    double *term = NULL, sum[TERMS];
    if (p->on) return p->on->sum(p, out);
    SL_TRY(
        sl_agree(p->mesh->comm, sl_alloc("terms of particles", p->n * TERMS, sizeof *term, &term)));
    for (size_t i = 0; i < p->n; i++)
        sl_particle_terms(p->mass[p->at[i].kind], p->at[i].v, term + i * TERMS);
    int code = sl_sum_columns(p->mesh->comm, (int)p->n, TERMS, term, sum);
    free(term);
    if (code == SL_OK) *out = (struct sl_particle_sums){{sum[0], sum[1], sum[2]}, sum[3], sum[4]};
    return code;
}
