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
 * smallest groups. A group is one rank as long as there are no more ranks than planes, and at most
 * twice as many as give each group one plane: a rank has room for its group's planes, and the layer
 * of an isolated box is a plane too many for groups that just fit. */
static inline struct sl_pencils sl_pencils_of(const int n[3], int ranks)
{
    struct sl_pencils best = sl_pencils_with(n, ranks, 1);
    const int most_py = 2 * sl_pencils_share(ranks, n[2]);
    int64_t least = INT64_MAX;
    for (int py = 1; ranks > n[2] && py <= ranks && py <= most_py && py <= best.rows.count; py++) {
        struct sl_pencils p = sl_pencils_with(n, ranks, py);
        int64_t most = (int64_t)sl_pencils_share(p.rows.count, py) * sl_pencils_share(n[2], p.pz);
        if (most < least) best = p, least = most;
    }
    return best;
}

/* What is around the grid of a potential: the grid again, or nothing, as transforms of twice the
 * cells or charges at the sides have it (core/gravity/poisson.h). */
enum sl_around { SL_AROUND_periodic, SL_AROUND_padded, SL_AROUND_screened };

/* The cells of the arrays of a potential: with nothing around them one layer more on either side,
 * or twice the cells along x and y and two planes more. */
static inline void sl_potential_cells(const int n[3], enum sl_around around, int out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = around == SL_AROUND_periodic          ? n[d]
                 : around == SL_AROUND_padded && d < 2 ? 2 * n[d]
                                                       : n[d] + 2;
}

/* What core/gravity/screen.h and who asks it hold of the sides of a box: parts, what they are made
 * of, their sum and its modes, factors of modes, modes of two sides, a side of twice the cells, two
 * sides. */
static inline size_t sl_potential_sides(const int n[3])
{
    size_t sides = 0, factors = 0, modes = 0, most = 0;
    for (int d = 0; d < 3; d++) {
        size_t n0 = (size_t)n[d == 0], n1 = (size_t)n[d == 2 ? 1 : 2], padded = 2 * n1 * (n0 + 1);
        sides += n0 * n1;
        factors += (n0 + 1) * (n1 + 1);
        modes = padded > modes ? padded : modes;
        most = n0 * n1 > most ? n0 * n1 : most;
    }
    return 6 * sides + 6 * sides + 2 * factors + 4 * modes + 2 * modes + 2 * most;
}

/* Arrays of a rank that holds nz planes of ny rows, and after a transpose `lines` rows of all
 * planes. */
struct sl_potential_room {
    size_t planes;  /* with one before the own ones and one behind them */
    size_t columns; /* own planes with the rows of the other ranks; none where planes are whole */
    size_t beside;  /* rows before and after the own ones */
    size_t rows;
    size_t green; /* factors of modes, of twice the cells */
    size_t sides; /* with charges: modes once more, values at sides (core/gravity/screen.h) */
};

static inline struct sl_potential_room sl_potential_room_of(const int cells[3],
                                                            enum sl_around around, bool whole,
                                                            size_t ny, size_t nz, size_t lines)
{
    int n[3];
    sl_potential_cells(cells, around, n);
    size_t row = 2 * ((size_t)n[0] / 2 + 1), half = (size_t)n[1] / 2 + 1,
           rows = lines * (size_t)n[2],
           factors = (lines < half ? lines : half) * ((size_t)n[2] - 1) * (row / 2);
    return (struct sl_potential_room){
        (nz + 2) * ny * row,
        whole ? 0 : nz * (size_t)n[1] * row,
        2 * nz * row,
        rows * row,
        around == SL_AROUND_padded ? factors : 0,
        around == SL_AROUND_screened ? rows * row + sl_potential_sides(cells) : 0};
}

/* Doubles of the rank that holds the most; cells: of the density. */
static inline double sl_potential_most(const int cells[3], enum sl_around around, int ranks)
{
    int n[3];
    sl_potential_cells(cells, around, n);
    struct sl_pencils p = sl_pencils_of(n, ranks);
    int batch = sl_pencils_share(n[1], p.rows.count),
        ny = batch * sl_pencils_share(p.rows.count, p.py);
    struct sl_potential_room r = sl_potential_room_of(
        cells, around, p.py == 1, (size_t)(ny < n[1] ? ny : n[1]),
        (size_t)sl_pencils_share(n[2], p.pz), (size_t)sl_pencils_share(n[1], p.pz));
    return (double)(r.planes + r.columns + r.beside + r.rows + r.green + r.sides);
}

#endif
