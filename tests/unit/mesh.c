/* mesh.c - every ghost cell of every block against what the global grid has there, in 1D, 2D and
 * 3D, for random grids, blocks, boundaries and numbers of variables, in cells and on faces;
 * coordinates, sums and numbering for any block size and number of ranks; refusals. ranks: 1 2 3 7
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

#include "core/mesh/mesh.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static uint64_t seed = 20240611;

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

/* ---- a field known everywhere ---------------------------------------------------------------- */

static double grid_value(int v, const int at[3])
{
    uint64_t h = mix((uint64_t)v + 1);
    for (int a = 0; a < 3; a++)
        h = mix(h ^ (uint64_t)(at[a] + 1000));
    return 1 + (double)(h >> 12) * 0x1p-52;
}

static void fixed_value(const void *data, const double lo[3], const double hi[3], double time,
                        sl_real *value)
{
    const int *nvar = data;
    for (int v = 0; v < *nvar; v++)
        value[v] = 1000 * (v + 1) + time + lo[0] + 8 * hi[1] + 64 * lo[2] + 0.5 * hi[0];
}

/* Cells are 1/4 wide from -2 on, so that their corners are exact. */
static double corner(const struct sl_mesh_spec *s, int a, int i)
{
    return a < s->dim ? -2 + 0.25 * i : i;
}

/* 1 where v lives on the faces across axis a: those on both faces of the box belong to it. */
static int on_faces(const struct sl_ghost_arg *arg, int v, int a)
{
    return arg->face > 0 && v == arg->face + a;
}

/* Value of variable v in cell `at` of the global grid, which may lie outside the box: conditions
 * are undone from the last axis to the first. */
static double expected(const struct sl_mesh_spec *s, const struct sl_ghost_arg *arg, int v,
                       const int cell[3])
{
    int at[3] = {cell[0], cell[1], cell[2]};
    double sign = 1;
    for (int a = s->dim - 1; a >= 0; a--) {
        int kind = s->boundary[at[a] < 0 ? 2 * a : 2 * a + 1], face = on_faces(arg, v, a);
        int n = s->cells[a] + (face && kind != SL_BOUNDARY_periodic);
        if (at[a] >= 0 && at[a] < n) continue;
        if (kind == SL_BOUNDARY_outflow) at[a] = at[a] < 0 ? 0 : n - 1;
        if (sl_boundary_is_wall((enum sl_boundary)kind)) {
            int symmetric = kind == SL_BOUNDARY_symmetric;
            at[a] = at[a] < 0 ? face - 1 - at[a] : 2 * n - 1 - face - at[a];
            if ((arg->vector >= 0 && v == arg->vector + a) ||
                (arg->face > 0 && v >= arg->face && face != symmetric))
                sign = -sign;
        }
        if (kind == SL_BOUNDARY_fixed) {
            double lo[3], hi[3];
            sl_real value[16];
            for (int b = 0; b < 3; b++)
                lo[b] = corner(s, b, at[b]), hi[b] = corner(s, b, at[b] + 1);
            fixed_value(arg->data, lo, hi, arg->time, value);
            return sign * value[v];
        }
    }
    for (int a = 0; a < s->dim; a++)
        if (s->boundary[2 * a] == SL_BOUNDARY_periodic) at[a] = (at[a] + s->cells[a]) % s->cells[a];
    return sign * grid_value(v, at);
}

static void cell_of(const struct sl_mesh *m, int b, size_t index, int at[3])
{
    int local[3] = {(int)(index % (size_t)m->nt[0]), (int)(index / (size_t)m->nt[0]) % m->nt[1],
                    (int)(index / (size_t)m->nt[0] / (size_t)m->nt[1])};
    for (int a = 0; a < 3; a++)
        at[a] = (int)m->blocks[b].at[a] * m->n[a] + local[a] - m->g[a];
}

static bool is_ghost(const struct sl_mesh *m, const struct sl_ghost_arg *arg, int v, int b,
                     const int at[3])
{
    for (int a = 0; a < 3; a++) {
        int local = at[a] - (int)m->blocks[b].at[a] * m->n[a];
        bool end = m->blocks[b].at_edge[2 * a + 1] && on_faces(arg, v, a);
        if (local < 0 || local >= m->n[a] + end) return true;
    }
    return false;
}

static void field_set(const struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u)
{
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < arg->nvar; v++)
            for (size_t i = 0; i < m->block_cells; i++) {
                int at[3];
                cell_of(m, b, i, at);
                *u++ = is_ghost(m, arg, v, b, at) ? NAN : grid_value(v, at);
            }
}

