/* manifest.c - damaged and hostile manifests of checkpoints: whatever the bytes, the reader answers
 * "ok", "error in the input" or "of another format", and what it accepts is to the letter what it
 * would write. Most inputs get a checksum that is right, so that the reader has to look at what
 * stands before it.
 */
#include "core/io/manifest.h"
#include "core/sys/crc32c.h"
#include "tests/fuzz/fuzz.h"

static struct fuzz fuzz;

#define MUST(cond) FUZZ_MUST(&fuzz, cond)

enum { LAST_LINE = 7 + 8 + 1 }; /* crc32c, eight digits, a new line */

static const char *const words[] = {
    "-1",
    "0",
    "-0",
    "+1",
    "01",
    " 1",
    "1e3",
    "0x1p+3",
    "inf",
    "nan",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "\n",
    " ",
    "\t",
    "\r\n",
    "set ",
    "set \n",
    "file 0\n",
    "file 16 0 0 -1\n",
    "file 4096 2 0 2\n",
    "file 4096 -1 0 0\n",
    "allowed 0x1p-9\n",
    "levels 33\n",
    "dim 3\n",
    "blocks 1000000000\n",
    "files 268435456\n",
    "nvar 65\n",
    "crc32c 00000000\n",
    "\xff",
    "time 0x1p+1\n",
    "time inf\n",
    "recipe \n",
    "recipe ",
    "ABCDEF",
};

static void harm(struct fuzz_input *t)
{
    const char *word = words[fuzz_draw(&fuzz, sizeof words / sizeof *words)];
    size_t at = fuzz_draw(&fuzz, t->size + 1);
    switch (fuzz_draw(&fuzz, 7)) {
    case 0:
        fuzz_flip(&fuzz, t, at);
        break;
    case 1:
        fuzz_cut(t, at, 1 + fuzz_draw(&fuzz, 40));
        break;
    case 2: /* a line of its own, somewhere else */
        while (at > 0 && at < t->size && t->bytes[at - 1] != '\n')
            at--;
        if (at < t->size)
            fuzz_put(t, fuzz_draw(&fuzz, t->size), t->bytes + at,
                     strcspn(t->bytes + at, "\n") + (at + 1 < t->size));
        break;
    case 3: /* a word in the place of a value */
        while (at < t->size && t->bytes[at] != ' ')
            at++;
        if (at + 1 < t->size) {
            fuzz_cut(t, at + 1, strcspn(t->bytes + at + 1, " \n"));
            fuzz_put(t, at + 1, word, strlen(word));
        }
        break;
    case 4:
        fuzz_over(t, at, word, strlen(word));
        break;
    default:
        fuzz_put(t, at, word, strlen(word));
    }
    t->bytes[t->size < FUZZ_BYTES ? t->size : FUZZ_BYTES - 1] = '\0';
}

/* Makes the last line tell the checksum of the rest. */
static void seal(struct fuzz_input *t)
{
    char line[LAST_LINE + 1];
    if (t->size < LAST_LINE) return;
    size_t body = t->size - LAST_LINE;
    snprintf(line, sizeof line, "crc32c %08x\n", (unsigned)sl_crc32c(0, t->bytes, body));
    memcpy(t->bytes + body, line, LAST_LINE);
}

static void try(const struct fuzz_input *t)
{
    struct sl_manifest m;
    char *text, *copy = malloc(t->size + 1); /* of its size, so that reading past it is seen */
    size_t n;
    MUST(copy);
    memcpy(copy, t->bytes, t->size);
    copy[t->size] = '\0';
    fuzz.last = copy, fuzz.last_size = t->size;
    int code = sl_manifest_parse(copy, t->size, &m);
    MUST(code == SL_OK || code == SL_EINPUT || code == SL_EGUARD);
    MUST(code == SL_OK || !strchr(sl_error_text(), '\n'));
    if (code == SL_OK) {
        fuzz.taken++;
        MUST(sl_manifest_print(&m, SL_MANIFEST_MOST, &text, &n) == SL_OK);
        MUST(n == t->size && memcmp(text, copy, n) == 0);
        free(text);
        sl_manifest_free(&m);
    }
    free(copy);
}

/* A manifest as it is written. */
static void seed_input(struct fuzz_input *t)
{
    struct sl_manifest_file files[2] = {{4096, 1, 0, 0, 0}, {8192, 3, 1, 3, 0}};
    char keys[] = "mesh.cells: [16, 16]\nfluid.cfl: 0.3\nproblem: sod\n";
    struct sl_sealed_file sealed[2] = {{(char *)"history.tsv", 77, 5, true},
                                       {(char *)"snapshots/a_0000", 40000, ~0u, false}};
    struct sl_manifest m = {.recipe = "0123abcd",
                            .code = "v1 dirty",
                            .seq = 7,
                            .step = 123,
                            .ranks = 2,
                            .time = 0.1,
                            .dt = 1e-3,
                            .time_unit = 1,
                            .next_history = 4,
                            .real_bytes = 8,
                            .nvar = 5,
                            .energy = 4,
                            .entropy = -1,
                            .scalar0 = 5,
                            .dim = 2,
                            .cells = {16, 16, 1},
                            .block_cells = {8, 8, 1},
                            .hi = {1, 1, 1},
                            .keys = keys,
                            .sealed = {2, sealed},
                            .nfile = 2,
                            .nblock = 4,
                            .nlevel = 2,
                            .allowed = {1e-3, 5e-4},
                            .file = files};
    char *text;
    MUST(sl_manifest_print(&m, SL_MANIFEST_MOST, &text, &t->size) == SL_OK && t->size < FUZZ_BYTES);
    memcpy(t->bytes, text, t->size);
    free(text);
}

int main(void)
{
    static struct fuzz_input seed, t;
    fuzz_start(&fuzz, "manifest");
    seed_input(&seed);
    try(&seed);
    MUST(fuzz.taken == 1);
    double began = fuzz_used();
    do {
        memcpy(&t, &seed, sizeof t);
        for (uint64_t n = 1 + fuzz_draw(&fuzz, 4); n > 0; n--)
            harm(&t);
        if (fuzz_draw(&fuzz, 8)) seal(&t);
        try(&t);
    } while (fuzz_again(&fuzz, &began));
    fuzz_report(&fuzz);
    return 0;
}
