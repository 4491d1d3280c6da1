/* particle_file.c - see particle_file.h. */
#include "core/io/particle_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/io/hdf.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { PLACE, SPEED = 3, MASS = 6, ID, LISTS };

static const char *const names[LISTS] = {"position_x", "position_y", "position_z", "velocity_x",
                                         "velocity_y", "velocity_z", "mass",       "id"};

/* The share of a rank: numbers first .. first + n - 1 of each list, CHUNK at a time. */
enum { CHUNK = 1 << 16 };

struct reader {
    const struct sl_particle_group *from;
    struct sl_particles *p;
    hid_t file, list[LISTS]; /* list < 0: there is none */
    hsize_t all, first, n;
    hsize_t size[3]; /* of a grid */
    double *value;   /* owned; [LISTS][CHUNK] */
};

static int list_open(struct reader *r, int i)
{
    char name[128];
    hid_t space;
    snprintf(name, sizeof name, "%s%s", r->from->group, names[i]);
    bool needed = i < MASS || (i == MASS && !(r->from->mass > 0));
    r->list[i] = -1;
    bool there = H5Lexists(r->file, name, H5P_DEFAULT) > 0;
    SL_CHECK(there || !needed, SL_EINPUT, "%s: the list %s of particles is missing", r->from->path,
             name);
    if (!there || (i == MASS && !needed)) return SL_OK;
    r->list[i] = H5Dopen2(r->file, name, H5P_DEFAULT);
    SL_CHECK(r->list[i] >= 0 && (space = H5Dget_space(r->list[i])) >= 0, SL_EINPUT,
             "%s: %s is not a list of numbers", r->from->path, name);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (r->from->every > 1 && H5Sget_simple_extent_ndims(space) == 3)
        H5Sget_simple_extent_dims(space, r->size, NULL);
    H5Sclose(space);
    SL_CHECK(n > 0, SL_EINPUT, "%s: %s is empty", r->from->path, name);
    if (i == PLACE) r->all = (hsize_t)n;
    SL_CHECK((hsize_t)n == r->all, SL_EINPUT, "%s: %s has %lld numbers, %s has %llu", r->from->path,
             name, (long long)n, names[PLACE], (unsigned long long)r->all);
    return SL_OK;
}

/* Where a number of a list of any shape lies: whole planes at once would be more than a chunk may
 * hold, so numbers are named one by one, row by row. */
static int select_numbers(hid_t space, hsize_t first, hsize_t n)
{
    hsize_t size[H5S_MAX_RANK], at[H5S_MAX_RANK], count[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, size, NULL);
    H5Sselect_none(space);
    while (n > 0) {
        hsize_t left = first, row = size[rank - 1];
        for (int d = rank - 1; d >= 0; d--) {
            at[d] = left % size[d];
            left /= size[d];
            count[d] = 1;
        }
        count[rank - 1] = n < row - at[rank - 1] ? n : row - at[rank - 1];
        if (H5Sselect_hyperslab(space, H5S_SELECT_OR, at, NULL, count, NULL) < 0) return SL_EIO;
        first += count[rank - 1];
        n -= count[rank - 1];
    }
    return SL_OK;
}