/* Whether a cell lies outside a block along more than one axis. */
static bool beyond_edge(const struct sl_mesh *m, int b, const int at[3])
{
    int out = 0;
    for (int a = 0; a < 3; a++) {
        int local = at[a] - (int)m->blocks[b].at[a] * m->n[a];
        out += local < 0 || local >= m->n[a];
    }
    return out > 1;
}

/* Value of a cell of a block (local: counted from its first interior cell), where `beyond` says
 * when that lies across y or z. */
static double value_at(const struct sl_mesh *m, const struct sl_ghost_arg *arg, const sl_real *u,
                       int b, int v, const int local[3], const struct sl_beyond *beyond)
{
    for (int a = 1; a < m->dim && beyond; a++) {
        if (local[a] >= 0 && local[a] < m->n[a]) continue;
        const struct sl_layer *s = &beyond->face[a][local[a] >= 0];
        int at[3] = {local[0], local[1], local[2]};
        at[a] -= local[a] < 0 ? -m->g[a] : m->n[a];
        return s->at[v * s->var + at[2] * s->plane + at[1] * s->row + at[0]];
    }
    return u[sl_mesh_at(m, arg->nvar, b, v, local[2] + m->g[2], local[1] + m->g[1],
                        local[0] + m->g[0])];
}

static int64_t block_check(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                           const sl_real *u, int b, const struct sl_beyond *beyond)
{
    int64_t bad = 0;
    for (int v = 0; v < arg->nvar; v++)
        for (size_t i = 0; i < m->block_cells; i++) {
            int at[3], local[3];
            cell_of(m, b, i, at);
            if (arg->faces_only && beyond_edge(m, b, at)) continue;
            for (int a = 0; a < 3; a++)
                local[a] = at[a] - (int)m->blocks[b].at[a] * m->n[a];
            double got = value_at(m, arg, u, b, v, local, beyond);
            double want = expected(&m->spec, arg, v, at);
            if (got == want) continue;
            if (bad++ == 0)
                print_error("block %d var %d cell (%d, %d, %d): %.17g, not %.17g\n", b, v, at[0],
                            at[1], at[2], got, want);
        }
    return bad;
}

/* ---- ghost cells ----------------------------------------------------------------------------- */

static struct sl_mesh_spec spec_random(int dim)
{
    static const int most[4] = {0, 9, 5, 3};
    struct sl_mesh_spec s = {.dim = dim, .ghost = pick(1, 3), .staggered = pick(0, 1)};
    for (int a = 0; a < dim; a++) {
        s.block[a] = pick(4, 7);
        s.cells[a] = s.block[a] * pick(1, most[dim]);
        s.lo[a] = -2;
        s.hi[a] = -2 + 0.25 * s.cells[a];
        bool periodic = pick(0, 1);
        for (int side = 0; side < 2; side++)
            s.boundary[2 * a + side] = (enum sl_boundary)(
                periodic ? SL_BOUNDARY_periodic : pick(SL_BOUNDARY_outflow, SL_BOUNDARY_fixed));
    }
    return s;
}

static void spec_print(const struct sl_mesh_spec *s, int nvar)
{
    print_message("seed %llu: %dD cells %d %d %d block %d %d %d ghost %d boundary",
                  (unsigned long long)seed, s->dim, s->cells[0], s->cells[1], s->cells[2],
                  s->block[0], s->block[1], s->block[2], s->ghost);
    for (int f = 0; f < 2 * s->dim; f++)
        print_message(" %d", s->boundary[f]);
    print_message(" variables %d, on faces %d\n", nvar, s->staggered);
}

/* Counts what is sent, by standing before the MPI library's own function. */
static int sent;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    sent++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

/* Changes the sign of all that is not a ghost, as work in place would change the values. */
static void interior_flip(const struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u,
                          int b)
{
    u += (size_t)b * (size_t)arg->nvar * m->block_cells;
    for (int v = 0; v < arg->nvar; v++)
        for (size_t i = 0; i < m->block_cells; i++, u++) {
            int at[3];
            cell_of(m, b, i, at);
            if (!is_ghost(m, arg, v, b, at)) *u = -*u;
        }
}

/* A block must be complete when it was visited, and may be overwritten from then on. */
static int64_t visit(struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u, int remote)
{
    int64_t bad = 0;
    struct sl_beyond beyond;
    for (int b = 0; b < m->nblock; b++) {
        if (m->blocks[b].remote != remote) continue;
        sl_ghost_block(m, arg, u, b, &beyond);
        bad += block_check(m, arg, u, b, arg->direct ? &beyond : NULL);
        if (!arg->out_of_place) interior_flip(m, arg, u, b);
    }
    return bad;
}

