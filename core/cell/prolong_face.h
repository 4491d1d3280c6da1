/* prolong_face.h - the magnetic field across the faces of the children of a coarse cell.
 *
 * A face of the coarse cell is reconstructed with limited slopes along it, a function of that face
 * and its neighbours in its plane alone: the cells on both sides draw the same, and the mean is the
 * coarse value. The faces between the children follow from these: each child has the divergence of
 * the whole cell, so none where that has none, also where finer neighbours have put other values of
 * the same mean in the place of those reconstructed.
 *
 * Shapes  at[axis across][lower, middle, upper][child along the later axis][along the earlier one];
 *         along an axis that the mesh does not have both children are the same
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Toth & Roe 2002, section 3 (faces between children); Balsara 2001 (slopes)
 * Tests   tests/unit/prolong_face.c
 */
#ifndef SL_CELL_PROLONG_FACE_H
#define SL_CELL_PROLONG_FACE_H

#include <stddef.h>

#include "core/cell/prolong.h"

/* Coarse faces at a time between two states, (1 - share) old + share now: at 0 and at 1 the bits of
 * one of them, the other is not read. */
struct sl_prolong_face {
    int dim;
    ptrdiff_t step[3], var; /* distances of cells, of the components */
    sl_real dx[3];          /* of cells, in any unit */
    sl_real share, theta;   /* as of struct sl_prolong */
};

struct sl_child_faces {
    sl_real at[3][3][2][2];
};

SL_FN sl_real sl_prolong_face_at(const struct sl_prolong_face *p, const sl_real *old,
                                 const sl_real *now, ptrdiff_t i)
{
    if (p->share == 0) return old[i];
    if (p->share == 1) return now[i];
    return (1 - p->share) * old[i] + p->share * now[i];
}

/* How far the value at a child's face is from that of the coarse face at i, along an axis within
 * it. */
SL_FN sl_real sl_prolong_face_slope(const struct sl_prolong_face *p, const sl_real *old,
                                    const sl_real *now, ptrdiff_t i, int axis)
{
    if (axis >= p->dim) return 0;
    sl_real here = sl_prolong_face_at(p, old, now, i);
    sl_real low = here - sl_prolong_face_at(p, old, now, i - p->step[axis]);
    sl_real high = sl_prolong_face_at(p, old, now, i + p->step[axis]) - here;
    return sl_prolong_quarter(p->theta, low, high);
}

/* Draws the lower (plane 0) or the upper (2) faces across axis d of a coarse cell; old and now
 * point to the first component at its lower face. */
SL_FN void sl_prolong_face_draw(const struct sl_prolong_face *p, const sl_real *old,
                                const sl_real *now, int d, int plane, struct sl_child_faces *f)
{
    int a = d == 0, b = d == 2 ? 1 : 2;
    ptrdiff_t i = d * p->var + (plane > 0 ? p->step[d] : 0);
    sl_real mean = sl_prolong_face_at(p, old, now, i);
    sl_real by_a = sl_prolong_face_slope(p, old, now, i, a);
    sl_real by_b = sl_prolong_face_slope(p, old, now, i, b);
    for (int kb = 0; kb < 2; kb++)
        for (int ka = 0; ka < 2; ka++)
            f->at[d][plane][kb][ka] = mean + ((ka ? by_a : -by_a) + (kb ? by_b : -by_b));
}

/* What more leaves through the upper children than through the lower ones, of the faces across d:
 * along an axis within them; and both[d]: that difference along one axis, of the difference along
 * the other. */
struct sl_face_twist {
    sl_real along[3][3], both[3];
};

SL_FN void sl_face_twist_add(const struct sl_child_faces *f, int d, struct sl_face_twist *t)
{
    int a = d == 0, b = d == 2 ? 1 : 2;
    sl_real out[2][2];
    for (int kb = 0; kb < 2; kb++)
        for (int ka = 0; ka < 2; ka++)
            out[kb][ka] = f->at[d][2][kb][ka] - f->at[d][0][kb][ka];
    t->along[d][a] = (out[0][1] - out[0][0]) + (out[1][1] - out[1][0]);
    t->along[d][b] = (out[1][0] - out[0][0]) + (out[1][1] - out[0][1]);
    t->both[d] = (out[1][1] + out[0][0]) - (out[1][0] + out[0][1]);
}

/* The middle faces across d from the outer ones of all axes. */
SL_FN void sl_face_middle(const sl_real dx[3], const struct sl_face_twist *t, int d,
                          struct sl_child_faces *f)
{
    int a = d == 0, b = d == 2 ? 1 : 2;
    sl_real wide_a = dx[d] / dx[a], wide_b = dx[d] / dx[b];
    sl_real bend = (sl_real)0.125 * (wide_a * t->along[a][d] + wide_b * t->along[b][d]);
    sl_real by_a = (sl_real)0.0625 * (wide_b * t->both[b]);
    sl_real by_b = (sl_real)0.0625 * (wide_a * t->both[a]);
    for (int kb = 0; kb < 2; kb++)
        for (int ka = 0; ka < 2; ka++)
            f->at[d][1][kb][ka] = (sl_real)0.5 * (f->at[d][0][kb][ka] + f->at[d][2][kb][ka]) +
                                  (bend + ((ka ? by_a : -by_a) + (kb ? by_b : -by_b)));
}

/* The faces between the children, the others are known. dx: of the coarse cell or of the children,
 * in any unit. */
SL_FN void sl_child_faces_inside(int dim, const sl_real dx[3], struct sl_child_faces *f)
{
    struct sl_face_twist t;
    for (int d = 0; d < 3; d++)
        sl_face_twist_add(f, d, &t);
    for (int d = 0; d < dim; d++)
        sl_face_middle(dx, &t, d, f);
}

/* All faces of the children of a coarse cell. */
SL_FN void sl_prolong_faces(const struct sl_prolong_face *p, const sl_real *old, const sl_real *now,
                            struct sl_child_faces *f)
{
    for (int d = 0; d < 3; d++)
        for (int plane = 0; plane < 3; plane += 2) {
            if (d < p->dim)
                sl_prolong_face_draw(p, old, now, d, plane, f);
            else
                for (int c = 0; c < 4; c++)
                    f->at[d][plane][c / 2][c % 2] = 0;
        }
    sl_child_faces_inside(p->dim, p->dx, f);
}

/* Component d of the field across the lower (up 0) or the upper face (1) of a child. */
SL_FN sl_real sl_child_face(const struct sl_child_faces *f, int d, const int child[3], int up)
{
    return f->at[d][child[d] + up][child[d == 2 ? 1 : 2]][child[d == 0]];
}

SL_FN sl_real sl_face_mean(sl_real lower, sl_real upper)
{
    return (sl_real)0.5 * (lower + upper);
}

/* The field in a child: the average of its two faces. */
SL_FN sl_real sl_child_field(const struct sl_child_faces *f, int d, const int child[3])
{
    return sl_face_mean(sl_child_face(f, d, child, 0), sl_child_face(f, d, child, 1));
}

#endif
