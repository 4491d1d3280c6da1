/* hierarchy.c - storms of random refinement in 1D, 2D and 3D against a brute-force painting of the
 * box: which leaves there are next, on any number of ranks; the blocks of each level; ghost cells
 * of each level, what is prolonged, restricted, refluxed and moved, cell by cell and through real
 * messages; lists of leaves; the one level of a uniform mesh; refusals.
 * ranks: 1 2 3 4
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mesh/exchange.h"
#include "core/mesh/hierarchy.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static uint64_t seed = 20250117;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static int pick(int lo, int hi)
{
    seed += 0x9e3779b97f4a7c15U;
    return lo + (int)(mix(seed) % (uint64_t)(hi - lo + 1));
}

static void assert_on_all(int64_t bad)
{
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(bad, 0);
}

static void *make(size_t n, size_t size)
{
    void *p = NULL;
    assert_int_equal(sl_alloc("test", n, size, &p), SL_OK);
    return p;
}

/* A value that tells level and place, of a cell or of a block, apart. */
static double value_of(int what, int level, const int64_t at[3])
{
    uint64_t h = mix((uint64_t)(100 * what + level + 1));
    for (int a = 0; a < 3; a++)
        h = mix(h ^ (uint64_t)(at[a] + 1000));
    return 1 + (double)(h >> 12) * 0x1p-52;
}

/* ---- the box painted with its leaves --------------------------------------------------------- */

enum { MOST = 6 };

struct paint {
    struct sl_mesh_spec spec;
    int dim, fine; /* finest level: cells of the painting are blocks of it */
    int root[3];
    int64_t n[3], cells;
    int nleaf;
    struct sl_hierarchy_leaf *leaf; /* owned; along the curve */
    int *owner;                     /* owned; rank of each leaf */
    int *at;                        /* owned; [cell]: leaf there */
    int *key[MOST + 1];             /* owned; [place of a level]: key of the block there, -1 */
    int *first[MOST + 1];           /* owned; [key]: its first leaf */
    int nkey[MOST + 1];
};

static bool wraps(const struct paint *p, int level, int64_t at[3])
{
    for (int a = 0; a < p->dim; a++) {
        int64_t n = (int64_t)p->root[a] << level;
        if (p->spec.boundary[2 * a] == SL_BOUNDARY_periodic) at[a] = (at[a] % n + n) % n;
        if (at[a] < 0 || at[a] >= n) return false;
    }
    return true;
}

static int64_t place_of(const struct paint *p, int level, const int64_t at[3])
{
    int64_t i = 0;
    for (int a = p->dim - 1; a >= 0; a--)
        i = i * ((int64_t)p->root[a] << level) + at[a];
    return i;
}

static void cell_at(const struct paint *p, int64_t i, int64_t at[3])
{
    for (int a = 0; a < 3; a++)
        at[a] = i % p->n[a], i /= p->n[a];
}

/* Key of the block of a level at a place of the box, wrapped; -1: there is none, -2: outside. */
static int key_at(const struct paint *p, int level, const int64_t at[3])
{
    int64_t to[3] = {at[0], at[1], at[2]};
    if (!wraps(p, level, to)) return -2;
    return level > p->fine ? -1 : p->key[level][place_of(p, level, to)];
}

static bool is_leaf(const struct paint *p, int level, int key)
{
    return p->leaf[p->first[level][key]].level == level;
}

static void keys_make(struct paint *p)
{
    for (int l = 0; l <= p->fine; l++) {
        int64_t places = 1;
        for (int a = 0; a < p->dim; a++)
            places *= (int64_t)p->root[a] << l;
        p->key[l] = make((size_t)places, sizeof(int));
        p->first[l] = make((size_t)p->nleaf, sizeof(int));
        p->nkey[l] = 0;
        memset(p->key[l], -1, (size_t)places * sizeof(int));
        for (int i = 0; i < p->nleaf; i++) {
            int64_t at[3];
            if (p->leaf[i].level < l) continue;
            for (int a = 0; a < 3; a++)
                at[a] = p->leaf[i].at[a] >> (p->leaf[i].level - l);
            int *key = &p->key[l][place_of(p, l, at)];
            if (*key >= 0) continue;
            p->first[l][p->nkey[l]] = i;
            *key = p->nkey[l]++;
        }
    }
}

/* Paints the leaves; how many cells are painted not once. */
static int64_t cells_paint(struct paint *p)
{
    int64_t bad = 0;
    p->at = make((size_t)p->cells, sizeof(int));
    memset(p->at, -1, (size_t)p->cells * sizeof(int));
    for (int i = 0; i < p->nleaf; i++) {
        int wide = 1 << (p->fine - p->leaf[i].level);
        for (int c = 0; c < 1 << p->dim * (p->fine - p->leaf[i].level); c++) {
            int64_t at[3] = {0};
            for (int a = 0, rest = c; a < p->dim; a++, rest /= wide)
                at[a] = p->leaf[i].at[a] * wide + rest % wide;
            int *to = &p->at[place_of(p, p->fine, at)];
            bad += *to != -1;
            *to = i;
        }
    }
    for (int64_t i = 0; i < p->cells; i++)
        bad += p->at[i] < 0;
    return bad;
}

/* Leaves of all ranks in the order of ranks. */
static void leaves_gather(const struct sl_hierarchy *h, struct paint *p)
{
    int n = sl_hierarchy_curve(h, NULL, NULL), size = h->level[0]->size;
    int *level = make((size_t)n, sizeof(int)), *block = make((size_t)n, sizeof(int));
    struct sl_hierarchy_leaf *own = make((size_t)n, sizeof *own);
    int *count = make((size_t)size, sizeof(int)), *first = make((size_t)size, sizeof(int));
    assert_int_equal(sl_hierarchy_curve(h, level, block), n);
    for (int i = 0; i < n; i++) {
        own[i].level = level[i];
        memcpy(own[i].at, h->level[level[i]]->blocks[block[i]].at, sizeof own[i].at);
    }
    int bytes = n * (int)sizeof *own, total = 0;
    MPI_Allgather(&bytes, 1, MPI_INT, count, 1, MPI_INT, h->comm);
    for (int r = 0; r < size; r++)
        first[r] = total, total += count[r];
    p->nleaf = total / (int)sizeof *own;
    p->leaf = make((size_t)p->nleaf, sizeof *own);
    p->owner = make((size_t)p->nleaf, sizeof(int));
    MPI_Allgatherv(own, bytes, MPI_BYTE, p->leaf, count, first, MPI_BYTE, h->comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count[r] / (int)sizeof *own; i++)
            p->owner[first[r] / (int)sizeof *own + i] = r;
    free(level), free(block), free(own), free(count), free(first);
}