static int64_t fill_in_parts(struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u)
{
    int64_t bad = 0;
    assert_int_equal(sl_ghost_begin(m, arg, u), SL_OK);
    bad += visit(m, arg, u, 0);
    assert_int_equal(sl_ghost_end(m, arg, u), SL_OK);
    bad += visit(m, arg, u, 1);
    for (int b = 0; b < m->nblock && !arg->out_of_place; b++)
        interior_flip(m, arg, u, b);
    return bad;
}

static int64_t fill(struct sl_mesh *m, const struct sl_ghost_arg *arg, bool parts, sl_real *u)
{
    sent = 0;
    int64_t bad = 0;
    if (parts)
        bad = fill_in_parts(m, arg, u);
    else
        assert_int_equal(sl_ghost_fill(m, arg, u), SL_OK);
    bad += sent > m->size - 1;
    for (int b = 0; b < m->nblock && !arg->direct; b++)
        bad += block_check(m, arg, u, b, NULL);
    return bad;
}

/* How ghost cells are asked for: all at once or block by block, all or across faces, all or those
 * that are not read where they lie, in work in place or not. */
struct way {
    int parts, faces_only, direct, out_of_place;
};

static void ghosts_try(const struct sl_mesh_spec *s, int nvar)
{
    static const struct way ways[] = {{0},          {0},          {1, 0, 0, 0},
                                      {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    struct sl_mesh *m;
    assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, s, &m), SL_OK);
    for (size_t pass = 0; pass < sizeof ways / sizeof *ways; pass++) {
        int n = pass == 0 ? 1 : nvar; /* buffers must grow once and be used twice */
        struct sl_ghost_arg arg = {.nvar = n,
                                   .vector = n > 3 ? n - 4 : -1,
                                   .faces_only = ways[pass].faces_only,
                                   .direct = ways[pass].direct,
                                   .out_of_place = ways[pass].out_of_place,
                                   .time = 0.5,
                                   .fixed = fixed_value,
                                   .data = &n};
        if (s->staggered && n > s->dim) arg.face = n - s->dim;
        if (arg.face && arg.faces_only) continue;
        sl_real *u;
        assert_int_equal(sl_alloc("field", sl_mesh_size(m, n), sizeof *u, &u), SL_OK);
        field_set(m, &arg, u);
        int64_t bad = fill(m, &arg, ways[pass].parts, u);
        if (bad) spec_print(s, n);
        free(u);
        assert_on_all(bad);
    }
    sl_mesh_free(m);
}

static void ghosts_random(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++)
        for (int i = 0; i < 24; i++) {
            struct sl_mesh_spec s = spec_random(dim);
            ghosts_try(&s, pick(1, 6));
        }
}

static void ghosts_chosen(void **state)
{
    (void)state;
    static const struct sl_mesh_spec specs[] = {
        {1, {4}, {4}, {-2}, {-1}, 3, {0}, 0},
        {1, {40}, {4}, {-2}, {8}, 3, {0}, 0},
        {2, {4, 4}, {4, 4}, {-2, -2}, {-1, -1}, 3, {0}, 0},
        {2, {4, 8}, {4, 4}, {-2, -2}, {-1, 0}, 3, {0}, 0},
        {3, {4, 4, 4}, {4, 4, 4}, {-2, -2, -2}, {-1, -1, -1}, 3, {0}, 0},
        {3, {4, 8, 4}, {4, 4, 4}, {-2, -2, -2}, {-1, 0, -1}, 2, {0}, 0},
        {3, {12, 20, 8}, {4, 4, 4}, {-2, -2, -2}, {1, 3, 0}, 2, {0}, 0},
        {3, {16, 16, 16}, {4, 4, 4}, {-2, -2, -2}, {2, 2, 2}, 3, {0}, 0},
        {3, {16, 16, 16}, {8, 8, 8}, {-2, -2, -2}, {2, 2, 2}, 2, {0, 0, 1, 2, 3, 3}, 0},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        ghosts_try(&specs[i], 5);
}

/* ---- numbering, coordinates, sums ------------------------------------------------------------ */

static void every_block_once(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        struct sl_mesh_spec s = spec_random(1 + i % 3);
        struct sl_mesh *m;
        assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &s, &m), SL_OK);
        int root[3], seen[1024] = {0};
        for (int a = 0; a < 3; a++)
            root[a] = m->spec.cells[a] / m->n[a];
        int64_t bad = m->nblock_global != (int64_t)root[0] * root[1] * root[2];
        for (int b = 0; b < m->nblock; b++) {
            const struct sl_block *block = &m->blocks[b];
            seen[(block->at[2] * root[1] + block->at[1]) * root[0] + block->at[0]]++;
            bad += block->gid != m->first_gid + b || block->level != 0;
        }
        MPI_Allreduce(MPI_IN_PLACE, seen, 1024, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < 1024; k++)
            bad += seen[k] != (k < m->nblock_global);
        int most = m->nblock, least = m->nblock;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        bad += most > least + 1;
        if (bad) spec_print(&s, 0);
        assert_on_all(bad);
        sl_mesh_free(m);
    }
}

