/* pencils.h - how many ranks hold the same planes of a uniform grid, and what the potential of its
 * gas takes of the memory of a rank: what core/grid/pencil.h and core/gravity do, known to the plan
 * of a campaign, too.
 *
 * Shapes  n: cells along each axis, 1 along those that do not exist
 * Units   doubles
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Pekurovsky 2012 (P3DFFT)
 * Tests   tests/law/poisson.c, tests/unit/plan.c
 */
#ifndef SL_SYS_PENCILS_H
#define SL_SYS_PENCILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n lines side by side in `count` batches of n / count or one more. */
struct sl_batches {
    int n, count;
};

/* Batches of at least `least` lines; one batch where there are fewer lines. */
static inline struct sl_batches sl_batches_of(int n, int least)
{
    struct sl_batches b = {n, n < least ? 1 : n / least};
    return b;
}

enum { SL_PENCIL_ROWS = 4 }; /* in a batch */

struct sl_pencils {
    struct sl_batches rows; /* of a plane */
    int py, pz;             /* ranks that hold the same planes, and groups of such ranks */
};

/* The largest share of n things. */
static inline int sl_pencils_share(int n, int ranks)
{
    return (n - 1) / ranks + 1;
}

static inline struct sl_pencils sl_pencils_with(const int n[3], int ranks, int py)
{
    int pz = ranks / py;
    return (struct sl_pencils){sl_batches_of(n[1], SL_PENCIL_ROWS), py,
                               pz < n[2] || py == 1 ? pz : n[2]};
}

/* The groups with which the largest share of rows and planes is smallest; of those alike the
 * smallest groups. A group is one rank as long as there are no more ranks than planes. */
static inline struct sl_pencils sl_pencils_of(const int n[3], int ranks)
{
    struct sl_pencils best = sl_pencils_with(n, ranks, 1);
    int64_t least = INT64_MAX;
    for (int py = 1; ranks > n[2] && py <= ranks && py <= best.rows.count; py++) {
        struct sl_pencils p = sl_pencils_with(n, ranks, py);
        int64_t most = (int64_t)sl_pencils_share(p.rows.count, py) * sl_pencils_share(n[2], p.pz);
        if (most < least) best = p, least = most;
    }
    return best;
}

/* The cells of the arrays of a potential: an isolated one has twice the cells along x and y, and
 * two planes more. */
static inline void sl_potential_cells(const int n[3], bool isolated, int out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = !isolated ? n[d] : d < 2 ? 2 * n[d] : n[d] + 2;
}

/* Arrays of a rank that holds nz planes of ny rows, and after a transpose `lines` rows of all
 * planes. */
struct sl_potential_room {
    size_t planes;  /* with one before the own ones and one behind them */
    size_t columns; /* own planes with the rows of the other ranks; none where planes are whole */
    size_t beside;  /* rows before and after the own ones */
    size_t rows;
    size_t green; /* factors of modes of an isolated potential */
};

static inline struct sl_potential_room
sl_potential_room_of(const int n[3], bool isolated, bool whole, size_t ny, size_t nz, size_t lines)
{
    size_t row = 2 * ((size_t)n[0] / 2 + 1), half = (size_t)n[1] / 2 + 1,
           factors = (lines < half ? lines : half) * ((size_t)n[2] - 1) * (row / 2);
    return (struct sl_potential_room){(nz + 2) * ny * row, whole ? 0 : nz * (size_t)n[1] * row,
                                      2 * nz * row, lines * (size_t)n[2] * row,
                                      isolated ? factors : 0};
}

/* Doubles of the rank that holds the most; cells: of the density. */
static inline double sl_potential_most(const int cells[3], bool isolated, int ranks)
{
    int n[3];
    sl_potential_cells(cells, isolated, n);
    struct sl_pencils p = sl_pencils_of(n, ranks);
    int batch = sl_pencils_share(n[1], p.rows.count),
        ny = batch * sl_pencils_share(p.rows.count, p.py);
    struct sl_potential_room r = sl_potential_room_of(
        n, isolated, p.py == 1, (size_t)(ny < n[1] ? ny : n[1]),
        (size_t)sl_pencils_share(n[2], p.pz), (size_t)sl_pencils_share(n[1], p.pz));
    return (double)(r.planes + r.columns + r.beside + r.rows + r.green);
}

#endif