static struct paint paint_of(const struct sl_hierarchy *h, int fine)
{
    struct paint p = {.spec = h->spec, .dim = h->spec.dim, .fine = fine, .cells = 1};
    for (int a = 0; a < 3; a++) {
        p.root[a] = a < p.dim ? p.spec.cells[a] / p.spec.block[a] : 1;
        p.n[a] = a < p.dim ? (int64_t)p.root[a] << fine : 1;
        p.cells *= p.n[a];
    }
    leaves_gather(h, &p);
    int64_t bad = p.nleaf != h->nleaf_global;
    for (int i = 0; i < p.nleaf; i++)
        bad += p.leaf[i].level > fine;
    assert_on_all(bad);
    assert_on_all(cells_paint(&p));
    keys_make(&p);
    return p;
}

static void paint_release(struct paint *p)
{
    free(p->leaf), free(p->owner), free(p->at);
    for (int l = 0; l <= p->fine; l++)
        free(p->key[l]), free(p->first[l]);
}

/* ---- which leaves are next ------------------------------------------------------------------- */

static int want_of(const struct sl_hierarchy_leaf *leaf, uint64_t step, bool full)
{
    uint64_t h = mix(step + 1);
    for (int a = 0; a < 3; a++) /* families mostly want the same */
        h = mix(h ^ (uint64_t)(leaf->at[a] >> 1));
    h = mix(h ^ (uint64_t)leaf->level) % 100;
    if (full) return h < 90 ? -1 : 0;
    uint64_t own =
        mix(h ^ (uint64_t)(leaf->at[0] + 7 * leaf->at[1] + 31 * leaf->at[2] + 100)) % 100;
    return h < 40 ? (own < 97 ? -1 : 0) : h < 80 ? (own < 60 ? 1 : 0) : 0;
}

/* Whether a cell around the block of level l at that place has a level above `most`. */
static bool finer_around(const struct paint *p, const int *level, const int64_t at[3], int l,
                         int most)
{
    int wide = 1 << (p->fine - l);
    int64_t span = wide + 2, total = 1;
    for (int a = 0; a < p->dim; a++)
        total *= span;
    for (int64_t c = 0; c < total; c++) {
        int64_t to[3] = {0}, rest = c;
        for (int a = 0; a < p->dim; a++, rest /= span)
            to[a] = at[a] * wide + rest % span - 1;
        if (wraps(p, p->fine, to) && level[place_of(p, p->fine, to)] > most) return true;
    }
    return false;
}

static void level_paint(const struct paint *p, int *level, const int64_t at[3], int l, int value)
{
    int wide = 1 << (p->fine - l);
    for (int64_t c = 0; c < (int64_t)1 << p->dim * (p->fine - l); c++) {
        int64_t to[3] = {0}, rest = c;
        for (int a = 0; a < p->dim; a++, rest /= wide)
            to[a] = at[a] * wide + rest % wide;
        level[place_of(p, p->fine, to)] = value;
    }
}

/* Whether all cells of the block of level l at that place were leaves of level l + 1, are, and want
 * to merge. */
static bool family_merges(const struct paint *p, const int *level, const signed char *want,
                          const int64_t at[3], int l)
{
    int wide = 1 << (p->fine - l);
    for (int64_t c = 0; c < (int64_t)1 << p->dim * (p->fine - l); c++) {
        int64_t to[3] = {0}, rest = c;
        for (int a = 0; a < p->dim; a++, rest /= wide)
            to[a] = at[a] * wide + rest % wide;
        int64_t i = place_of(p, p->fine, to);
        if (level[i] != l + 1 || p->leaf[p->at[i]].level != l + 1 || want[p->at[i]] >= 0)
            return false;
    }
    return true;
}

/* Level of each cell after adaptation, straight from what hierarchy.h says. */
static int *levels_next(const struct paint *p, const signed char *want, int most)
{
    int *level = make((size_t)p->cells, sizeof(int));
    for (int64_t i = 0; i < p->cells; i++) {
        int l = p->leaf[p->at[i]].level;
        level[i] = l + (want[p->at[i]] > 0 && l < most);
    }
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < p->nleaf; i++) {
            const struct sl_hierarchy_leaf *leaf = &p->leaf[i];
            int64_t first[3];
            for (int a = 0; a < 3; a++)
                first[a] = leaf->at[a] << (p->fine - leaf->level);
            int now = level[place_of(p, p->fine, first)];
            if (now > leaf->level) continue;
            if (!finer_around(p, level, leaf->at, leaf->level, now + 1)) continue;
            level_paint(p, level, leaf->at, leaf->level, now + 1);
            more = true;
        }
    }
    for (int l = p->fine - 1; l >= 0; l--) {
        int64_t places = p->cells >> p->dim * (p->fine - l);
        for (int64_t i = 0; i < places; i++) {
            int64_t at[3] = {0}, rest = i;
            for (int a = 0; a < p->dim; a++)
                at[a] = rest % ((int64_t)p->root[a] << l), rest /= (int64_t)p->root[a] << l;
            if (family_merges(p, level, want, at, l) && !finer_around(p, level, at, l, l + 1))
                level_paint(p, level, at, l, l);
        }
    }
    return level;
}

static int64_t levels_check(const struct paint *p, const int *level)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < p->cells; i++)
        bad += p->leaf[p->at[i]].level != level[i];
    return bad;
}

static int64_t balance_check(const struct paint *p)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < p->cells; i++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            int64_t at[3];
            cell_at(p, i, at);
            for (int a = 0; a < p->dim; a++)
                at[a] += sl_shift_of(dir, a);
            if (!sl_is_neighbour(dir, p->dim) || !wraps(p, p->fine, at)) continue;
            bad +=
                abs(p->leaf[p->at[i]].level - p->leaf[p->at[place_of(p, p->fine, at)]].level) > 1;
        }
    return bad;
}

/* ---- blocks of a level ----------------------------------------------------------------------- */

