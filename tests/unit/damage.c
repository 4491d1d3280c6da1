/* damage - ten thousand damaged checkpoints, on several ranks a fifth of them: flipped bits, cut
 * and lengthened files, zeroed pages, swapped files, mixed generations, missing parts. None may be
 * read as good. SLUICE_SEED repeats a run. Rank 0 does the damage, all read.
 *
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <time.h>

#include "core/io/checkpoint.h"
#include "core/sys/file.h"
#include "tests/scratch.h"
#include "tests/toy.h"

enum { GENERATIONS = 2, FILES = 3, CASES = 10000 };
static const char *const file_name[FILES] = {"data.00000", "MANIFEST", "index.00000"};
static char *good[GENERATIONS][FILES];
static size_t size[GENERATIONS][FILES];
static char top[256];
static unsigned long seed; /* the same on all ranks */
static int rank;

static uint64_t random_number(void) /* splitmix64 */
{
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t n)
{
    return (size_t)(random_number() % n);
}

static const char *name_of(int generation, int file)
{
    static char path[SL_PATH_MAX];
    snprintf(path, sizeof path, "%s/d/ckpt.%06d/%s", top, generation,
             file < 0 ? "" : file_name[file]);
    return path;
}

static const char *in_d(void)
{
    static char path[SL_PATH_MAX];
    snprintf(path, sizeof path, "%s/d", top);
    return path;
}

static void put(int generation, int file, const char *data, size_t n)
{
    if (rank > 0) return;
    FILE *f = fopen(name_of(generation, file), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* All of one generation, undamaged. */
static void lay_out(int generation)
{
    if (rank == 0) assert_int_equal(sl_mkdir_all(name_of(generation, -1)), SL_OK);
    for (int f = 0; f < FILES; f++)
        put(generation, f, good[generation][f], size[generation][f]);
}

enum damage {
    FLIP,
    CUT,
    LONGER,
    ZERO_PAGE,
    SWAP_FILES,
    OTHER_GENERATION,
    MISSING,
    EMPTY,
    GARBAGE,
    OLD_NAME,
    KINDS
};
static const char *const kind_name[KINDS] = {"flipped bit",   "cut",
                                             "longer",        "zeroed page",
                                             "swapped files", "file of another generation",
                                             "missing",       "empty",
                                             "garbage",       "another generation under this name"};

/* Damages one file of generation 1 in memory; false when the bytes are as before. */
static bool damage_bytes(enum damage kind, int f, char *data, size_t *n)
{
    size_t at = below(*n), page = 512 << below(4);
    if (kind == FLIP) data[at] ^= (char)(1 << below(8));
    if (kind == CUT) *n = at;
    if (kind == EMPTY) *n = 0;
    if (kind == LONGER)
        for (size_t more = 1 + below(64); more; more--)
            data[(*n)++] = (char)below(256);
    if (kind == ZERO_PAGE) memset(data + at, 0, page < *n - at ? page : *n - at);
    if (kind == GARBAGE)
        for (size_t i = at; i < *n && i < at + page; i++)
            data[i] = (char)below(256);
    if (kind == OTHER_GENERATION) memcpy(data, good[0][f], *n = size[0][f]);
    if (kind == SWAP_FILES) memcpy(data, good[1][(f + 1) % FILES], *n = size[1][(f + 1) % FILES]);
    return *n != size[1][f] || memcmp(data, good[1][f], *n) != 0;
}

static void damage(enum damage kind)
{
    int f = (int)below(FILES);
    size_t n = size[1][f];
    size_t room = 100;
    for (int i = 0; i < FILES; i++)
        room += size[0][i] + size[1][i];
    char *data = calloc(1, room);
    lay_out(1);
    if (kind == MISSING) {
        if (rank == 0) assert_int_equal(unlink(name_of(1, f)), 0);
    } else if (kind == OLD_NAME) {
        for (f = 0; f < FILES; f++)
            put(1, f, good[0][f], size[0][f]);
    } else {
        do
            memcpy(data, good[1][f], n = size[1][f]);
        while (!damage_bytes(kind, f, data, &n));
        put(1, f, data, n);
    }
    free(data);
}

static void none_accepted(void **state)
{
    struct toy *t = *state;
    int taken = 0, tried[KINDS] = {0}, ranks;
    char bad[SL_PATH_MAX], was[SL_PATH_MAX];
    snprintf(bad, sizeof bad, "%s/d/ckpt.000001.bad", top);
    snprintf(was, sizeof was, "%s", name_of(1, -1));
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < (ranks == 1 ? CASES : CASES / 5); i++) {
        enum damage kind = i % 2 ? FLIP : (enum damage)below(KINDS);
        bool older = i % 16 == 0; /* with a good older one to fall back to */
        unsigned long before = seed;
        int64_t seq = -7;
        damage(kind);
        if (older) lay_out(0);
        MPI_Barrier(MPI_COMM_WORLD);
        int code = sl_checkpoint_read(&t->run, NULL, in_d(), &seq);
        if (code != SL_OK || seq != (older ? 0 : -1) || access(was, F_OK) == 0) {
            printf("case %d, %s, SLUICE_SEED=%lu: status %d, took %d\n", i, kind_name[kind], before,
                   code, (int)seq);
            taken++;
        }
        tried[kind]++;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0) continue;
        assert_int_equal(sl_remove_dir(bad), SL_OK);
        assert_int_equal(sl_remove_dir(was), SL_OK);
        if (older) assert_int_equal(sl_remove_dir(name_of(0, -1)), SL_OK);
    }
    for (int k = 0; k < KINDS; k++)
        printf("%6d %s\n", tried[k], kind_name[k]);
    assert_int_equal(taken, 0);
}

static int up(void **state)
{
    struct toy *t = toy_new(1, 16, 8, 0);
    int64_t seq;
    char *text;
    if (rank == 0) scratch_make(top, "damage");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int g = 0; g < GENERATIONS; g++) {
        toy_fill(&t->run, g);
        if (sl_checkpoint_write(&t->run, in_d(), 2, &seq) != SL_OK || seq != g) return 1;
        for (int f = 0; f < FILES; f++) {
            if (sl_file_read(name_of(g, f), 1 << 20, &text, &size[g][f]) != SL_OK) return 1;
            good[g][f] = text;
        }
        if (sl_checkpoint_read(&t->run, NULL, in_d(), &seq) != SL_OK || seq != g) return 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int g = 0; g < GENERATIONS && rank == 0; g++)
        if (sl_remove_dir(name_of(g, -1)) != SL_OK) return 1;
    *state = t;
    return 0;
}

static int down(void **state)
{
    for (int g = 0; g < GENERATIONS; g++)
        for (int f = 0; f < FILES; f++)
            free(good[g][f]);
    toy_free(*state);
    if (rank == 0) scratch_remove(top);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sl_log_level = SL_LOG_ERROR;
    const char *given = getenv("SLUICE_SEED");
    seed = given ? strtoul(given, NULL, 10) : (unsigned long)time(NULL);
    MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    printf("SLUICE_SEED=%lu\n", seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_accepted)};
    int failed = cmocka_run_group_tests(tests, up, down);
    MPI_Finalize();
    return failed;
}
