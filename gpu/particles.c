/* particles.c - particles of dark matter on CUDA devices, host part: the order of calls, and what
 * goes between ranks.
 *
 * The device of each rank has the particles in its blocks, and a field around these: their mass in
 * whole numbers, then the potential. With one rank nothing leaves the device but sums. With more
 * the masses are added up where devices share the box (slabs.h); in an isolated box, of which each
 * has all, the field is of the whole box, and they are added up on each device: by NCCL, or without
 * it in memory of the host. Through that go particles that come to blocks of other ranks, by the
 * host's own way (core/particles/migrate.c). A start of problem cosmology is made on the device
 * (gpu/lattice.c).
 *
 * Shapes  as in core/particles/store.h
 * Units   code units
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI
 * Owns    struct sl_cuda_particles behind struct device
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls; particles and fields in device memory
 * Refs    none
 * Tests   tests/gpu/particles.c
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/particles/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"
#include "gpu/cuda.h"
#include "gpu/slabs.h"

struct sl_cuda_particles {
    /* owned; of several ranks: particles on their way; the field on the host, without NCCL */
    struct sl_particles *movers;
    void *field;
    bool stale; /* those of the host are older than those of the device */
};

void sl_cuda_particles_free(struct sl_cuda_particles *p)
{
    if (!p) return;
    sl_particles_free(p->movers);
    free(p->field);
    free(p);
}

/* The code of a call of the device, on which all ranks agree. */
static int agreed(const struct sl_sim *sim, const char *text)
{
    int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
    return sl_agree(sim->state.mesh->comm, code);
}

/* ---- making ---------------------------------------------------------------------------------- */

static int many_make(struct sl_sim *sim, struct sl_cuda_particles *c)
{
    const struct sl_particles *p = sim->state.particles;
    struct device *d = sl_cuda_device(sim);
    size_t n = sl_device_particles_field_size(d->on);
    SL_TRY(sl_particles_new(p->mesh, p->kernel, p->open, &c->movers));
    if (d->nccl || sl_cuda_slabs_serve(sim)) return SL_OK;
    int code = n < INT_MAX ? SL_OK : SL_FAIL(SL_EMEM, "%zu cells are more than MPI adds up", n);
    if (code == SL_OK) code = sl_alloc("mass of the ranks", n, sizeof(int64_t), &c->field);
    return sl_agree(p->mesh->comm, code);
}

static int device_make(struct sl_sim *sim)
{
    const struct sl_particles *p = sim->state.particles;
    const struct sl_mesh_spec *s = &p->mesh->spec;
    struct sl_device_particles what = {.kernel = p->kernel,
                                       .local = p->mesh->size > 1 ? p->local : NULL};
    for (int d = 0; d < 3; d++) {
        double length = s->hi[d] - s->lo[d];
        what.n[d] = what.wide[d] = s->cells[d], what.block[d] = s->block[d];
        what.scale[d] = 0.5 * s->cells[d] / length;
        what.rate[d] = s->cells[d] / length;
    }
    if (sl_cuda_slabs_serve(sim)) sl_cuda_slabs_around(p->mesh, what.lo, what.wide);
    sl_particles_margins(p, what.margin);
    const char *text = sl_device_particles_new(sl_cuda_device(sim)->on, &what);
    return text ? SL_FAIL(SL_EMEM, "a device has no room for particles (%s)", text) : SL_OK;
}

static int make(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_particles *p = sim->state.particles;
    int code = sl_alloc("particles of a device", 1, sizeof *d->particles, &d->particles);
    if (code == SL_OK) code = device_make(sim);
    SL_TRY(sl_agree(p->mesh->comm, code));
    if (p->mesh->size > 1) SL_TRY(many_make(sim, d->particles));
    p->on = &sl_particles_cuda;
    p->run = sim;
    return SL_OK;
}