static int64_t blocks_check(const struct sl_hierarchy *h, const struct paint *p)
{
    int64_t bad = 0;
    int rank = h->level[0]->rank;
    for (int l = 0; l < h->nlevel; l++) {
        const struct sl_mesh *m = h->level[l];
        int own = 0, leaves = 0;
        for (int k = 0; k < p->nkey[l]; k++)
            own += p->owner[p->first[l][k]] == rank;
        for (int i = 0; i < p->nleaf; i++)
            leaves += p->leaf[i].level == l;
        bad += m->level != l || m->nblock != own || m->nblock_global != p->nkey[l];
        bad += h->count[l] != leaves;
        for (int b = 0; b < m->nblock; b++) {
            const struct sl_block *block = &m->blocks[b];
            int key = key_at(p, l, block->at);
            bad += key < 0 || block->key != key || block->level != l;
            if (key < 0) continue;
            int first = p->first[l][key];
            bad += p->owner[first] != rank;
            bad += (b < m->nleaf) != is_leaf(p, l, key);
            bad += block->gid != (b < m->nleaf ? first : -1);
            bad += b > 0 && b != m->nleaf && block->key <= block[-1].key;
        }
    }
    for (int l = h->nlevel; l <= p->fine; l++)
        bad += p->nkey[l] != 0;
    return bad;
}

/* ---- fields ---------------------------------------------------------------------------------- */

enum { NVAR = 2 };

static int shape_cell(const int n[3], size_t index, int at[3])
{
    at[0] = (int)(index % (size_t)n[0]);
    at[1] = (int)(index / (size_t)n[0] % (size_t)n[1]);
    at[2] = (int)(index / (size_t)n[0] / (size_t)n[1]);
    return at[2];
}

/* Place of a cell, counted from the first ghost, in the grid of its level. */
static void global_of(const struct sl_mesh *m, const int64_t block[3], const int local[3],
                      int64_t at[3])
{
    for (int a = 0; a < 3; a++)
        at[a] = block[a] * m->n[a] + local[a] - m->g[a];
}

/* Wraps a cell of a level; which block it lies in. Returns the block's key as key_at. */
static int cell_key(const struct paint *p, const struct sl_mesh *m, int level, int64_t at[3])
{
    int64_t block[3];
    for (int a = 0; a < 3; a++) {
        int64_t n = a < p->dim ? ((int64_t)p->root[a] << level) * m->n[a] : 1;
        if (a < p->dim && p->spec.boundary[2 * a] == SL_BOUNDARY_periodic)
            at[a] = (at[a] % n + n) % n;
        if (at[a] < 0 || at[a] >= n) return -2;
        block[a] = at[a] / m->n[a];
    }
    return key_at(p, level, block);
}

static bool is_interior(const struct sl_mesh *m, const int local[3])
{
    for (int a = 0; a < 3; a++)
        if (local[a] < m->g[a] || local[a] >= m->g[a] + m->n[a]) return false;
    return true;
}

static sl_real *field_of(const struct sl_mesh *m)
{
    sl_real *u = make(sl_mesh_size(m, NVAR), sizeof *u);
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < NVAR; v++)
            for (size_t i = 0; i < m->block_cells; i++) {
                int local[3];
                int64_t at[3];
                shape_cell(m->nt, i, local);
                global_of(m, m->blocks[b].at, local, at);
                u[((size_t)b * NVAR + (size_t)v) * m->block_cells + i] =
                    is_interior(m, local) ? (sl_real)value_of(v, m->level, at) : (sl_real)NAN;
            }
    return u;
}

/* Ghosts that blocks of the level cover have their values; those in the box that none covers were
 * left. */
static int64_t ghosts_check(const struct paint *p, struct sl_mesh *m)
{
    struct sl_ghost_arg arg = {.nvar = NVAR, .vector = -1};
    int64_t bad = 0;
    sl_real *u = field_of(m);
    assert_int_equal(sl_ghost_fill(m, &arg, u), SL_OK);
    for (int b = 0; b < m->nblock; b++)
        for (size_t i = 0; i < m->block_cells; i++) {
            int local[3];
            int64_t at[3];
            shape_cell(m->nt, i, local);
            global_of(m, m->blocks[b].at, local, at);
            int key = cell_key(p, m, m->level, at);
            bad += key == -1 && b >= m->nleaf; /* a covered block has all its neighbours */
            for (int v = 0; v < NVAR && key > -2; v++) {
                sl_real got = u[((size_t)b * NVAR + (size_t)v) * m->block_cells + i];
                bad += key >= 0 ? got != (sl_real)value_of(v, m->level, at) : !isnan(got);
            }
        }
    free(u);
    return bad;
}

/* ---- messages -------------------------------------------------------------------------------- */

static double *buffer_of(const struct sl_nest_side *side)
{
    return make(NVAR * side->values, sizeof(double));
}

static void messages_travel(MPI_Comm comm, const struct sl_nest_side *out, const double *from,
                            const struct sl_nest_side *in, double *to)
{
    int n = in->nmessage + out->nmessage;
    MPI_Request *request = make((size_t)n, sizeof(MPI_Request));
    for (int i = 0; i < in->nmessage; i++)
        MPI_Irecv(to + NVAR * in->message[i].start, (int)(NVAR * in->message[i].values), MPI_DOUBLE,
                  in->message[i].peer, 3, comm, &request[i]);
    for (int i = 0; i < out->nmessage; i++)
        MPI_Isend(from + NVAR * out->message[i].start, (int)(NVAR * out->message[i].values),
                  MPI_DOUBLE, out->message[i].peer, 3, comm, &request[in->nmessage + i]);
    for (int i = 0; i < n; i++) {
        MPI_Status status;
        int count = 0;
        MPI_Wait(&request[i], &status);
        if (i >= in->nmessage) continue;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        assert_int_equal(count, NVAR * in->message[i].values);
    }
    free(request);
}

/* That the messages hold all jobs of a part, one after the other. */
static int64_t side_check(const struct sl_nest_side *side, int first, int count, int rank)
{
    int64_t bad = 0;
    size_t values = 0;
    for (int i = 0; i < side->nmessage; i++) {
        const struct sl_nest_message *m = &side->message[i];
        bad += m->first != first || m->start != values || m->count <= 0 || m->peer == rank;
        bad += i > 0 && m->peer <= m[-1].peer;
        first += m->count, count -= m->count, values += m->values;
    }
    return bad + (count != 0) + (values != side->values);
}

/* ---- prolongation ---------------------------------------------------------------------------- */

/* One level and the next coarser one, with its nest. */
struct two {
    const struct paint *p;
    struct sl_mesh *coarse, *fine;
    const struct sl_nest *nest;
};

/* The value that fine cell `index` of the job's box takes, straight from the coarse cell. */
static double prolonged(const struct two *t, const struct sl_prolong_job *j,
                        const struct sl_box *box, size_t index, int v, int64_t *bad)
{
    const struct sl_mesh *m = t->coarse;
    int i[3], local[3];
    int64_t at[3];
    shape_cell(box->n, index, i);
    for (int a = 0; a < 3; a++) {
        int q = box->lo[a] + i[a] - m->g[a] - sl_shift_of(j->dir, a) * m->n[a];
        if (a >= m->dim)
            local[a] = 0;
        else {
            local[a] = m->g[a] + j->half[a] * m->n[a] / 2 + q / 2;
            int past = (j->edges >> a & 1) && m->spec.staggered && sl_shift_of(j->dir, a) == 0;
            *bad += q < 0 || q >= m->n[a] + past;
        }
    }
    global_of(m, m->blocks[j->coarse].at, local, at);
    return value_of(v, m->level, at);
}

