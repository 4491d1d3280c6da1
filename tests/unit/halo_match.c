/* halo_match.c - tests core/halo/halo_match.h and halo_history.h: haloes that split, merge, vanish,
 * appear, exchange their ids or share as much with two others; of particles that were made up, on
 * any ranks; the mass of three snapshots of them. ranks: 1 2 3 4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "core/halo/halo_history.h"
#include "core/halo/halo_match.h"
#include "core/sys/status.h"

/* ---- made-up haloes ---- */

#define FAR (UINT64_C(1) << 52) /* ids beyond what 32 bits hold */

/* Particles from, from + 1 .. of a halo. */
struct piece {
    int halo;
    uint64_t from, n;
};

static int rank, size;

static int by_particle(const void *a, const void *b)
{
    const struct sl_halo_bond *p = a, *q = b;
    return (p->particle > q->particle) - (p->particle < q->particle);
}

static void count(const struct piece *piece, int pieces, struct sl_haloes *h)
{
    for (int k = 0; k < pieces; k++) {
        struct sl_halo *halo = &h->halo[piece[k].halo];
        halo->n += piece[k].n;
        if (piece[k].from < halo->id) halo->id = piece[k].from;
    }
}

/* Haloes 0 .. n - 1; the id of each is its least particle, bonds are on their ranks. */
static struct sl_haloes make(const struct piece *piece, int pieces, int n)
{
    struct sl_haloes h = {.n = n, .halo = calloc((size_t)n + 1, sizeof *h.halo)};
    size_t all = 0;
    for (int i = 0; i < n; i++)
        h.halo[i].id = UINT64_MAX;
    count(piece, pieces, &h);
    for (int i = 0; i < n; i++)
        all += h.halo[i].n;
    h.bond = malloc((all + 1) * sizeof *h.bond);
    for (int k = 0; k < pieces; k++)
        for (uint64_t p = piece[k].from; p < piece[k].from + piece[k].n; p++)
            if (sl_points_rank(p, size) == rank)
                h.bond[h.bonds++] = (struct sl_halo_bond){p, h.halo[piece[k].halo].id};
    qsort(h.bond, h.bonds, sizeof *h.bond, by_particle);
    return h;
}
#define MAKE(list, n) make(list, (int)(sizeof(list) / sizeof(list)[0]), n)

static void check_link(const char *what, const struct sl_halo_link *l, int64_t other,
                       int64_t shared)
{
    if (l->other == other && l->shared == shared) return;
    fail_msg("%s: halo %ld with %ld particles instead of %ld with %ld", what, (long)l->other,
             (long)l->shared, (long)other, (long)shared);
}

enum { MOST = 8 };

struct links {
    struct sl_halo_link progenitor[MOST], descendant[MOST];
};

/* Matches and frees both lists. */
static struct links match(struct sl_haloes *a, struct sl_haloes *b)
{
    struct links l;
    assert_int_equal(sl_haloes_match(MPI_COMM_WORLD, a, b, l.progenitor, l.descendant), SL_OK);
    sl_haloes_release(a);
    sl_haloes_release(b);
    return l;
}

/* ---- two snapshots ---- */

/* Halo 0 breaks in two, and loses some; 1 and 2 merge; 3 vanishes; of the later ones 3 is new. */
static void test_fates(void **state)
{
    static const struct piece before[] = {
        {0, 1000, 900}, {1, FAR, 500}, {2, 5000, 400}, {3, 7000, 60}};
    static const struct piece after[] = {
        {0, FAR, 480}, {0, 5000, 390}, {1, 1000, 300}, {2, 1300, 500}, {3, 9000, 100}};
    (void)state;
    struct sl_haloes a = MAKE(before, 4), b = MAKE(after, 4);
    struct links l = match(&a, &b);
    check_link("merged", &l.progenitor[0], 1, 480);
    check_link("smaller half", &l.progenitor[1], 0, 300);
    check_link("larger half", &l.progenitor[2], 0, 500);
    check_link("new", &l.progenitor[3], -1, 0);
    check_link("broken", &l.descendant[0], 2, 500);
    check_link("larger of two", &l.descendant[1], 0, 480);
    check_link("smaller of two", &l.descendant[2], 0, 390);
    check_link("vanished", &l.descendant[3], -1, 0);
    assert_true(sl_halo_is_main(l.progenitor, 0, l.descendant));
    assert_false(sl_halo_is_main(l.progenitor, 1, l.descendant));
    assert_true(sl_halo_is_main(l.progenitor, 2, l.descendant));
    assert_false(sl_halo_is_main(l.progenitor, 3, l.descendant));
    assert_true(sl_halo_is_main(l.descendant, 0, l.progenitor));
    assert_true(sl_halo_is_main(l.descendant, 1, l.progenitor));
    assert_false(sl_halo_is_main(l.descendant, 2, l.progenitor));
}

