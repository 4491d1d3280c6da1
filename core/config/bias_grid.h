/* bias_grid.h - the grid on which the bias of haloes is found, which those who plan a run know,
 * too.
 *
 * Long waves need no fine grid: that of the statistics is halved as long as all waves that are
 * taken, up to SL_BIAS_WAVE and the first three shells at least, have sixteen cells or more. Over
 * its window, its images add 1 / 15 of theirs or less, to the power of twice the order.
 *
 * Shapes  none
 * Units   lengths in Mpc/h; cells
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/haloes.c
 */
#ifndef SL_CONFIG_BIAS_GRID_H
#define SL_CONFIG_BIAS_GRID_H

#define SL_BIAS_WAVE 0.1 /* h/Mpc */

/* The last shell of waves that is taken, if the grid has it. */
int sl_bias_shells(const double length[3]);
/* n cells along each axis become fewer. */
void sl_bias_grid(int n[3], const double length[3]);

#endif
