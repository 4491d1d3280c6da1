/* friends.h - a set of points made with whole numbers, and its groups of friends on all ranks, for
 * the tests of core/halo/fof.h. */
#ifndef SL_TEST_FRIENDS_H
#define SL_TEST_FRIENDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/halo/fof.h"
#include "core/sys/status.h"

enum { MOST = 16384 };
static uint32_t set[MOST][3];
static uint64_t count, state_of_words;

static uint64_t word(void)
{
    uint64_t z = state_of_words += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static int64_t below(int64_t n)
{
    return (int64_t)((word() >> 32) * (uint64_t)n >> 32);
}

static void add(int64_t x, int64_t y, int64_t z)
{
    assert_true(count < MOST);
    set[count][0] = (uint32_t)x;
    set[count][1] = (uint32_t)y;
    set[count++][2] = (uint32_t)z;
}

static void add_clump(void)
{
    int64_t c[3], x[3];
    for (int d = 0; d < 3; d++)
        c[d] = below(INT64_C(1) << 32);
    int64_t n = below(396);
    n = 5 + n * (below(4) + 1) / 4;
    int64_t width = INT64_C(1) << (24 + below(3));
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++) {
            x[d] = c[d] - 2 * width;
            for (int k = 0; k < 4; k++)
                x[d] += below(width);
        }
        add(x[0], x[1], x[2]);
    }
}

static void add_bridge(int64_t b)
{
    const int64_t q = INT64_C(1) << 30;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 60; i++) {
            int64_t x = q + side * 12 * b + below(b), y = q + below(b);
            add(x, y, q + below(b));
        }
    for (int i = 1; i < 12; i++)
        add(q + i * b, q + b / 2, q + b / 2);
}

/* Chains across walls and between clumps, points at exactly b and one more, in one place, groups
 * of 19 and 20, friends through a corner. */
static void add_hard(int64_t b)
{
    const int64_t q = INT64_C(3) << 30, one = INT64_C(1) << 32;
    const int64_t apart[] = {0, b, 1000 * b, 1001 * b + 1};
    for (int i = 0; i < 24; i++)
        add((i - 12) * (b / 2), (i - 12) * (b / 2), (i - 12) * (b / 2));
    add_bridge(b);
    for (int i = 0; i < 4; i++)
        add(q + apart[i], q + 7, q + 9);
    for (int i = 0; i < 10; i++)
        add(q - 40 * b, q + 40 * b, q);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 19 + k; i++)
            add(q + i * b / 3, q + (20 + 40 * k) * b, q - (20 + 40 * k) * b);
    add(b / 4, one - b / 4, b / 4);
    add(one - b / 4, b / 4, one - b / 4);
}

enum { SEED = 1, LINKING = 47272231, POINTS = 6722 };

static void make_set(void)
{
    count = 0;
    state_of_words = SEED;
    for (int i = 0; i < 40; i++)
        add_clump();
    for (int i = 0; i < 2000; i++) {
        int64_t x = below(INT64_C(1) << 32), y = below(INT64_C(1) << 32);
        add(x, y, below(INT64_C(1) << 32));
    }
    add_hard(LINKING);
    assert_int_equal(count, POINTS);
}

/* ---- groups on all ranks ---- */

/* name[i]: of point i; turn: how they are shared out and ordered; device: NULL, the processor. */
static void group_on(struct sl_stats_device *device, int turn, double length, const double side[3],
                     uint64_t least, uint64_t *name)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct sl_points p = {0, malloc(MOST * sizeof *p.point)};
    struct sl_shares s;
    for (uint64_t j = 0; j < count; j++) {
        uint64_t i = turn ? j * 4099 % count : j;
        if ((int)((i / 7 + (uint64_t)turn) % (uint64_t)size) != rank) continue;
        p.point[p.n++] = (struct sl_point){{set[i][0], set[i][1], set[i][2]}, {0, 0, 0}, i};
    }
    assert_int_equal(sl_shares_make(MPI_COMM_WORLD, &p, &s), SL_OK);
    s.device = device;
    uint64_t *own = malloc((s.own.n + 1) * sizeof *own);
    assert_int_equal(sl_fof_find(&s, length, side, least, own), SL_OK);
    memset(name, 0, count * sizeof *name);
    for (size_t i = 0; i < s.own.n; i++)
        name[s.own.point[i].id] = own[i];
    MPI_Allreduce(MPI_IN_PLACE, name, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(own);
    sl_shares_release(&s);
}

static uint64_t members[MOST];

static int by_size(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    if (members[p] != members[q]) return members[p] < members[q] ? 1 : -1;
    return (p > q) - (p < q);
}

static void hash(uint64_t *h, uint64_t value)
{
    for (int k = 0; k < 4; k++)
        *h = (*h ^ (value >> 8 * k & 255)) * UINT64_C(0x100000001B3);
}

/* Of all groups by falling size and rising name, ids rising; *n of them. */
static uint64_t checksum(const uint64_t *name, int *n)
{
    static uint64_t list[MOST];
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    memset(members, 0, sizeof members);
    *n = 0;
    for (uint64_t i = 0; i < count; i++)
        if (name[i] != SL_FOF_NONE && members[name[i]]++ == 0) list[(*n)++] = name[i];
    qsort(list, (size_t)*n, sizeof *list, by_size);
    for (int g = 0; g < *n; g++) {
        hash(&h, members[list[g]]);
        for (uint64_t i = 0; i < count; i++)
            if (name[i] == list[g]) hash(&h, i);
    }
    return h;
}

/* Groups of the set, and those of 20 and more, in three orders, as an independent program has
 * them. */
static void check_set(struct sl_stats_device *device)
{
    static const double cube[3] = {1, 1, 1};
    static uint64_t name[MOST];
    int n;
    make_set();
    for (int turn = 0; turn < 3; turn++) {
        group_on(device, turn, LINKING, cube, 1, name);
        assert_true(checksum(name, &n) == UINT64_C(0xff102fb1e09da323));
        assert_int_equal(n, 2079);
        group_on(device, turn, LINKING, cube, 20, name);
        assert_true(checksum(name, &n) == UINT64_C(0x8c8ec5ba5a44a037));
        assert_int_equal(n, 41);
        assert_int_equal(members[1484], 298);
    }
}

/* Points anywhere; k says how many, and which. */
static void make_random(int k)
{
    count = 0;
    state_of_words = (uint64_t)(100 + k);
    for (int i = 0; i < (k % 4 < 2 ? 900 : 30); i++) {
        int64_t x = below(INT64_C(1) << 32), y = below(INT64_C(1) << 32);
        add(x, y, below(INT64_C(1) << 32));
    }
}

/* Lengths from a few cells in the box to many, sides that differ. */
enum { RANDOM_SETS = 12 };
static const double random_side[][3] = {{1, 1, 1}, {1, 0.5, 2}, {3, 1, 1}};

static double random_length(int k)
{
    static const double length[] = {0.02, 0.07, 0.2, 0.45};
    const double *side = random_side[k / 4];
    return floor(length[k % 4] * fmin(1, fmin(side[1], side[2])) * SL_POINT_BOX);
}

#endif