/* The host has none of them until they are looked at. */
static int start(struct sl_particles *p, const struct sl_lattice *what, double *part, bool *made)
{
    struct sl_sim *sim = p->run;
    int code = sl_agree(p->mesh->comm, sl_cuda_lattice(sim, what, part));
    p->made = *made = code == SL_OK;
    if (code == SL_EMEM && p->mesh->rank == 0)
        sl_log(SL_LOG_NOTE, "%s: the processor makes it", sl_error_text());
    if (code == SL_EMEM) return SL_OK;
    SL_TRY(code);
    p->placed = sl_device_particles_count(sl_cuda_device(sim)->on);
    sl_cuda_device(sim)->particles->stale = true;
    return SL_OK;
}

/* ---- host and device ------------------------------------------------------------------------- */

/* The device gets what was set on the host. */
static int ready(struct sl_sim *sim)
{
    struct sl_particles *p = sim->state.particles;
    if (p->fresh) {
        const char *text = sl_device_particles_set(sl_cuda_device(sim)->on, p->at, p->n);
        SL_TRY(agreed(sim, text));
    }
    p->fresh = false;
    return SL_OK;
}

static void changed(struct sl_sim *sim)
{
    sl_cuda_device(sim)->particles->stale = true;
    sl_step_changed(sim);
}

int sl_cuda_particles_pull(const struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_particles *p = sim->state.particles;
    if (p->fresh || !d->particles->stale) return SL_OK;
    size_t n = sl_device_particles_count(d->on);
    SL_TRY(sl_particles_reserve(p, n));
    DEVICE(sl_device_particles_get(d->on, p->at));
    p->n = n;
    sl_particles_sort(p);
    d->particles->stale = false;
    return SL_OK;
}

/* ---- mass and potential ---------------------------------------------------------------------- */

