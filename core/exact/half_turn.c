/* half_turn.c - see half_turn.h. */
#include "core/exact/half_turn.h"

#include <math.h>

void sl_half_turn_measure(const struct sl_whole *w, struct sl_measures *out)
{
    double off = 0, most = 0;
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++) {
                double a = sl_whole_at(w, 0, k, j, i);
                double b = sl_whole_at(w, 0, k, w->n[1] - 1 - j, w->n[0] - 1 - i);
                off = fmax(off, fabs(a - b));
                most = fmax(most, a);
            }
    sl_measure(out, "asymmetry",
               "largest difference of the density from its image after a half turn about the "
               "middle of the box, over the largest density",
               off / most);
}