static int read_numbers(const struct reader *r, int i, hsize_t first, hsize_t n, double *out)
{
    hid_t space = H5Dget_space(r->list[i]), memory = H5Screate_simple(1, &n, NULL);
    int code = select_numbers(space, first, n);
    if (code == SL_OK &&
        H5Dread(r->list[i], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0)
        code = SL_EIO;
    H5Sclose(memory);
    H5Sclose(space);
    return code == SL_OK ? SL_OK
                         : SL_FAIL(SL_EINPUT, "%s: cannot read %s%s", r->from->path, r->from->group,
                                   names[i]);
}

/* Kind of a mass; SL_PARTICLE_KINDS: there are too many. */
static int kind_of(struct sl_particles *p, double mass)
{
    int k = 0;
    while (k < SL_PARTICLE_KINDS && p->mass[k] > 0 && p->mass[k] != mass)
        k++;
    if (k < SL_PARTICLE_KINDS) p->mass[k] = mass;
    return k;
}

/* Whether a particle of a grid is meant; *number: then that among those which are. */
static bool is_meant(const struct reader *r, hsize_t *number)
{
    hsize_t every = (hsize_t)r->from->every;
    if (every == 1) return true;
    const hsize_t x = *number % r->size[2], y = *number / r->size[2] % r->size[1],
                  z = *number / r->size[2] / r->size[1];
    *number = (z / every * (r->size[1] / every) + y / every) * (r->size[2] / every) + x / every;
    return x % every == 0 && y % every == 0 && z % every == 0;
}

static int add_one(const struct reader *r, hsize_t i, hsize_t number)
{
    if (!is_meant(r, &number)) return SL_OK;
    const struct sl_mesh_spec *s = &r->p->mesh->spec;
    double every = pow(r->from->every, 3), place[3], v[3],
           mass = r->list[MASS] >= 0 ? r->value[MASS * CHUNK + i]
                                     : r->from->mass * every / (double)r->all;
    for (int d = 0; d < 3; d++) {
        double x = r->value[(PLACE + d) * CHUNK + i];
        v[d] = r->from->scale * r->value[(SPEED + d) * CHUNK + i];
        SL_CHECK(
            isfinite(v[d]) && x >= s->lo[d] && x <= s->hi[d], SL_EINPUT,
            "%s: particle %llu is at %s = %g with a velocity of %g; the box goes from %g to %g",
            r->from->path, (unsigned long long)number, names[PLACE + d], x, v[d], s->lo[d],
            s->hi[d]);
        place[d] = x;
    }
    int kind = isfinite(mass) && mass > 0 ? kind_of(r->p, mass) : -1;
    SL_CHECK(kind >= 0, SL_EINPUT, "%s: particle %llu has a mass of %g", r->from->path,
             (unsigned long long)number, mass);
    SL_CHECK(kind < SL_PARTICLE_KINDS, SL_EINPUT, "%s: more than %d different masses",
             r->from->path, SL_PARTICLE_KINDS);
    uint64_t id = r->list[ID] >= 0 ? (uint64_t)r->value[ID * CHUNK + i] : number;
    sl_particles_add(r->p, place, v, id, kind);
    return SL_OK;
}

static int read_share(struct reader *r)
{
    SL_TRY(sl_particles_reserve(r->p, r->p->n + (size_t)r->n));
    for (hsize_t at = 0; at < r->n; at += CHUNK) {
        hsize_t n = r->n - at < CHUNK ? r->n - at : CHUNK;
        for (int i = 0; i < LISTS; i++)
            if (r->list[i] >= 0) SL_TRY(read_numbers(r, i, r->first + at, n, r->value + i * CHUNK));
        for (hsize_t i = 0; i < n; i++)
            SL_TRY(add_one(r, i, r->first + at + i));
    }
    return SL_OK;
}

static int read_lists(struct reader *r)
{
    const struct sl_mesh *m = r->p->mesh;
    for (int i = 0; i < LISTS; i++)
        SL_TRY(list_open(r, i));
    for (int d = 0; d < 3 && r->from->every > 1; d++)
        SL_CHECK(r->size[d] > 0 && r->size[d] % (hsize_t)r->from->every == 0, SL_EINPUT,
                 "%s: particles are on no grid of which each %dth could be taken", r->from->path,
                 r->from->every);
    hsize_t size = (hsize_t)m->size, rank = (hsize_t)m->rank;
    r->first = r->all * rank / size;
    r->n = r->all * (rank + 1) / size - r->first;
    SL_TRY(sl_alloc("numbers of particles", (size_t)LISTS * CHUNK, sizeof *r->value, &r->value));
    return read_share(r);
}

/* collective. Ranks number the masses as they meet them: the numbers become those of all. */
static int share_kinds(struct sl_particles *p)
{
    double mass[SL_PARTICLE_KINDS], all[SL_PARTICLE_KINDS] = {0};
    int code = SL_OK, kind[SL_PARTICLE_KINDS], n = 0;
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        mass[k] = p->mass[k];
    for (double next = HUGE_VAL; next > 0 && code == SL_OK;) {
        double below = 0;
        for (int k = 0; k < SL_PARTICLE_KINDS; k++)
            if (mass[k] < next) below = fmax(below, mass[k]);
        MPI_Allreduce(MPI_IN_PLACE, &below, 1, MPI_DOUBLE, MPI_MAX, p->mesh->comm);
        next = below;
        if (below > 0 && n == SL_PARTICLE_KINDS)
            code = SL_FAIL(SL_EINPUT, "particles have more than %d different masses", n);
        else if (below > 0)
            all[n++] = below;
    }
    SL_TRY(code);
    for (int k = 0; k < SL_PARTICLE_KINDS; k++) {
        kind[k] = 0;
        for (int q = 0; q < n; q++)
            if (all[q] == mass[k]) kind[k] = q;
        p->mass[k] = all[k];
    }
    for (size_t i = 0; i < p->n; i++)
        p->at[i].kind = (uint32_t)kind[p->at[i].kind];
    return SL_OK;
}

int sl_particle_file_group(const struct sl_particle_group *from, struct sl_particles *p)
{
    struct reader r = {.from = from, .p = p, .file = -1};
    for (int i = 0; i < LISTS; i++)
        r.list[i] = -1;
    for (int k = 0; k < SL_PARTICLE_KINDS; k++)
        p->mass[k] = 0;
    int code = sl_hdf_open(from->path, &r.file);
    if (code == SL_OK) {
        code = read_lists(&r);
        for (int i = 0; i < LISTS; i++)
            if (r.list[i] >= 0) H5Dclose(r.list[i]);
        code = sl_hdf_close(r.file, code);
    }
    free(r.value);
    SL_TRY(sl_agree(p->mesh->comm, code));
    return share_kinds(p);
}

int sl_particle_file_read(const char *path, struct sl_particles *p)
{
    const struct sl_particle_group all = {path, "", 1, 0, 1};
    return sl_particle_file_group(&all, p);
}
