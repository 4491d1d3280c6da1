/* separation.h - what structure functions sum, for those who sum: the processor and devices.
 *
 * Shapes  SL_STRUCTURE_COLUMNS sums: |d|^p, p = 1 .. 6, of differences along a step, then across it
 * Units   unit vectors have none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/structure.c, tests/gpu/stats.c
 */
#ifndef SL_MEASURE_SEPARATION_H
#define SL_MEASURE_SEPARATION_H

enum { SL_STRUCTURE_ORDERS = 6, SL_STRUCTURE_COLUMNS = 2 * SL_STRUCTURE_ORDERS };

/* A step in cells and the unit vectors of what is measured: along it, then across. */
struct sl_separation {
    int step[3];
    double unit[3][3];
};

#endif