/* Sums of all ranks, in memory of the host. */
static int add_up_on_host(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    int64_t *field = d->particles->field;
    SL_TRY(agreed(sim, sl_device_particles_field(d->on, field, 0)));
    int code = MPI_Allreduce(MPI_IN_PLACE, field, (int)sl_device_particles_field_size(d->on),
                             MPI_INT64_T, MPI_SUM, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the mass of particles");
    return agreed(sim, sl_device_particles_field(d->on, field, 1));
}

/* Whole numbers: any order gives the same. */
static int add_up(struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    if (!d->nccl) return add_up_on_host(sim);
    int code = sl_nccl_sum(d->nccl, sl_device_particles_mass(d->on),
                           sl_device_particles_field_size(d->on), sl_device_stream(d->on));
    return sl_agree(sim->state.mesh->comm, code);
}

int sl_cuda_particles_density(struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_particles *p = sim->state.particles;
    struct sl_device *on = sl_cuda_device(sim)->on;
    int64_t whole[SL_PARTICLE_KINDS];
    double density = p->unit;
    SL_TRY(ready(sim));
    for (int d = 0; d < 3; d++)
        density /= (m->spec.hi[d] - m->spec.lo[d]) / m->spec.cells[d];
    sl_particles_whole(p, whole);
    const char *text = sl_device_particles_deposit(on, whole);
    const struct sl_cuda_slabs *s = sl_cuda_gravity_slabs(sim);
    if (s) {
        int code = text ? SL_FAIL(SL_EUNAVAIL, "CUDA: %s", text) : SL_OK;
        SL_TRY(sl_cuda_slabs_gather(sim, s, SL_DEVICE_PARTICLES, code));
        return agreed(sim, sl_device_slabs_lay(on, density));
    }
    SL_TRY(agreed(sim, text));
    if (m->size > 1) SL_TRY(add_up(sim));
    return agreed(sim, sl_device_particles_lay(on, density));
}

int sl_cuda_particles_potential(struct sl_sim *sim)
{
    if (sl_cuda_gravity_slabs(sim)) return SL_OK;
    return agreed(sim, sl_device_particles_potential(sl_cuda_device(sim)->on));
}

/* ---- motion ---------------------------------------------------------------------------------- */

static int kick(struct sl_particles *p, double keep, double gain)
{
    const struct sl_particle_kick by = {(sl_real)keep, (sl_real)gain};
    SL_TRY(ready(p->run));
    SL_TRY(agreed(p->run, sl_device_particles_kick(sl_cuda_device(p->run)->on, by)));
    changed(p->run);
    return SL_OK;
}

/* Those that came to blocks of other ranks go there; moved: of this rank. */
static int migrate(struct sl_sim *sim, size_t moved)
{
    struct device *d = sl_cuda_device(sim);
    struct sl_particles *q = d->particles->movers;
    int code = sl_particles_reserve(q, moved);
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    SL_TRY(agreed(sim, sl_device_particles_leave(d->on, q->at, moved)));
    q->n = moved;
    for (size_t i = 0; i < moved; i++)
        q->key[i] = sl_particles_key(q, q->at[i].x);
    SL_TRY(sl_particles_migrate(q));
    SL_TRY(agreed(sim, sl_device_particles_add(d->on, q->at, q->n)));
    q->n = 0;
    return SL_OK;
}

static int drift(struct sl_particles *p, double time)
{
    struct sl_sim *sim = p->run;
    const struct sl_mesh *m = p->mesh;
    double way[3];
    int64_t own[2], all[2];
    SL_TRY(ready(sim));
    for (int d = 0; d < 3; d++)
        way[d] = time / (m->spec.hi[d] - m->spec.lo[d]);
    SL_TRY(agreed(sim, sl_device_particles_drift(sl_cuda_device(sim)->on, way, &own[0], &own[1])));
    int code = MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, m->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot count the particles that move");
    p->gone += all[0];
    p->all -= all[0];
    changed(sim);
    return all[1] > 0 ? migrate(sim, (size_t)own[1]) : SL_OK;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static int look(struct sl_particles *p)
{
    double most[2] = {0, 0};
    SL_TRY(ready(p->run));
    SL_TRY(
        agreed(p->run, sl_device_particles_look(sl_cuda_device(p->run)->on, &most[0], &most[1])));
    int code = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, p->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the particles of the ranks");
    p->pull = most[0], p->speed = most[1];
    return SL_OK;
}

static int sum(const struct sl_particles *p, struct sl_particle_sums *out)
{
    enum { TERMS = SL_PARTICLE_TERMS };
    struct sl_device *on = sl_cuda_device(p->run)->on;
    struct sl_device_terms terms;
    struct sl_sum_units units[TERMS];
    struct sl_sum sums[2 * TERMS] = {{{0}}};
    double bound[TERMS] = {0}, all[TERMS];
    SL_TRY(ready(p->run));
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        terms.mass[k] = p->mass[k];
    SL_TRY(agreed(p->run, sl_device_particles_bounds(on, &terms, bound)));
    SL_TRY(sl_sum_columns_units(p->mesh->comm, TERMS, bound, units));
    for (int c = 0; c < TERMS; c++) {
        terms.magic[c] = units[c].coarse.magic, terms.unit[c] = units[c].coarse.unit;
        terms.fine[c] = units[c].fine.magic;
    }
    SL_TRY(agreed(p->run, sl_device_particles_sums(on, &terms, sums[0].part)));
    SL_TRY(sl_sum_columns_join(p->mesh->comm, TERMS, bound, sums, all));
    *out = (struct sl_particle_sums){{all[0], all[1], all[2]}, all[3], all[4]};
    return SL_OK;
}

static int lists(const struct sl_particles *p, struct sl_particle_lists *out)
{
    struct device *d = sl_cuda_device(p->run);
    SL_TRY(ready(p->run));
    return agreed(p->run, sl_device_particles_lists(d->on, out));
}

static int hash(const struct sl_particles *p, uint64_t *sum)
{
    SL_TRY(ready(p->run));
    return agreed(p->run, sl_device_particles_hash(sl_cuda_device(p->run)->on, sum));
}

static int pull(const struct sl_particles *p)
{
    return sl_cuda_particles_pull(p->run);
}

const struct sl_particles_on sl_particles_cuda = {.make = make,
                                                  .start = start,
                                                  .kick = kick,
                                                  .drift = drift,
                                                  .look = look,
                                                  .lists = lists,
                                                  .hash = hash,
                                                  .pull = pull,
                                                  .sum = sum};