/* Adds one to `hits` and sets the value of each fine cell of a job. */
static void prolong_put(const struct two *t, const struct sl_prolong_job *j, const double *from,
                        double *u, int *hits, int64_t *bad)
{
    const struct sl_mesh *m = t->fine;
    const struct sl_boxes *boxes = sl_boxes_of(m, m->exchange, j->fine);
    const struct sl_box *box = &boxes->to[j->dir];
    *bad += boxes != &m->exchange->edge[j->edges];
    for (int v = 0; v < NVAR; v++)
        for (size_t c = 0; c < box->cells; c++) {
            int i[3];
            shape_cell(box->n, c, i);
            size_t to = sl_mesh_at(m, NVAR, j->fine, v, box->lo[2] + i[2], box->lo[1] + i[1],
                                   box->lo[0] + i[0]);
            u[to] = from ? from[(size_t)v * box->cells + c] : prolonged(t, j, box, c, v, bad);
            hits[to]++;
        }
}

static void prolong_pack(const struct two *t, const struct sl_prolong_job *j, double *to,
                         int64_t *bad)
{
    const struct sl_box *box = &t->fine->exchange->edge[j->edges].to[j->dir];
    for (int v = 0; v < NVAR; v++)
        for (size_t c = 0; c < box->cells; c++)
            *to++ = prolonged(t, j, box, c, v, bad);
}

static int64_t prolong_values(const struct two *t, const double *u, const int *hits)
{
    const struct sl_mesh *m = t->fine;
    int64_t bad = 0;
    for (int b = 0; b < m->nblock; b++)
        for (size_t i = 0; i < m->block_cells; i++) {
            int local[3];
            int64_t at[3];
            shape_cell(m->nt, i, local);
            global_of(m, m->blocks[b].at, local, at);
            int key = cell_key(t->p, m, m->level, at);
            for (int a = 0; a < m->dim; a++)
                at[a] >>= 1;
            for (int v = 0; v < NVAR && key > -2; v++) {
                size_t k = ((size_t)b * NVAR + (size_t)v) * m->block_cells + i;
                bad += hits[k] != (key == -1);
                bad += key == -1 && u[k] != value_of(v, m->level - 1, at);
            }
        }
    return bad;
}

static int64_t prolong_check(const struct two *t)
{
    const struct sl_nest *n = t->nest;
    const struct sl_prolong_job *job = n->prolong;
    int local = n->nprolong[0], out = n->nprolong[1], in = n->nprolong[2];
    int64_t bad = side_check(&n->prolong_out, local, out, t->fine->rank) +
                  side_check(&n->prolong_in, local + out, in, t->fine->rank);
    double *u = make(sl_mesh_size(t->fine, NVAR), sizeof *u);
    int *hits = make(sl_mesh_size(t->fine, NVAR), sizeof *hits);
    double *sent = buffer_of(&n->prolong_out), *got = buffer_of(&n->prolong_in);
    for (int i = local; i < local + out; i++)
        prolong_pack(t, &job[i], sent + NVAR * job[i].start, &bad);
    messages_travel(t->fine->comm, &n->prolong_out, sent, &n->prolong_in, got);
    for (int i = 0; i < local; i++)
        prolong_put(t, &job[i], NULL, u, hits, &bad);
    for (int i = local + out; i < local + out + in; i++)
        prolong_put(t, &job[i], got + NVAR * job[i].start, u, hits, &bad);
    bad += prolong_values(t, u, hits);
    free(u), free(hits), free(sent), free(got);
    return bad;
}

/* ---- restriction ----------------------------------------------------------------------------- */

static void octant_shape(const struct sl_mesh *m, int but, int n[3])
{
    for (int a = 0; a < 3; a++)
        n[a] = a >= m->dim || a == but ? 1 : m->n[a] / 2;
}

/* Value of cell `index` of the mean of a fine block: that of the coarse cell there. */
static double restricted(const struct sl_mesh *m, int block, size_t index, int v)
{
    int n[3], i[3];
    int64_t at[3];
    octant_shape(m, -1, n);
    shape_cell(n, index, i);
    for (int a = 0; a < 3; a++)
        at[a] = m->blocks[block].at[a] * n[a] + i[a];
    return value_of(v, m->level - 1, at);
}

static void cover_put(const struct two *t, const struct sl_cover_job *j, const double *from,
                      size_t cells, double *u, int *hits)
{
    const struct sl_mesh *m = t->coarse;
    int n[3], i[3];
    octant_shape(m, -1, n);
    for (int v = 0; v < NVAR; v++)
        for (size_t c = 0; c < cells; c++) {
            shape_cell(n, c, i);
            for (int a = 0; a < 3; a++)
                i[a] += m->g[a] + j->half[a] * n[a];
            size_t to = sl_mesh_at(m, NVAR, j->coarse, v, i[2], i[1], i[0]);
            u[to] = from ? from[(size_t)v * cells + c] : restricted(t->fine, j->fine, c, v);
            hits[to]++;
        }
}

static int64_t cover_values(const struct sl_mesh *m, const double *u, const int *hits)
{
    int64_t bad = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < NVAR; v++)
            for (size_t i = 0; i < m->block_cells; i++) {
                int local[3];
                int64_t at[3];
                size_t k = ((size_t)b * NVAR + (size_t)v) * m->block_cells + i;
                shape_cell(m->nt, i, local);
                global_of(m, m->blocks[b].at, local, at);
                bool set = b >= m->nleaf && is_interior(m, local);
                bad += hits[k] != set || (set && u[k] != value_of(v, m->level, at));
            }
    return bad;
}