/* Lower face of a cell by its place in the whole box, and that it lies where it should. */
static double face_of(const struct sl_mesh_spec *s, int dim, int a, int at, int64_t *bad)
{
    double n = s->cells[a], lo = s->lo[a], hi = s->hi[a];
    double face = a < dim ? ((n - at) * lo + at * hi) / n : lo + at;
    double mirrored = a < dim ? ((n - (n - at)) * -hi + (n - at) * -lo) / n : -face;
    *bad += mirrored != -face;
    *bad += a < dim && !(fabs(face - (lo + at * ((hi - lo) / n))) <= 1e-13 * (fabs(lo) + fabs(hi)));
    return face;
}

/* Cells have the bits that their place in the whole box gives them, where corners are not exact. */
static int64_t coordinates_check(const struct sl_mesh *m, int b)
{
    const struct sl_mesh_spec *s = &m->spec;
    int64_t bad = 0;
    int first[3];
    cell_of(m, b, 0, first);
    for (size_t c = 0; c < m->block_cells; c++) {
        int at[3];
        double lo[3], hi[3];
        cell_of(m, b, c, at);
        sl_mesh_cell(m, b, at[2] - first[2], at[1] - first[1], at[0] - first[0], lo, hi);
        for (int a = 0; a < 3; a++) {
            double dx = (s->hi[a] - s->lo[a]) / s->cells[a];
            bad += lo[a] != face_of(s, m->dim, a, at[a], &bad);
            bad += hi[a] != face_of(s, m->dim, a, at[a] + 1, &bad);
            bad += m->blocks[b].dx[a] != dx;
            bad += m->blocks[b].lo[a] != face_of(s, m->dim, a, first[a] + m->g[a], &bad);
        }
    }
    return bad;
}

static void coordinates_of_any_block(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct sl_mesh_spec s = spec_random(1 + i % 3);
        for (int a = 0; a < s.dim; a++) {
            s.lo[a] = 0.1 * pick(-1000, 1000) / 7;
            s.hi[a] = s.lo[a] + 0.1 * pick(1, 1000);
        }
        struct sl_mesh *m;
        assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &s, &m), SL_OK);
        int64_t bad = 0;
        for (int b = 0; b < m->nblock; b++)
            bad += coordinates_check(m, b);
        if (bad) spec_print(&s, 0);
        assert_on_all(bad);
        sl_mesh_free(m);
    }
}

static double block_value(int64_t gid, int i)
{
    return ldexp((double)mix((uint64_t)(3 * gid + i + 1)), (int)(gid % 40) - 80);
}

/* The sums that one rank makes of all blocks, the last block first. */
static void sum_backwards(const struct sl_mesh_spec *s, double *sum)
{
    struct sl_mesh *m;
    double *value;
    assert_int_equal(sl_mesh_new(MPI_COMM_SELF, s, &m), SL_OK);
    assert_int_equal(sl_alloc("values", 3 * (size_t)m->nblock, sizeof *value, &value), SL_OK);
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < 3; k++)
            value[3 * b + k] = block_value(m->nblock - 1 - b, k);
    assert_int_equal(sl_mesh_sum(m, 3, value, sum), SL_OK);
    free(value);
    sl_mesh_free(m);
}

static void sum_has_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct sl_mesh_spec s = spec_random(1 + i % 3);
        struct sl_mesh *m;
        assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &s, &m), SL_OK);
        double *value, sum[3], want[3];
        assert_int_equal(sl_alloc("values", 3 * (size_t)m->nblock, sizeof *value, &value), SL_OK);
        for (int b = 0; b < m->nblock; b++)
            for (int k = 0; k < 3; k++)
                value[3 * b + k] = block_value(m->blocks[b].gid, k);
        assert_int_equal(sl_mesh_sum(m, 3, value, sum), SL_OK);
        sum_backwards(&s, want);
        assert_on_all(memcmp(sum, want, sizeof sum) != 0);
        free(value);
        sl_mesh_free(m);
    }
}

