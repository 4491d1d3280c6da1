/* edge_register.h - the electric field along the edges on the surfaces of blocks that constrained
 * transport used, kept for the correction where refinement changes (processor).
 *
 * What an edge had in a step, times that step: across each face of a side
 * B_c(after) - B_c(before) = - (E_b(upper along a) - E_b(lower)) / dx_a + (E_a(upper along b) -
 * E_a(lower)) / dx_b, a, b, c in cyclic order. First-order fluxes of repairs are in it. With two
 * axes there are edges along z alone.
 *
 * Shapes  of a block [side: x-, x+, y- ..][axis along the edge, the earlier first][line across
 *         it][cell along it]; a side has one line more than cells. An edge of two sides is there
 *         twice
 * Units   code units: those of the field times a length
 * Errors  SL_EINPUT, SL_EMEM; on error nothing has changed
 * Owns    the registers, which work->edges points to
 * MPI     local
 * Where   host
 * Refs    Berger & Colella 1989; Balsara 2001
 * Tests   tests/law/register.c
 */
#ifndef SL_STEP_EDGE_REGISTER_H
#define SL_STEP_EDGE_REGISTER_H

#include "core/step/stage_sums.h"
#include "core/step/work.h"

/* Whether a side across an axis has edges along another. */
SL_FN int sl_edge_is(int dim, int axis, int along)
{
    return axis != along && axis < dim && (dim > 2 || (dim == 2 && along == 2));
}

/* Where the edges along an axis on a side begin within the values of a block. */
SL_FN size_t sl_edge_start(int dim, const int n[3], int axis, int upper, int along)
{
    size_t at = 0;
    for (int side = 0; side <= 2 * axis + upper; side++)
        for (int c = 0; c < 3; c++) {
            if (side == 2 * axis + upper && c == along) return at;
            if (sl_edge_is(dim, side / 2, c))
                at += (size_t)n[c] * (size_t)(n[3 - side / 2 - c] + 1);
        }
    return at;
}

/* Values of a block. */
SL_FN size_t sl_edge_values(int dim, const int n[3])
{
    return sl_edge_start(dim, n, dim - 1, 1, 3);
}

struct sl_edges {
    struct sl_stage_sums sums;
    int *slot[2]; /* owned; [fine, coarse][block]: place in the list, or -1 */
};

/* From the next step on the edges of these blocks are kept, of the fine ones in sums over steps
 * (backend.h). */
int sl_edges_set(struct sl_sim *sim, const int *fine, int nfine, const int *coarse, int ncoarse);
void sl_edges_free(struct sl_edges *edges);

/* The values of a block of the fine and of the coarse list. */
const sl_real *sl_edges_fine(const struct sl_sim *sim, int place);
const sl_real *sl_edges_coarse(const struct sl_sim *sim, int place);

/* Where a stage of a block puts its edges; count 0: nowhere. */
struct sl_edge_keep {
    const struct sl_stage_sums *sums;
    int count;
    size_t start[2];
};
struct sl_edge_keep sl_edges_keep(const struct sl_sim *sim, const struct sl_stage *stage,
                                  int block);

#endif