static int64_t cover_check(const struct two *t)
{
    const struct sl_nest *n = t->nest;
    const struct sl_cover_job *job = n->cover;
    int local = n->ncover[0], out = n->ncover[1], in = n->ncover[2], shape[3];
    int64_t bad = side_check(&n->cover_out, local, out, t->fine->rank) +
                  side_check(&n->cover_in, local + out, in, t->fine->rank);
    octant_shape(t->fine, -1, shape);
    size_t cells = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
    double *u = make(sl_mesh_size(t->coarse, NVAR), sizeof *u);
    int *hits = make(sl_mesh_size(t->coarse, NVAR), sizeof *hits);
    double *sent = buffer_of(&n->cover_out), *got = buffer_of(&n->cover_in);
    for (int i = local; i < local + out; i++)
        for (size_t c = 0; c < NVAR * cells; c++)
            sent[NVAR * job[i].start + c] =
                restricted(t->fine, job[i].fine, c % cells, (int)(c / cells));
    messages_travel(t->fine->comm, &n->cover_out, sent, &n->cover_in, got);
    for (int i = 0; i < local; i++)
        cover_put(t, &job[i], NULL, cells, u, hits);
    for (int i = local + out; i < local + out + in; i++)
        cover_put(t, &job[i], got + NVAR * job[i].start, cells, u, hits);
    bad += cover_values(t->coarse, u, hits);
    free(u), free(hits), free(sent), free(got);
    return bad;
}

/* ---- fluxes ---------------------------------------------------------------------------------- */

/* Value of the flux through a coarse face: cell `at` of a level, its upper or lower face, in the
 * periodic box. */
static double flux_value(const struct two *t, int v, int axis, int upper, const int64_t cell[3])
{
    int64_t at[3] = {cell[0], cell[1], cell[2]};
    int64_t n = ((int64_t)t->p->root[axis] << t->coarse->level) * t->coarse->n[axis];
    at[axis] = (at[axis] + upper) % n;
    return value_of(10 + 3 * v + axis, t->coarse->level, at);
}

/* The mean at face `index` of what flowed through a side of a fine block. */
static double flux_mean(const struct two *t, const struct sl_flux_register_side *side, size_t index,
                        int v)
{
    const struct sl_mesh *m = t->fine;
    int n[3], i[3];
    int64_t at[3];
    octant_shape(m, side->axis, n);
    shape_cell(n, index, i);
    for (int a = 0; a < 3; a++)
        at[a] = m->blocks[side->block].at[a] * n[a] + i[a];
    at[side->axis] = m->blocks[side->block].at[side->axis] * m->n[side->axis] / 2 +
                     (side->upper ? m->n[side->axis] / 2 - 1 : 0);
    return flux_value(t, v, side->axis, side->upper, at);
}

/* Which sides the leaves of a mesh have, by brute force; all must be in the list, in order. */
static int64_t sides_check(const struct two *t, const struct sl_mesh *m, bool fine,
                           const struct sl_flux_register_side *side, int n)
{
    int64_t bad = 0;
    int k = 0;
    for (int b = 0; b < m->nleaf; b++)
        for (int face = 0; face < 2 * m->dim; face++) {
            int64_t at[3];
            memcpy(at, m->blocks[b].at, sizeof at);
            at[face / 2] += face % 2 ? 1 : -1;
            int key = key_at(t->p, m->level, at);
            if (fine ? key != -1 : key < 0 || is_leaf(t->p, m->level, key)) continue;
            bad += k >= n || side[k].block != b || side[k].axis != face / 2 ||
                   side[k].upper != face % 2;
            k++;
        }
    return bad + (k != n);
}

static void reflux_put(const struct two *t, const struct sl_reflux_job *j, const double *from,
                       size_t faces, int *hits, int64_t *bad)
{
    const struct sl_mesh *m = t->coarse;
    const struct sl_flux_register_side *side = &t->nest->coarse[j->coarse_side];
    int n[3], i[3];
    octant_shape(m, j->axis, n);
    *bad += side->block != j->coarse || side->axis != j->axis || side->upper != j->upper;
    for (int v = 0; v < NVAR; v++)
        for (size_t c = 0; c < faces; c++) {
            int64_t at[3];
            shape_cell(n, c, i);
            for (int a = 0; a < 3; a++)
                i[a] += j->half[a] * n[a];
            i[j->axis] = j->upper ? m->n[j->axis] - 1 : 0;
            for (int a = 0; a < 3; a++)
                at[a] = m->blocks[j->coarse].at[a] * m->n[a] + i[a];
            double got = from ? from[(size_t)v * faces + c]
                              : flux_mean(t, &t->nest->fine[j->fine_side], c, v);
            *bad += got != flux_value(t, v, j->axis, j->upper, at);
            int across[2] = {j->axis == 0 ? 1 : 0, j->axis == 2 ? 1 : 2};
            int place = i[across[1]] * m->n[across[0]] + i[across[0]];
            hits[((size_t)j->coarse_side * NVAR + (size_t)v) *
                     (size_t)(m->n[0] * m->n[1] * m->n[2]) +
                 (size_t)place]++;
        }
}

static int64_t reflux_hits(const struct two *t, const int *hits)
{
    const struct sl_mesh *m = t->coarse;
    int cells = m->n[0] * m->n[1] * m->n[2];
    int64_t bad = 0;
    for (int s = 0; s < t->nest->ncoarse; s++)
        for (int v = 0; v < NVAR; v++)
            for (int c = 0; c < cells; c++)
                bad += hits[((size_t)s * NVAR + (size_t)v) * (size_t)cells + (size_t)c] !=
                       (c < cells / m->n[t->nest->coarse[s].axis]);
    return bad;
}

static int64_t reflux_check(const struct two *t)
{
    const struct sl_nest *n = t->nest;
    const struct sl_mesh *m = t->coarse;
    const struct sl_reflux_job *job = n->reflux;
    int local = n->nreflux[0], out = n->nreflux[1], in = n->nreflux[2];
    int64_t bad = side_check(&n->reflux_out, local, out, m->rank) +
                  side_check(&n->reflux_in, local + out, in, m->rank) +
                  sides_check(t, t->fine, true, n->fine, n->nfine) +
                  sides_check(t, t->coarse, false, n->coarse, n->ncoarse);
    int *hits =
        make((size_t)n->ncoarse * NVAR * (size_t)(m->n[0] * m->n[1] * m->n[2]), sizeof *hits);
    int *used = make((size_t)n->nfine, sizeof *used);
    double *sent = buffer_of(&n->reflux_out), *got = buffer_of(&n->reflux_in);
    for (int i = 0; i < local + out + in; i++) {
        int shape[3];
        octant_shape(m, job[i].axis, shape);
        size_t faces = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
        if (i == local + out) messages_travel(m->comm, &n->reflux_out, sent, &n->reflux_in, got);
        if (i < local + out) {
            const struct sl_flux_register_side *side = &n->fine[job[i].fine_side];
            bad += side->block != job[i].fine || side->upper == job[i].upper;
            used[job[i].fine_side]++;
        }
        if (i < local)
            reflux_put(t, &job[i], NULL, faces, hits, &bad);
        else if (i >= local + out)
            reflux_put(t, &job[i], got + NVAR * job[i].start, faces, hits, &bad);
        for (size_t c = 0; i >= local && i < local + out && c < NVAR * faces; c++)
            sent[NVAR * job[i].start + c] =
                flux_mean(t, &n->fine[job[i].fine_side], c % faces, (int)(c / faces));
    }
    if (in == 0) messages_travel(m->comm, &n->reflux_out, sent, &n->reflux_in, got);
    for (int i = 0; i < n->nfine; i++)
        bad += used[i] != 1;
    bad += reflux_hits(t, hits);
    free(hits), free(used), free(sent), free(got);
    return bad;
}

