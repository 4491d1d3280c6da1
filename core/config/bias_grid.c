/* bias_grid.c - see bias_grid.h. */
#include "core/config/bias_grid.h"

#include <math.h>
#include <stdbool.h>

int sl_bias_shells(const double length[3])
{
    double longest = fmax(length[0], fmax(length[1], length[2]));
    return (int)fmax(3, floor(SL_BIAS_WAVE * longest / (2 * acos(-1)) - 0.5));
}

static bool halves(const int n[3], int least)
{
    bool all = true;
    for (int d = 0; d < 3; d++)
        all &= n[d] % 2 == 0 && n[d] / 2 >= least;
    return all;
}

void sl_bias_grid(int n[3], const double length[3])
{
    enum { WAVE = 16 };
    while (halves(n, WAVE * sl_bias_shells(length)))
        for (int d = 0; d < 3; d++)
            n[d] /= 2;
}
