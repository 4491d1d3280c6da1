/* haloes.c - see haloes.h. */
#include "core/halo/haloes.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/halo/fof.h"
#include "core/halo/halo_group.h"
#include "core/halo/halo_sphere.h"
#include "core/sys/agree.h"
#include "core/sys/laps.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

enum { GROUPS = 8 }; /* that a thread takes at once */

struct finder {
    const struct sl_shares *s;
    const struct sl_halo_rule *rule;
    struct sl_haloes *out;
    uint64_t total;
    double density;           /* particles over the volume */
    struct sl_member *member; /* owned; of groups that this rank looks after */
    size_t members;
};

/* ---- groups ---- */

static int set_density(struct finder *f)
{
    const double *side = f->rule->side;
    f->total = f->s->own.n;
    MPI_Allreduce(MPI_IN_PLACE, &f->total, 1, MPI_UINT64_T, MPI_SUM, f->s->comm);
    SL_CHECK(f->total > 0, SL_EINPUT, "there are no particles");
    f->density = (double)f->total / (side[0] * side[1] * side[2]);
    return SL_OK;
}

/* Names of own particles' groups. */
static int link_own(const struct finder *f, uint64_t *group)
{
    const double *side = f->rule->side;
    double longest = fmax(side[0], fmax(side[1], side[2]));
    const double unit[3] = {side[0] / longest, side[1] / longest, side[2] / longest};
    double length = f->rule->linking / cbrt(f->density) / longest * SL_POINT_BOX;
    return sl_fof_find(f->s, floor(length), unit, f->rule->least, group);
}

enum { PIECE = 1 << 12 }; /* particles */

/* Members among the own particles, piece by piece of them. */
struct gatherer {
    const struct finder *f;
    const uint64_t *group;
    size_t *first;         /* owned, [pieces + 1]: how many a piece has, then the first of it */
    struct sl_member *own; /* owned */
    size_t n;
};

static int count_piece(void *of, size_t from, size_t end)
{
    const struct gatherer *g = of;
    size_t n = 0;
    for (size_t i = from; i < end; i++)
        n += g->group[i] != SL_FOF_NONE;
    g->first[from / PIECE] = n;
    return SL_OK;
}

static int gather_piece(void *of, size_t from, size_t end)
{
    const struct gatherer *g = of;
    struct sl_member *to = g->own + g->first[from / PIECE];
    for (size_t i = from; i < end; i++)
        if (g->group[i] != SL_FOF_NONE)
            *to++ = (struct sl_member){g->f->s->own.point[i], g->group[i]};
    return SL_OK;
}

static int gather_members(struct gatherer *g)
{
    size_t all = g->f->s->own.n, pieces = (all + PIECE - 1) / PIECE;
    SL_TRY(sl_alloc("numbers of members", pieces, sizeof *g->first, &g->first));
    SL_TRY(sl_threads_run(all, PIECE, count_piece, g));
    for (size_t k = 0; k < pieces; k++) {
        size_t n = g->first[k];
        g->first[k] = g->n;
        g->n += n;
    }
    g->own = sl_alloc_large((g->n + 1) * sizeof *g->own);
    SL_CHECK(g->own, SL_EMEM, "out of memory for %zu members of groups", g->n);
    return sl_threads_run(all, PIECE, gather_piece, g);
}

/* To the ranks that look after their groups. */
static int send_gathered(struct finder *f, const struct gatherer *g)
{
    int *to = NULL, code = sl_alloc("ranks of members", g->n, sizeof *to, &to);
    code = sl_agree(f->s->comm, code);
    for (size_t i = 0; i < g->n && code == SL_OK; i++)
        to[i] = sl_points_rank(g->own[i].group, f->s->size);
    if (code == SL_OK)
        code =
            sl_points_send(f->s->comm, g->own, g->n, sizeof *g->own, to, &f->member, &f->members);
    free(to);
    return code;
}

static int send_members(struct finder *f, const uint64_t *group)
{
    struct gatherer g = {.f = f, .group = group};
    int code = sl_agree(f->s->comm, gather_members(&g));
    free(g.first);
    if (code == SL_OK && f->s->size == 1) {
        f->member = g.own;
        f->members = g.n;
        return SL_OK;
    }
    if (code == SL_OK) code = send_gathered(f, &g);
    free(g.own);
    return code;
}