/* ---- moves ----------------------------------------------------------------------------------- */

struct moving {
    const struct sl_hierarchy *old, *now;
    const struct paint *before;
    const struct sl_moves *moves;
};

/* Value of interior cell `index` of the new block of a move, from an old block of this rank. */
static double moved(const struct moving *w, const struct sl_move *move, size_t index, int v)
{
    const struct sl_mesh *m = w->old->level[move->level - move->prolong];
    int i[3];
    int64_t at[3];
    shape_cell(m->n, index, i);
    for (int a = 0; a < 3; a++) {
        if (move->prolong && a < m->dim) i[a] = (i[a] + move->half[a] * m->n[a]) / 2;
        at[a] = m->blocks[move->from].at[a] * m->n[a] + i[a];
    }
    return value_of(v, m->level, at);
}

/* What it must be: that of the old block of the level, or of its parent's cell. */
static double move_expected(const struct moving *w, int level, int block, size_t index, int v)
{
    const struct sl_mesh *m = w->now->level[level];
    int i[3], l = level;
    int64_t at[3];
    shape_cell(m->n, index, i);
    for (int a = 0; a < 3; a++)
        at[a] = m->blocks[block].at[a] * m->n[a] + i[a];
    if (key_at(w->before, level, m->blocks[block].at) < 0)
        for (int a = (l--, 0); a < m->dim; a++)
            at[a] >>= 1;
    return value_of(v, l, at);
}

static int64_t level_moves_check(const struct moving *w, int l)
{
    const struct sl_moves *s = w->moves;
    const struct sl_mesh *m = w->now->level[l];
    size_t cells = (size_t)(m->n[0] * m->n[1] * m->n[2]);
    int64_t bad = 0;
    int part[3] = {0};
    int *hits = make((size_t)m->nblock, sizeof *hits);
    double *sent = buffer_of(&s->out[l]), *got = buffer_of(&s->in[l]);
    for (int i = s->first[l]; i < s->first[l + 1]; i++) {
        const struct sl_move *move = &s->move[i];
        part[move->from < 0 ? 2 : move->to < 0 ? 1 : 0]++;
        bad += move->level != l || (move->from < 0 && move->to < 0);
        for (size_t c = 0; move->to < 0 && c < NVAR * cells; c++)
            sent[NVAR * move->start + c] = moved(w, move, c % cells, (int)(c / cells));
    }
    bad += side_check(&s->out[l], s->first[l] + part[0], part[1], m->rank);
    bad += side_check(&s->in[l], s->first[l] + part[0] + part[1], part[2], m->rank);
    messages_travel(m->comm, &s->out[l], sent, &s->in[l], got);
    for (int i = s->first[l]; i < s->first[l + 1]; i++) {
        const struct sl_move *move = &s->move[i];
        if (move->to < 0) continue;
        hits[move->to]++;
        for (size_t c = 0; c < NVAR * cells; c++) {
            double value = move->from < 0 ? got[NVAR * move->start + c]
                                          : moved(w, move, c % cells, (int)(c / cells));
            bad += value != move_expected(w, l, move->to, c % cells, (int)(c / cells));
        }
    }
    for (int b = 0; b < m->nblock; b++)
        bad += hits[b] != 1;
    free(hits), free(sent), free(got);
    return bad;
}

static int64_t moves_check(const struct sl_hierarchy *old, const struct paint *before,
                           const struct sl_hierarchy *now)
{
    struct sl_moves moves;
    int64_t bad = 0;
    assert_int_equal(sl_moves_make(old, now, &moves), SL_OK);
    struct moving w = {old, now, before, &moves};
    bad += moves.first[0] != 0 || moves.first[SL_LEVELS] != moves.nmove;
    for (int l = 0; l < now->nlevel; l++)
        bad += level_moves_check(&w, l);
    sl_moves_release(&moves);
    return bad;
}

/* ---- storms ---------------------------------------------------------------------------------- */

static struct sl_mesh_spec spec_random(int dim)
{
    static const int most[4] = {0, 7, 4, 3};
    struct sl_mesh_spec s = {
        .dim = dim, .ghost = pick(1, dim == 3 ? 2 : 3), .staggered = pick(0, 1)};
    for (int a = 0; a < dim; a++) {
        s.block[a] = 2 * s.ghost + 2 + 2 * pick(0, 1);
        s.cells[a] = s.block[a] * pick(1, most[dim]);
        s.lo[a] = -2;
        s.hi[a] = -2 + 0.25 * s.cells[a];
        enum sl_boundary kind = pick(0, 1) ? SL_BOUNDARY_periodic : SL_BOUNDARY_outflow;
        s.boundary[2 * a] = s.boundary[2 * a + 1] = kind;
    }
    return s;
}

static void spec_print(const struct sl_mesh_spec *s, int step)
{
    print_message("seed %llu step %d: %dD cells %d %d %d block %d %d %d ghost %d boundary %d %d %d "
                  "faces %d\n",
                  (unsigned long long)seed, step, s->dim, s->cells[0], s->cells[1], s->cells[2],
                  s->block[0], s->block[1], s->block[2], s->ghost, s->boundary[0], s->boundary[2],
                  s->boundary[4], s->staggered);
}

static signed char *wants_of(const struct sl_hierarchy *h, const struct paint *p,
                             const signed char *all)
{
    int n = sl_hierarchy_curve(h, NULL, NULL), k = 0;
    signed char *own = make((size_t)n, 1);
    for (int i = 0; i < p->nleaf; i++)
        if (p->owner[i] == h->level[0]->rank) own[k++] = all[i];
    assert_int_equal(k, n);
    return own;
}