/* Terms of 1e14 that cancel leave the last one exactly; a value that is no number is not lost. */
static void sum_is_exact(void **state)
{
    (void)state;
    struct sl_mesh_spec s = {1, {36}, {4}, {0}, {1}, 2, {0}, 0};
    struct sl_mesh *m;
    double value[2 * 9] = {0}, sum[2];
    assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &s, &m), SL_OK);
    assert_int_equal(m->nblock_global, 9);
    for (int b = 0; b < m->nblock; b++) {
        int64_t gid = m->blocks[b].gid;
        value[2 * b] = gid == 8 ? 0x3p-30 : gid % 2 ? -1e15 / 7 : 1e15 / 7;
        value[2 * b + 1] = gid == 4 ? (double)NAN : 1;
    }
    assert_int_equal(sl_mesh_sum(m, 2, value, sum), SL_OK);
    assert_true(sum[0] == 0x3p-30);
    assert_true(isnan(sum[1]));
    sl_mesh_free(m);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        struct sl_mesh_spec spec;
        const char *text;
    } cases[] = {
        {{2, {128, 96}, {24, 24}, {0, 0}, {1, 1}, 2, {0}, 0},
         "mesh.block: 24 along x does not divide mesh.cells 128; the nearest size that does is 16"},
        {{2, {64, 97}, {16, 16}, {0, 0}, {1, 1}, 2, {0}, 0},
         "mesh.block: 16 along y does not divide mesh.cells 97; the nearest size that does is 97"},
        {{1, {64}, {2}, {0}, {1}, 2, {0}, 0}, "the nearest size for 64 cells is 4"},
        {{1, {60}, {4}, {0}, {1}, 5, {0}, 0}, "the nearest size for 60 cells is 5"},
        {{1, {60}, {0}, {0}, {1}, 2, {0}, 0}, "mesh.block: 0 along x is too small"},
        {{3, {16, 16, 3}, {8, 8, 3}, {0, 0, 0}, {1, 1, 1}, 2, {0}, 0},
         "mesh.cells: 3 along z is too few"},
        {{2, {16, 16}, {8, 8}, {0, 0}, {1, 1}, 2, {0, 0, 1, 0}, 0},
         "y- and y+ must both be periodic"},
        {{2, {16, 16}, {8, 8}, {0, 1}, {1, 1}, 2, {0}, 0}, "along y the box [1, 1] is empty"},
        {{1, {16}, {8}, {0}, {INFINITY}, 2, {0}, 0}, "not finite"},
        {{1, {16}, {8}, {0}, {1}, 0, {0}, 0}, "at least 1 ghost cell"},
        {{4, {16}, {8}, {0}, {1}, 2, {0}, 0}, "4 dimensions"},
        {{3, {1048576, 1048576, 1048576}, {4, 4, 4}, {0, 0, 0}, {1, 1, 1}, 2, {0}, 0},
         "larger blocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_mesh *m = NULL;
        assert_int_equal(sl_mesh_new(MPI_COMM_WORLD, &cases[i].spec, &m), SL_EINPUT);
        assert_null(m);
        if (!strstr(sl_error_text(), cases[i].text))
            fail_msg("\"%s\" does not hold \"%s\"", sl_error_text(), cases[i].text);
    }
}

static void memory_refusals(void **state)
{
    (void)state;
    int *p = NULL;
    assert_int_equal(sl_alloc("a lot", SIZE_MAX / 2, 4, &p), SL_EMEM);
    assert_non_null(strstr(sl_error_text(), "a lot"));
    assert_int_equal(sl_alloc("as much", SIZE_MAX / 4, 2, &p), SL_EMEM);
    assert_null(p);
    assert_int_equal(sl_alloc("nothing", 0, 4, &p), SL_OK);
    assert_int_equal((uintptr_t)p % 64, 0);
    free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_refusals),
        cmocka_unit_test(every_block_once),
        cmocka_unit_test(coordinates_of_any_block),
        cmocka_unit_test(sum_has_the_same_bits),
        cmocka_unit_test(sum_is_exact),
        cmocka_unit_test(ghosts_chosen),
        cmocka_unit_test(ghosts_random),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