/* Two haloes exchange the particle that named them, and with it their ids. */
static void test_exchanged_ids(void **state)
{
    static const struct piece before[] = {{0, 1, 1}, {0, 100, 200}, {1, 2, 1}, {1, 1000, 150}};
    static const struct piece after[] = {{0, 2, 1}, {0, 100, 200}, {1, 1, 1}, {1, 1000, 150}};
    (void)state;
    struct sl_haloes a = MAKE(before, 2), b = MAKE(after, 2);
    assert_true(a.halo[0].id == 1 && b.halo[0].id == 2);
    struct links l = match(&a, &b);
    for (int i = 0; i < 2; i++) {
        check_link("by its particles", &l.progenitor[i], i, i ? 150 : 200);
        check_link("by its particles", &l.descendant[i], i, i ? 150 : 200);
    }
}

/* As many from each: the smaller id, wherever it stands in the list. */
static void test_ties(void **state)
{
    static const struct piece before[] = {{0, 600, 300}, {1, 100, 200}, {2, 2000, 100}};
    static const struct piece after[] = {{0, 600, 50}, {0, 100, 50}, {0, 2000, 50},
                                         {1, 700, 90}, {2, 850, 50}, {2, 2050, 50}};
    (void)state;
    struct sl_haloes a = MAKE(before, 3), b = MAKE(after, 3);
    struct links l = match(&a, &b);
    check_link("of three", &l.progenitor[0], 1, 50);
    check_link("of two", &l.progenitor[2], 0, 50);
    check_link("more than a tie", &l.descendant[0], 1, 90);
    check_link("to two", &l.descendant[2], 0, 50);
}

static void test_none(void **state)
{
    static const struct piece some[] = {{0, 3, 40}};
    (void)state;
    struct sl_haloes a = MAKE(some, 1), b = make(NULL, 0, 0);
    struct links l = match(&a, &b);
    check_link("all are gone", &l.descendant[0], -1, 0);
    struct sl_haloes c = make(NULL, 0, 0), d = MAKE(some, 1);
    l = match(&c, &d);
    check_link("the first ones", &l.progenitor[0], -1, 0);
}

/* More pairs than a table begins with: every particle its own way. */
static void test_many_pairs(void **state)
{
    enum { SIDE = 60 };
    static struct piece before[SIDE * SIDE], after[SIDE * SIDE];
    static struct sl_halo_link progenitor[SIDE], descendant[SIDE];
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) {
        before[i] = (struct piece){i / SIDE, 3 * (uint64_t)i, i / SIDE == i % SIDE ? 2 : 1};
        after[i] = (struct piece){i % SIDE, 3 * (uint64_t)i, before[i].n};
    }
    struct sl_haloes a = MAKE(before, SIDE), b = MAKE(after, SIDE);
    assert_int_equal(sl_haloes_match(MPI_COMM_WORLD, &a, &b, progenitor, descendant), SL_OK);
    for (int i = 0; i < SIDE; i++) {
        check_link("of many", &progenitor[i], i, 2);
        check_link("to many", &descendant[i], i, 2);
    }
    sl_haloes_release(&a);
    sl_haloes_release(&b);
}

/* ---- three snapshots ---- */

static double value(const struct sl_tables *t, const char *table, int row, const char *column)
{
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->table[i].name, table)) {
            int at = sl_table_find(&t->table[i], column);
            assert_true(at >= 0 && row < t->table[i].nrow);
            return *sl_table_at(&t->table[i], row, at);
        }
    fail_msg("there is no table %s", table);
    return 0;
}