static int find_members(struct finder *f)
{
    uint64_t *group = NULL;
    int code =
        sl_agree(f->s->comm, sl_alloc("names of groups", f->s->own.n, sizeof *group, &group));
    if (code == SL_OK) code = link_own(f, group);
    if (code == SL_OK) code = send_members(f, group);
    free(group);
    return code == SL_OK ? sl_agree(f->s->comm, sl_members_sort(&f->member, f->members)) : code;
}

/* ---- bonds ---- */

enum { DIGITS = 256 };

/* One digit of the order of particles, counted from the lowest; all the same: nothing to do. */
static void sort_digit(struct sl_halo_bond **from, struct sl_halo_bond **to, size_t n, int digit)
{
    size_t end[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        end[1 + ((*from)[i].particle >> 8 * digit & 255)]++;
    for (int k = 0; k < DIGITS; k++) {
        if (end[k + 1] == n) return;
        end[k + 1] += end[k];
    }
    for (size_t i = 0; i < n; i++)
        (*to)[end[(*from)[i].particle >> 8 * digit & 255]++] = (*from)[i];
    struct sl_halo_bond *was = *from;
    *from = *to;
    *to = was;
}

static int sort_bonds(struct sl_halo_bond **bond, size_t n)
{
    struct sl_halo_bond *other;
    SL_TRY(sl_alloc("particles of haloes", n, sizeof *other, &other));
    for (int digit = 0; digit < 8; digit++)
        sort_digit(bond, &other, n, digit);
    free(other);
    return SL_OK;
}

/* Which particles are in which groups, to the ranks that look after the particles. */
static int keep_bonds(struct finder *f)
{
    struct sl_halo_bond *own = NULL;
    struct sl_haloes *out = f->out;
    int *to = NULL, code = sl_alloc("particles of haloes", f->members, sizeof *own, &own);
    if (code == SL_OK) code = sl_alloc("ranks of particles", f->members, sizeof *to, &to);
    code = sl_agree(f->s->comm, code);
    for (size_t i = 0; i < f->members && code == SL_OK; i++) {
        own[i] = (struct sl_halo_bond){f->member[i].p.id, f->member[i].group};
        to[i] = sl_points_rank(own[i].particle, f->s->size);
    }
    if (code == SL_OK)
        code =
            sl_points_send(f->s->comm, own, f->members, sizeof *own, to, &out->bond, &out->bonds);
    free(own);
    free(to);
    return code == SL_OK ? sl_agree(f->s->comm, sort_bonds(&out->bond, out->bonds)) : code;
}

/* ---- the list ---- */

static int by_number(const void *a, const void *b)
{
    const struct sl_halo *p = a, *q = b;
    if (p->n != q->n) return p->n < q->n ? 1 : -1;
    return (p->id > q->id) - (p->id < q->id);
}

/* All ranks' haloes, in order. */
static int share_list(struct finder *f, const struct sl_halo *own, int n)
{
    int size = f->s->size, *count = NULL;
    struct sl_halo *all = NULL;
    MPI_Datatype item;
    SL_TRY(sl_agree(f->s->comm,
                    sl_alloc("numbers of haloes", 2 * (size_t)size, sizeof *count, &count)));
    MPI_Allgather(&n, 1, MPI_INT, count, 1, MPI_INT, f->s->comm);
    for (int r = 1; r < size; r++)
        count[size + r] = count[size + r - 1] + count[r - 1];
    int total = count[2 * size - 1] + count[size - 1];
    int code = sl_agree(f->s->comm, sl_alloc("haloes", (size_t)total, sizeof *all, &all));
    MPI_Type_contiguous(sizeof *all, MPI_BYTE, &item);
    MPI_Type_commit(&item);
    if (code == SL_OK) MPI_Allgatherv(own, n, item, all, count, count + size, item, f->s->comm);
    MPI_Type_free(&item);
    free(count);
    if (code != SL_OK) return code;
    qsort(all, (size_t)total, sizeof *all, by_number);
    free(f->out->halo);
    f->out->halo = all;
    f->out->n = total;
    return SL_OK;
}

/* Groups of this rank: where their members begin, and what they are. */
struct describer {
    const struct finder *f;
    size_t *first; /* owned, [n + 1] */
    struct sl_halo *own;
};

static int describe_some(void *of, size_t from, size_t end)
{
    const struct describer *d = of;
    const struct finder *f = d->f;
    double soft = f->rule->linking / cbrt(f->density) / 4;
    for (size_t g = from; g < end; g++)
        SL_TRY(sl_group_describe(f->member + d->first[g], d->first[g + 1] - d->first[g],
                                 f->rule->side, soft, &d->own[g]));
    return SL_OK;
}

static bool begins(const struct finder *f, size_t i)
{
    return i == 0 || f->member[i].group != f->member[i - 1].group;
}

static int describe_all(struct describer *d, size_t n)
{
    size_t g = 0;
    SL_TRY(sl_alloc("members of haloes", n + 1, sizeof *d->first, &d->first));
    for (size_t i = 0; i < d->f->members; i++)
        if (begins(d->f, i)) d->first[g++] = i;
    d->first[n] = d->f->members;
    return sl_threads_run(n, GROUPS, describe_some, d);
}

/* What groups are, of those of this rank. */
static int describe(struct finder *f, struct sl_halo **own, int *n)
{
    struct describer d = {.f = f};
    *n = 0;
    for (size_t i = 0; i < f->members; i++)
        *n += begins(f, i);
    SL_TRY(sl_alloc("haloes", (size_t)*n, sizeof **own, own));
    d.own = *own;
    int code = describe_all(&d, (size_t)*n);
    free(d.first);
    return code;
}

static int list_groups(struct finder *f)
{
    struct sl_halo *own = NULL;
    int n = 0, code = sl_agree(f->s->comm, describe(f, &own, &n));
    if (code == SL_OK) code = share_list(f, own, n);
    free(own);
    if (code == SL_OK && f->rule->bonds) code = keep_bonds(f);
    free(f->member);
    f->member = NULL;
    return code;
}

/* ---- spheres ---- */

/* As far as a sphere about a halo reaches that holds as many particles as its group, and half as
 * far again. */
static double first_reach(const struct finder *f, const struct sl_halo *h)
{
    double least = f->rule->contrast[0];
    for (int k = 1; k < SL_OVERDENSITIES; k++)
        least = fmin(least, f->rule->contrast[k]);
    return 1.5 * cbrt(3 * (double)h->n / (4 * acos(-1) * least * f->density));
}

static bool is_own(const struct finder *f, const struct sl_halo *h)
{
    uint32_t z = sl_point_place(h->centre[2] / f->rule->side[2]);
    return z >= f->s->edge[f->s->rank] && z < f->s->edge[f->s->rank + 1];
}

struct spheres {
    struct finder *f;
    struct sl_sphere_grid grid; /* owned */
    bool last, *done;           /* done: borrowed */
    atomic_int open;
    pthread_mutex_t lock; /* of the shells of all haloes */
};

static int measure_one(struct spheres *s, struct sl_sphere_looks *l, size_t i,
                       int64_t shell[SL_HALO_STACKS][SL_HALO_SHELLS])
{
    bool closed = false;
    struct sl_halo *h = &s->f->out->halo[i];
    if (s->done[i] || !is_own(s->f, h)) return SL_OK;
    SL_TRY(sl_sphere_measure(l, first_reach(s->f, h), h, &closed));
    s->done[i] = closed || s->last;
    if (s->done[i])
        sl_sphere_count(l, h, shell);
    else
        s->open++;
    return SL_OK;
}

static int measure_some(void *of, size_t from, size_t end)
{
    struct spheres *s = of;
    struct sl_sphere_looks looks = {.grid = &s->grid};
    int64_t shell[SL_HALO_STACKS][SL_HALO_SHELLS] = {{0}};
    int code = SL_OK;
    for (size_t i = from; i < end && code == SL_OK; i++)
        code = measure_one(s, &looks, i, shell);
    free(looks.item);
    pthread_mutex_lock(&s->lock);
    for (int k = 0; k < SL_HALO_STACKS * SL_HALO_SHELLS; k++)
        s->f->out->shell[k / SL_HALO_SHELLS][k % SL_HALO_SHELLS] +=
            shell[k / SL_HALO_SHELLS][k % SL_HALO_SHELLS];
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* Spheres of own haloes that are not done yet; *open: of so many all particles within reach are
 * too few. */
static int measure_own(struct finder *f, const struct sl_sphere_rule *r, bool last, bool *done,
                       int *open)
{
    struct spheres s = {.f = f, .last = last, .done = done, .lock = PTHREAD_MUTEX_INITIALIZER};
    *open = 0;
    SL_TRY(sl_sphere_grid_make(f->s, r, &s.grid));
    int code = sl_threads_run((size_t)f->out->n, GROUPS, measure_some, &s);
    *open = s.open;
    sl_sphere_grid_release(&s.grid);
    return code;
}

static int all_spheres(struct finder *f, bool *done)
{
    const double *side = f->rule->side;
    double reach = 0, most = fmin(side[0], fmin(side[1], side[2])) / 2;
    for (int i = 0; i < f->out->n; i++)
        reach = fmax(reach, first_reach(f, &f->out->halo[i]));
    for (int open = 1; open > 0; reach *= 1.5) {
        reach = fmin(reach, most);
        const struct sl_sphere_rule r = {f->rule, f->density, reach};
        int code = measure_own(f, &r, reach >= most, done, &open);
        SL_TRY(sl_agree(f->s->comm, code));
        MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_SUM, f->s->comm);
    }
    return SL_OK;
}

static int measure_spheres(struct finder *f)
{
    bool *done = NULL;
    struct sl_halo *own = NULL;
    size_t n = (size_t)f->out->n;
    int code = sl_alloc("marks of haloes", n, sizeof *done, &done), mine = 0;
    if (code == SL_OK) code = sl_alloc("haloes", n, sizeof *own, &own);
    code = sl_agree(f->s->comm, code);
    if (code == SL_OK) code = all_spheres(f, done);
    for (int i = 0; i < f->out->n && code == SL_OK; i++)
        if (done[i]) own[mine++] = f->out->halo[i];
    if (code == SL_OK) code = share_list(f, own, mine);
    if (code == SL_OK)
        MPI_Allreduce(MPI_IN_PLACE, f->out->shell, SL_HALO_STACKS * SL_HALO_SHELLS, MPI_INT64_T,
                      MPI_SUM, f->s->comm);
    free(done);
    free(own);
    return code;
}

int sl_haloes_find(const struct sl_shares *s, const struct sl_halo_rule *rule,
                   struct sl_haloes *out)
{
    struct finder f = {.s = s, .rule = rule, .out = out};
    memset(out, 0, sizeof *out);
    int code = set_density(&f);
    sl_lap("friends of friends");
    if (code == SL_OK) code = find_members(&f);
    sl_lap("groups");
    if (code == SL_OK) code = list_groups(&f);
    sl_lap("spheres");
    if (code == SL_OK) code = measure_spheres(&f);
    free(f.member);
    if (code != SL_OK) sl_haloes_release(out);
    return code;
}

void sl_haloes_release(struct sl_haloes *h)
{
    free(h->halo);
    free(h->bond);
    h->halo = NULL;
    h->bond = NULL;
    h->n = 0;
    h->bonds = 0;
}

/* ---- stacks ---- */

double sl_halo_stack_least(int stack)
{
    static const double least[SL_HALO_STACKS] = {100, 300, 1000, 3000};
    return least[stack];
}

double sl_halo_shell(int shell)
{
    return pow(SL_HALO_INNER, (SL_HALO_SHELLS - 1.0 - shell) / SL_HALO_SHELLS);
}

int sl_halo_stack(const struct sl_halo *h)
{
    int stack = SL_HALO_STACKS - 1;
    while (stack >= 0 && h->mass[SL_OVERDENSITY_200c] < sl_halo_stack_least(stack))
        stack--;
    return stack;
}
