/* friends.c - time of friends of friends on the processor and on a device, and of haloes with all
 * that is told of them, in the same run.
 *
 * usage: mpirun -n R build/tests/perf/friends [SIDE [ROUNDS]]; prints a line as JSON:
 * {"bench":"friends","ranks":R,"particles":N,"groups":n,"processor":..,"device":..,"haloes":..}
 *
 * SIDE^3 particles, half of them in balls of 2000 whose density falls as r^-2, b = 0.2, groups of
 * 20 and more. Seconds by the clock, on rank 0, the best of the rounds; "device" is 0 without one.
 * haloes: with the device, where there is one: groups, spheres about their centres, profiles.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/halo/fof.h"
#include "core/halo/haloes.h"
#include "core/measure/device.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static const double cube[3] = {1, 1, 1};
static const double pi2 = 6.283185307179586;

struct bench {
    struct sl_shares s;
    struct sl_stats_device *device;
    double length;
    uint64_t *group;
    int groups;
};

/* Of a ball in a cube of 1/cubes of the box the shells are drawn in so that its density falls as
 * r^-2, which is how haloes look; a wave takes the lattice out of line. */
static double displaced(const double q[3], int d, int cubes)
{
    double away[3], r2 = 0;
    for (int a = 0; a < 3; a++) {
        away[a] = q[a] * cubes - floor(q[a] * cubes) - 0.5;
        r2 += away[a] * away[a];
    }
    double in = r2 < 0.25 ? 4 * r2 : 1;
    return q[d] + away[d] / cubes * (in - 1) + 0.02 * sin(pi2 * (q[0] + 2 * q[1] + 3 * q[2]) + d);
}

static int points_make(int side, struct sl_points *p)
{
    int rank, size;
    size_t plane = (size_t)side * (size_t)side;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *p = (struct sl_points){0, NULL};
    SL_TRY(sl_alloc("particles", plane * (size_t)(side / size + 1), sizeof *p->point, &p->point));
    for (int z = rank; z < side; z += size)
        for (size_t i = 0; i < plane; i++) {
            const double n = side, q[3] = {(double)(i % (size_t)side) / n,
                                           (double)(i / (size_t)side) / n, z / n};
            struct sl_point *to = &p->point[p->n++];
            *to = (struct sl_point){.id = plane * (size_t)z + i};
            for (int d = 0; d < 3; d++)
                to->x[d] = sl_point_place(displaced(q, d, (side + 15) / 16));
        }
    return SL_OK;
}

static int friends(struct bench *b)
{
    return sl_fof_find(&b->s, b->length, cube, 20, b->group);
}

static int haloes(struct bench *b)
{
    struct sl_haloes list;
    const struct sl_halo_rule rule = {
        .side = {1, 1, 1}, .linking = 0.2, .least = 20, .contrast = {600, 200, 1500, 340}};
    SL_TRY(sl_haloes_find(&b->s, &rule, &list));
    b->groups = list.n;
    sl_haloes_release(&list);
    return SL_OK;
}

static int best(struct bench *b, int (*what)(struct bench *), int rounds, double *out)
{
    *out = HUGE_VAL;
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        SL_TRY(what(b));
        MPI_Barrier(MPI_COMM_WORLD);
        *out = fmin(*out, MPI_Wtime() - start);
    }
    return SL_OK;
}

static int measure(struct bench *b, int side, int rounds)
{
    double processor, device = 0, all;
    b->s.device = NULL;
    SL_TRY(best(b, friends, rounds, &processor));
    b->s.device = b->device;
    if (b->device) SL_TRY(best(b, friends, rounds, &device));
    SL_TRY(best(b, haloes, 1, &all));
    if (b->s.rank > 0) return SL_OK;
    printf(
        "{\"bench\":\"friends\",\"ranks\":%d,\"particles\":%.0f,\"groups\":%d,\"processor\":%.3f,"
        "\"device\":%.3f,\"haloes\":%.3f}\n",
        b->s.size, pow(side, 3), b->groups, processor, device, all);
    return fflush(stdout) == 0 ? SL_OK : SL_FAIL(SL_EIO, "cannot write");
}

static int bench(int side, int rounds)
{
    struct bench b = {.length = floor(0.2 / side * SL_POINT_BOX)};
    struct sl_points p;
    if (sl_stats_cuda_open) SL_TRY(sl_stats_cuda_open(MPI_COMM_WORLD, &b.device));
    SL_TRY(points_make(side, &p));
    SL_TRY(sl_shares_make(MPI_COMM_WORLD, &p, &b.s));
    int code = sl_alloc("groups", b.s.own.n, sizeof *b.group, &b.group);
    if (code == SL_OK) code = measure(&b, side, rounds);
    free(b.group);
    sl_shares_release(&b.s);
    if (b.device) b.device->close(b.device);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int code = bench(argc > 1 ? (int)strtol(argv[1], NULL, 10) : 128,
                     argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3);
    if (code != SL_OK) fprintf(stderr, "%s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
