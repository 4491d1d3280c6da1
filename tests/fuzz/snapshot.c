/* snapshot.c - damaged and hostile snapshots: whatever the bytes, the reader answers with a status,
 * soon, and values that it hands out are those that were written. Harms a small snapshot of two
 * dimensions: its tables more often than its fields.
 */
#include <mpi.h>
#include <unistd.h>

#include "core/io/snapshot.h"
#include "core/sys/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scratch.h"
#include "tests/toy.h"

enum { CELLS = 16 * 8, FIELDS = 7 };

static struct fuzz fuzz;
static double good[FIELDS][CELLS];
static char good_name[FIELDS][5];

#define MUST(cond) FUZZ_MUST(&fuzz, cond)

static const int64_t zero[3] = {0, 0, 0};

/* Numbers that sizes, places and counts like least. */
static void unkind(char bytes[8])
{
    static const uint64_t list[] = {
        0,          1,          0xff,       0xffff,      0x7fffffff,
        0xffffffff, 1ull << 32, 1ull << 62, 1ull << 63,  ~0ull,
        ~0ull - 7,  4096,       1ull << 28, 1000000007u, 0x3ff0000000000000};
    uint64_t value = list[fuzz_draw(&fuzz, sizeof list / sizeof *list)];
    memcpy(bytes, &value, 8);
}

static void harm(struct fuzz_input *t)
{
    char bytes[8];
    if (t->size == 0) return; /* a cut has left nothing */
    size_t at = fuzz_draw(&fuzz, t->size), from = fuzz_draw(&fuzz, t->size), n;
    unkind(bytes);
    switch (fuzz_draw(&fuzz, 8)) {
    case 0:
        t->size = at + 1;
        break;
    case 1: /* a piece of it where another belongs */
        n = 1 + fuzz_draw(&fuzz, 64);
        fuzz_over(t, at, t->bytes + from, n < t->size - from ? n : t->size - from);
        break;
    case 2:
        fuzz_cut(t, at, 1 + fuzz_draw(&fuzz, 16));
        break;
    case 3:
        fuzz_over(t, at & ~(size_t)7, bytes, 8);
        break;
    case 4:
        fuzz_over(t, at, bytes, 1 + fuzz_draw(&fuzz, 8));
        break;
    default:
        fuzz_flip(&fuzz, t, at);
    }
}

static void read_field(const struct sl_snapshot *s, int f)
{
    static double out[CELLS];
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    bool same_grid = i->dim == 2 && i->cells[0] == 16 && i->cells[1] == 8;
    int code = sl_snapshot_read_box(s, i->field[f], zero, i->cells, out);
    MUST(code == SL_OK || code == SL_EINPUT || code == SL_EIO || code == SL_EMEM);
    bool scaled = i->cgs_length != 1 || i->cgs_density != 1 || i->cgs_velocity != 1;
    for (int g = 0; g < FIELDS && code == SL_OK && same_grid && !scaled; g++)
        if (strcmp(i->field[f], good_name[g]) == 0 && f == g)
            MUST(memcmp(out, good[g], sizeof out) == 0);
}

static void try(const struct fuzz_input *t, const char *path)
{
    struct sl_snapshot *s = NULL;
    fuzz.last = t->bytes, fuzz.last_size = t->size;
    MUST(sl_file_replace(path, t->bytes, t->size, SL_VOLATILE) == SL_OK);
    int code = sl_snapshot_open(path, &s);
    MUST(code == SL_OK || code == SL_EINPUT || code == SL_EMEM);
    MUST(code == SL_OK || (strstr(sl_error_text(), path) && !strchr(sl_error_text(), '\n')));
    if (code != SL_OK) return;
    fuzz.taken++;
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    double cells = (double)i->cells[0] * (double)i->cells[1] * (double)i->cells[2];
    for (int f = 0; f < i->nfield && cells <= CELLS; f++)
        read_field(s, f);
    sl_snapshot_close(s);
}

static void seed_input(struct fuzz_input *t, const char *dir)
{
    struct toy *toy = toy_new(2, 16, 4, 2);
    struct sl_provenance p;
    struct sl_snapshot *s;
    char path[SL_PATH_MAX], *bytes;
    toy->cfg.mesh_cells_n = 2;
    toy->cfg.mesh_cells[0] = 16, toy->cfg.mesh_cells[1] = 8;
    MUST(sl_provenance_make(MPI_COMM_WORLD, &toy->cfg, &p) == SL_OK);
    MUST(sl_snapshot_write(&toy->run, dir, 0, &p) == SL_OK);
    MUST(sl_snapshot_name(path, dir, "toy", 0) == SL_OK);
    MUST(sl_snapshot_open(path, &s) == SL_OK);
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    MUST(i->nfield == FIELDS);
    for (int f = 0; f < FIELDS; f++) {
        memcpy(good_name[f], i->field[f], 5);
        MUST(sl_snapshot_read_box(s, i->field[f], zero, i->cells, good[f]) == SL_OK);
    }
    sl_snapshot_close(s);
    MUST(sl_file_read(path, FUZZ_BYTES, &bytes, &t->size) == SL_OK);
    memcpy(t->bytes, bytes, t->size);
    free(bytes);
    toy_free(toy);
}

/* A line end in the name of a field, at each place where the file has that name: no message may
 * hold it. */
static void lines_in_names(const struct fuzz_input *seed, struct fuzz_input *t, const char *path)
{
    for (size_t at = 0; at + 4 <= seed->size; at++) {
        if (memcmp(seed->bytes + at, good_name[0], 4) != 0) continue;
        memcpy(t, seed, sizeof *t);
        t->bytes[at + 1] = '\n';
        try(t, path);
    }
}

int main(int argc, char **argv)
{
    static struct fuzz_input seed, t;
    char dir[256], path[SL_PATH_MAX];
    MPI_Init(&argc, &argv);
    scratch_make(dir, "fuzz");
    snprintf(path, sizeof path, "%s/harmed", dir);
    fuzz_start(&fuzz, "snapshot.h5");
    seed_input(&seed, dir);
    printf("%zu bytes\n", seed.size);
    try(&seed, path);
    MUST(fuzz.taken == 1);
    lines_in_names(&seed, &t, path);
    double began = fuzz_used();
    do {
        memcpy(&t, &seed, sizeof t);
        for (uint64_t n = 1 + fuzz_draw(&fuzz, 3); n > 0; n--)
            harm(&t);
        try(&t, path);
    } while (fuzz_again(&fuzz, &began));
    fuzz_report(&fuzz);
    scratch_remove(dir);
    MPI_Finalize();
    return 0;
}