static const double weights[SL_LEVELS] = {1,   2,   4,    8,    16,   32,   64,    128,
                                          256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

static int64_t nests_check(const struct sl_hierarchy *h, const struct paint *p)
{
    int64_t bad = h->nest[0] != NULL;
    for (int l = 0; l < h->nlevel; l++)
        bad += ghosts_check(p, h->level[l]);
    for (int l = 1; l < h->nlevel; l++) {
        struct two t = {p, h->level[l - 1], h->level[l], h->nest[l]};
        bad += prolong_check(&t) + cover_check(&t) + reflux_check(&t);
    }
    return bad;
}

/* Ranks have shares that are as even as leaves allow. */
static int64_t shares_check(const struct paint *p, int size)
{
    int64_t bad = 0;
    double total = 0, most = 0;
    for (int i = 0; i < p->nleaf; i++) {
        double w = weights[p->leaf[i].level];
        total += w;
        if (w > most) most = w;
    }
    for (int r = 0; r < size; r++) {
        double sum = 0;
        for (int i = 0; i < p->nleaf; i++)
            sum += p->owner[i] == r ? weights[p->leaf[i].level] : 0;
        bad += fabs(sum - total / size) > most * 1.001;
    }
    return bad;
}

static bool same_leaves(const struct paint *a, const struct paint *b)
{
    bool same = a->nleaf == b->nleaf;
    for (int i = 0; same && i < a->nleaf; i++)
        same = a->leaf[i].level == b->leaf[i].level &&
               memcmp(a->leaf[i].at, b->leaf[i].at, sizeof a->leaf[i].at) == 0;
    return same;
}

/* The hierarchy of the same leaves is the same, also on which ranks. */
static int64_t list_check(const struct paint *p)
{
    struct sl_hierarchy *h = NULL;
    assert_int_equal(sl_hierarchy_of(MPI_COMM_WORLD, &p->spec, p->nleaf, p->leaf, weights, &h),
                     SL_OK);
    struct paint q = paint_of(h, p->fine);
    int64_t bad = !same_leaves(p, &q);
    for (int i = 0; i < p->nleaf && bad == 0; i++)
        bad += p->owner[i] != q.owner[i];
    bad += blocks_check(h, &q);
    paint_release(&q);
    sl_hierarchy_free(h);
    return bad;
}

/* The hierarchy of a storm on all ranks, and the same on one. */
struct storm {
    struct sl_hierarchy *all, *alone;
    struct paint paint;
    int fine;
};

static void storm_begin(struct storm *s, const struct sl_mesh_spec *spec, int fine)
{
    assert_int_equal(sl_hierarchy_new(MPI_COMM_WORLD, spec, &s->all), SL_OK);
    assert_int_equal(sl_hierarchy_new(MPI_COMM_SELF, spec, &s->alone), SL_OK);
    s->fine = fine;
    s->paint = paint_of(s->all, fine);
}

static void storm_end(struct storm *s)
{
    paint_release(&s->paint);
    sl_hierarchy_free(s->all);
    sl_hierarchy_free(s->alone);
}

static struct sl_hierarchy *next_of(struct sl_hierarchy *h, const struct paint *p,
                                    const signed char *want, int most, int *changed)
{
    struct sl_hierarchy *next = NULL;
    signed char *own = wants_of(h, p, want);
    assert_int_equal(sl_hierarchy_adapt(h, own, most, weights, NULL, changed, &next), SL_OK);
    assert_int_equal(next != NULL, *changed);
    free(own);
    return next;
}

static int64_t storm_check(const struct storm *s, const struct sl_hierarchy *now,
                           const struct paint *p, const struct sl_hierarchy *alone, int step)
{
    struct paint q = paint_of(alone, s->fine);
    int64_t bad = !same_leaves(p, &q);
    paint_release(&q);
    bad += balance_check(p) + blocks_check(now, p) + nests_check(now, p);
    bad += moves_check(s->all, &s->paint, now) + shares_check(p, now->level[0]->size);
    if (step % 3 == 0) bad += list_check(p);
    return bad;
}

/* One step; returns the number of errors. */
static int64_t storm_step(struct storm *s, int most, int step)
{
    struct paint *p = &s->paint;
    int changed, changed_alone;
    signed char *want = make((size_t)p->nleaf, 1);
    for (int i = 0; i < p->nleaf; i++)
        want[i] = (signed char)want_of(&p->leaf[i], seed + (uint64_t)step, p->nleaf > 800);
    int *level = levels_next(p, want, most);
    struct sl_hierarchy *now = next_of(s->all, p, want, most, &changed);
    struct paint single = paint_of(s->alone, s->fine);
    struct sl_hierarchy *alone = next_of(s->alone, &single, want, most, &changed_alone);
    paint_release(&single);
    int64_t bad = changed != changed_alone || changed != (levels_check(p, level) > 0);
    if (changed && bad == 0) {
        struct paint q = paint_of(now, s->fine);
        bad += levels_check(&q, level) + storm_check(s, now, &q, alone, step);
        sl_hierarchy_free(s->all), sl_hierarchy_free(s->alone);
        paint_release(p);
        s->all = now, s->alone = alone, *p = q;
    }
    free(want), free(level);
    return bad;
}

static void storms(int dim, int count, int steps)
{
    static const int finest[4] = {0, 6, 4, 3};
    for (int i = 0; i < count; i++) {
        struct sl_mesh_spec spec = spec_random(dim);
        struct storm s;
        int most = pick(finest[dim] - 1, finest[dim]);
        storm_begin(&s, &spec, finest[dim]);
        for (int step = 0; step < steps; step++) {
            int64_t bad = storm_step(&s, most, step);
            if (bad) spec_print(&spec, step);
            assert_on_all(bad);
        }
        storm_end(&s);
    }
}

static void storms_1d(void **state)
{
    (void)state;
    storms(1, 12, 8);
}

static void storms_2d(void **state)
{
    (void)state;
    storms(2, 8, 6);
}

static void storms_3d(void **state)
{
    (void)state;
    storms(3, 4, 5);
}

/* ---- the first and the last level ------------------------------------------------------------ */

/* Whether the one level of h is a mesh as m. */
static bool is_mesh(const struct sl_hierarchy *h, const struct sl_mesh *m)
{
    const struct sl_mesh *n = h->level[0];
    bool same = h->nlevel == 1 && n->nblock == m->nblock && n->nleaf == m->nleaf &&
                n->first_gid == m->first_gid && n->nblock_global == m->nblock_global &&
                h->nleaf_global == m->nblock_global && h->count[0] == m->nblock_global &&
                sl_hierarchy_curve(h, NULL, NULL) == m->nblock;
    for (int b = 0; b < m->nblock && same; b++)
        same = memcmp(&n->blocks[b], &m->blocks[b], sizeof *m->blocks) == 0;
    return same;
}

static void first_is_the_mesh(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++) {
        struct sl_mesh_spec spec = spec_random(1 + i % 3);
        struct sl_hierarchy *h;
        struct sl_mesh *m;
        if (i < 12)
            assert_int_equal(sl_hierarchy_new(MPI_COMM_WORLD, &spec, &h), SL_OK);
        else
            assert_int_equal(sl_hierarchy_uniform(MPI_COMM_WORLD, &spec, &h), SL_OK);
        assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &spec, &m), SL_OK);
        bool bad = !is_mesh(h, m);
        if (bad) spec_print(&spec, 0);
        assert_on_all(bad);
        sl_mesh_free(m);
        sl_hierarchy_free(h);
    }
}

