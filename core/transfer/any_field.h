/* any_field.h - transfers of a field of any number of variables, of which nothing is known but its
 * values: means of finer cells, and copies of boxes. The state (cover.c) and a potential
 * (core/gravity/potential_level.c) are such fields.
 *
 * Shapes  u[block][nvar][nt2][nt1][nt0] on the blocks of a mesh
 * Units   any
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     local unless a function says collective
 * Where   host
 * Refs    Berger & Colella 1989, section 3
 * Tests   tests/law/nest.c, tests/law/composite.c
 */
#ifndef SL_TRANSFER_ANY_FIELD_H
#define SL_TRANSFER_ANY_FIELD_H

#include "core/mesh/mesh.h"
#include "core/transfer/level_exchange.h"

/* How cells lie: distances to the next one along each axis, and to the next variable. */
struct sl_cells {
    ptrdiff_t step[3];
    size_t var;
};

/* Those of the blocks of a mesh, and of n cells without gaps. */
static inline struct sl_cells sl_cells_of(const struct sl_mesh *m)
{
    return (struct sl_cells){{1, m->step[1], m->step[2]}, m->block_cells};
}

static inline struct sl_cells sl_cells_packed(const int n[3])
{
    return (struct sl_cells){{1, n[0], (ptrdiff_t)n[0] * n[1]},
                             (size_t)n[0] * (size_t)n[1] * (size_t)n[2]};
}

/* A box of n cells of nvar variables. */
void sl_cells_copy(const int n[3], int nvar, const sl_real *from, const struct sl_cells *from_cells,
                   sl_real *to, const struct sl_cells *to_cells);

/* Index of the first cell of an octant of a block; half NULL: of the block. */
size_t sl_any_octant(const struct sl_mesh *mesh, int nvar, int block, const int half[3]);

/* n cells of a variable become the means of the 2^dim cells from `from` on. */
void sl_any_means(int dim, const int n[3], const sl_real *from, const ptrdiff_t step[3],
                  sl_real *to, const ptrdiff_t to_step[3]);

/* Covered cells become the means of their children, of the first nmean
 * variables: bodies of an exchange of the jobs `cover`, for this struct. */
struct sl_any_cover {
    const struct sl_mesh *coarse, *fine;
    int nvar, nmean;
    const sl_real *from; /* on the fine mesh */
    sl_real *to;
};
void sl_any_cover_make(const void *of, const void *job, sl_real *to);
void sl_any_cover_take(const void *of, const void *job, const sl_real *from);

/* collective. All variables. */
int sl_any_cover(const struct sl_any_cover *of, const struct sl_nest *nest,
                 struct sl_level_buffers **buffers);

#endif