static void add(struct sl_halo_history *h, const struct sl_slab *slab, int number, double a,
                struct sl_haloes list, struct sl_tables *tables)
{
    const struct sl_fields f = {.slab = slab, .number = number, .scale_factor = a, .time = a};
    assert_int_equal(sl_halo_history_add(h, &f, &list, tables), SL_OK);
    assert_true(list.n == 0 && list.halo == NULL && list.bond == NULL);
}

/* At the end 0, 1 and 2 have 200 particles or so and 3 has 400; 0 grows evenly; 1 is a half that
 * came off 0, so its branch ends; 2 grows by a merger; 3 is new. */
static void test_accretion(void **state)
{
    static const struct piece first[] = {{0, 1000, 50}, {1, 4000, 40}, {2, 5000, 30}};
    static const struct piece middle[] = {{0, 1000, 100}, {0, 1500, 80}, {1, 4000, 40},
                                          {1, 5000, 30},  {1, 6000, 30}, {2, 8000, 25}};
    static const struct piece last[] = {{0, 1000, 200}, {1, 1500, 80},  {1, 1600, 120},
                                        {2, 4000, 40},  {2, 5000, 160}, {3, 9000, 400}};
    struct sl_slab slab = {.comm = MPI_COMM_WORLD};
    struct sl_halo_history h = {.steps = 0};
    struct sl_tables t = {.n = 0};
    (void)state;
    add(&h, &slab, 0, 0.25, MAKE(first, 3), &t);
    assert_int_equal(t.n, 0);
    assert_int_equal(sl_halo_history_table(&h, &t), SL_OK);
    assert_int_equal(t.n, 0);
    add(&h, &slab, 1, 0.5, MAKE(middle, 3), &t);
    add(&h, &slab, 4, 1, MAKE(last, 4), &t);
    assert_int_equal(sl_halo_history_table(&h, &t), SL_OK);
    assert_int_equal(t.n, 5);

    assert_true(value(&t, "halo_progenitors_0001", 1, "progenitor") == 4000);
    assert_true(value(&t, "halo_progenitors_0001", 1, "of_halo") == 0.4);
    assert_true(isnan(value(&t, "halo_progenitors_0001", 2, "progenitor")));
    assert_true(value(&t, "halo_progenitors_0004", 1, "progenitor") == 1000);
    assert_true(value(&t, "halo_progenitors_0004", 1, "main") == 0);
    assert_true(value(&t, "halo_progenitors_0004", 0, "main") == 1);
    assert_true(value(&t, "halo_progenitors_0004", 2, "shared") == 70);
    assert_true(value(&t, "halo_descendants_0000", 2, "descendant") == 4000);
    assert_true(value(&t, "halo_descendants_0000", 2, "main") == 0);
    assert_true(value(&t, "halo_descendants_0001", 0, "of_halo") == 100 / 180.0);
    assert_true(isnan(value(&t, "halo_descendants_0001", 2, "descendant")));
    for (int i = 0; i < t.n; i++)
        if (!strcmp(t.table[i].name, "halo_descendants_0001"))
            assert_true(sl_table_noted(&t.table[i], "scale_factor") == 0.5);

    /* of 200 each: 1, 1, 1; then 0.9, 0.5, lost; then 0.25, 0.2, lost */
    static const double median[] = {0.2, 0.5, 1}, high[] = {0.234, 0.772, 1}, found[] = {2, 2, 3};
    for (int r = 0; r < 3; r++) {
        assert_true(value(&t, "halo_accretion", r, "haloes_100") == found[r]);
        assert_true(fabs(value(&t, "halo_accretion", r, "median_100") - median[r]) < 1e-12);
        assert_true(fabs(value(&t, "halo_accretion", r, "p84_100") - high[r]) < 1e-12);
        assert_true(r == 2 || isnan(value(&t, "halo_accretion", r, "p16_100")));
        assert_true(value(&t, "halo_accretion", r, "haloes_300") == (r == 2));
        assert_true(isnan(value(&t, "halo_accretion", r, "median_1000")));
        assert_true(value(&t, "halo_accretion", r, "redshift") == (r == 0 ? 3 : 2 - r));
    }
    sl_halo_history_release(&h);
    sl_tables_release(&t);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fates),      cmocka_unit_test(test_exchanged_ids),
        cmocka_unit_test(test_ties),       cmocka_unit_test(test_none),
        cmocka_unit_test(test_many_pairs), cmocka_unit_test(test_accretion)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