/* It takes blocks that could not be refined, has no list of all blocks, and stays as it is. */
static void uniform(void **state)
{
    (void)state;
    struct sl_mesh_spec odd = {2, {15, 6}, {5, 6}, {0, 0}, {1, 1}, 3, {0}, 0};
    struct sl_mesh_spec none = {1, {15}, {4}, {0}, {1}, 3, {0}, 0};
    struct sl_hierarchy *h = NULL, *next = NULL;
    signed char want[3] = {1, 1, 1};
    int changed = 0;
    assert_int_equal(sl_hierarchy_uniform(MPI_COMM_WORLD, &none, &h), SL_EINPUT);
    assert_null(h);
    assert_int_equal(sl_hierarchy_uniform(MPI_COMM_WORLD, &odd, &h), SL_OK);
    assert_int_equal(h->nleaf_global, 3);
    assert_null(h->all);
    assert_int_equal(sl_hierarchy_adapt(h, want, 1, weights, NULL, &changed, &next), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "mesh.levels: 0"));
    assert_null(next);
    sl_hierarchy_free(h);
}

/* One corner refined as far as it goes, which takes its neighbours along, and all merged again. */
static void deep(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++) {
        struct sl_mesh_spec spec = {dim, {12, 8, 4}, {4, 4, 4}, {0}, {1, 1, 1}, 1, {0}, 0};
        struct sl_hierarchy *h, *next;
        assert_int_equal(sl_hierarchy_new(MPI_COMM_WORLD, &spec, &h), SL_OK);
        int most = sl_hierarchy_most(h), changed = 1;
        assert_int_equal(most, SL_LEVELS - 1);
        int64_t root = h->nleaf_global;
        for (int step = 0; step < 2 * SL_LEVELS + 2; step++) {
            int n = sl_hierarchy_curve(h, NULL, NULL);
            int *level = make((size_t)n, sizeof(int)), *block = make((size_t)n, sizeof(int));
            signed char *want = make((size_t)n, 1);
            sl_hierarchy_curve(h, level, block);
            for (int i = 0; i < n; i++) {
                const struct sl_block *b = &h->level[level[i]]->blocks[block[i]];
                bool corner = b->at[0] == 0 && b->at[1] == 0 && b->at[2] == 0;
                want[i] = step > SL_LEVELS ? -1 : corner;
            }
            assert_int_equal(
                sl_hierarchy_adapt(h, want, SL_LEVELS + 5, weights, NULL, &changed, &next), SL_OK);
            free(level), free(block), free(want);
            assert_int_equal(changed, step < most || (step > SL_LEVELS && h->nlevel > 1));
            if (!changed) continue;
            sl_hierarchy_free(h);
            h = next;
            if (step < most) assert_int_equal(h->nlevel, step + 2);
        }
        assert_int_equal(h->nleaf_global, root);
        sl_hierarchy_free(h);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void list_refused(const struct sl_mesh_spec *spec, int n,
                         const struct sl_hierarchy_leaf *leaf, const char *text)
{
    struct sl_hierarchy *h = NULL;
    assert_int_equal(sl_hierarchy_of(MPI_COMM_WORLD, spec, n, leaf, weights, &h), SL_EINPUT);
    assert_null(h);
    if (!strstr(sl_error_text(), text))
        fail_msg("\"%s\" does not hold \"%s\"", sl_error_text(), text);
}

static void refusals(void **state)
{
    (void)state;
    struct sl_hierarchy *h = NULL;
    struct sl_mesh_spec odd = {1, {15}, {5}, {0}, {1}, 1, {0}, 0};
    struct sl_mesh_spec thin = {1, {12}, {6}, {0}, {1}, 3, {0}, 0};
    struct sl_mesh_spec line = {1, {8}, {4}, {0}, {1}, 1, {0}, 0};
    struct sl_mesh_spec flat = {2, {4, 4}, {4, 4}, {0, 0}, {1, 1}, 1, {0}, 0};
    assert_int_equal(sl_hierarchy_new(MPI_COMM_WORLD, &odd, &h), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "mesh.block: 5 along x is odd"));
    assert_int_equal(sl_hierarchy_new(MPI_COMM_WORLD, &thin, &h), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "mesh.block: 6 along x is too small"));
    const struct sl_hierarchy_leaf hole[] = {{{0}, 0}, {{2}, 1}};
    const struct sl_hierarchy_leaf twice[] = {{{0}, 0}, {{0}, 0}, {{1}, 0}};
    const struct sl_hierarchy_leaf over[] = {{{0}, 0}, {{1}, 0}, {{2}, 1}, {{3}, 1}};
    const struct sl_hierarchy_leaf turned[] = {{{1}, 0}, {{0}, 0}};
    const struct sl_hierarchy_leaf outside[] = {{{0}, 0}, {{2}, 0}};
    const struct sl_hierarchy_leaf fine[] = {{{0}, 0}, {{1}, SL_LEVELS}};
    const struct sl_hierarchy_leaf steep[] = {{{0}, 0}, {{4}, 2}, {{5}, 2}, {{3}, 1}};
    const struct sl_hierarchy_leaf order[] = {{{0, 0}, 1}, {{0, 1}, 1}, {{1, 0}, 1}, {{1, 1}, 1}};
    list_refused(&line, 2, hole, "do not tile");
    list_refused(&line, 3, twice, "do not tile");
    list_refused(&line, 4, over, "do not tile");
    list_refused(&line, 2, turned, "do not tile");
    list_refused(&line, 2, outside, "outside the box");
    list_refused(&line, 2, fine, "too fine");
    list_refused(&line, 4, steep, "differ by more than a level");
    list_refused(&flat, 4, order, "not in order");
    list_refused(&line, 0, order, "0 blocks");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),  cmocka_unit_test(first_is_the_mesh),
        cmocka_unit_test(uniform),   cmocka_unit_test(deep),
        cmocka_unit_test(storms_1d), cmocka_unit_test(storms_2d),
        cmocka_unit_test(storms_3d),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
