/* transfer.c - damaged tables of transfer functions and parameter files: whatever the bytes, the
 * readers answer "ok" or "error in the input" with a message that names the file, and what they
 * accept can be examined and made into power.
 *
 * Mutates the tables of tests/data/cosmo for 4 s, or SLUICE_FUZZ_SECONDS, from SLUICE_FUZZ_SEED
 * (the clock without it; printed). A failing input is left in build/fuzz-transfer.dat.
 */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cosmo/cmbfast.h"
#include "core/cosmo/power.h"
#include "core/cosmo/transfer.h"
#include "core/sys/file.h"
#include "core/sys/text.h"
#include "tests/cosmo.h"

enum { MOST_SEEDS = 32, MOST_BYTES = 1 << 17, MOST_RUNS = 2000 };

static struct {
    char *bytes;
    size_t size;
} seeds[MOST_SEEDS];
static int seed_count;
static struct {
    char bytes[MOST_BYTES + 1];
    size_t size;
} text;
static uint64_t state, taken, made, parameters;

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) failed(#cond);                                                                \
    } while (0)

static void failed(const char *what)
{
    FILE *f = fopen("build/fuzz-transfer.dat", "w");
    if (f) {
        fwrite(text.bytes, 1, text.size, f);
        fclose(f);
    }
    fprintf(stderr, "not so: %s\nlast message: %s\ninput: build/fuzz-transfer.dat\n", what,
            sl_error_text());
    abort();
}

static uint64_t draw(uint64_t below)
{
    state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

static void must_refuse_well(int code)
{
    const char *said = sl_error_text();
    struct sl_mark at = {"t", 1, 1};
    MUST(code == SL_EINPUT);
    MUST(strncmp(said, "t.dat", 5) == 0);
    MUST(sl_text_check(said, strlen(said), &at) == NULL && !strchr(said, '\n'));
}

static void make_power(const struct sl_cosmology *c, const struct sl_transfer *t, double z)
{
    struct sl_power p;
    struct sl_power_spec spec = {.cosmology = *c,
                                 .n_s = 0.96,
                                 .k_pivot = 0.05,
                                 .norm = draw(2) ? SL_POWER_sigma8 : SL_POWER_a_s,
                                 .a_s = 2.1e-9,
                                 .sigma8 = 0.8,
                                 .z = z,
                                 .table = t,
                                 .table_z = z};
    if (t->power) spec.norm = SL_POWER_as_table;
    if (sl_power_init(&spec, &p) != SL_OK) return;
    made++;
    for (double k = 1e-7; k < 1e5; k *= 40)
        for (int f = 0; f < SL_POWER_FIELDS; f++)
            MUST(!isnan(sl_power_amplitude(&p, (enum sl_power_field)f, k)));
    sl_power_release(&p);
}

static void try_parameters(void)
{
    struct sl_cmbfast p;
    int code = sl_cmbfast_parse("t.dat", text.bytes, text.size, &p);
    if (code != SL_OK)
        must_refuse_well(code);
    else
        MUST(p.h0 > 0 && isfinite(p.omega_v) && p.ntf >= 0 && p.ntf <= SL_CMBFAST_OUTPUTS);
    parameters += code == SL_OK;
}

static void try_one(const struct sl_cosmology *c)
{
    static const double redshifts[] = {-1, 0, 99};
    double z = redshifts[draw(3)];
    struct sl_transfer t;
    struct sl_findings found = {0};
    struct sl_transfer_look look;
    struct sl_transfer_ask ask = {
        .cosmology = c, .a_s = 2.1e-9, .n_s = 0.96, .k_pivot = 0.05, .z = z};
    try_parameters();
    int code = sl_transfer_parse("t.dat", text.bytes, text.size, c, z, &t);
    if (code != SL_OK) {
        must_refuse_well(code);
        return;
    }
    taken++;
    sl_transfer_examine(&t, &ask, &look, &found);
    int wrong = 0;
    for (int i = 0; i < found.n; i++)
        wrong += found.item[i].kind == SL_FINDING_WRONG;
    MUST(isfinite(look.z) && look.z >= -1);
    if (!wrong) make_power(c, &t, fmax(look.z, 0));
    sl_transfer_release(&t);
}

static void cut(size_t at, size_t n)
{
    if (at + n > text.size) n = text.size - at;
    memmove(text.bytes + at, text.bytes + at + n, text.size - at - n);
    text.size -= n;
}

static void put(size_t at, const char *bytes, size_t n)
{
    char part[512];
    if (n > sizeof part) n = sizeof part;
    if (text.size + n > MOST_BYTES) return;
    memcpy(part, bytes, n);
    memmove(text.bytes + at + n, text.bytes + at, text.size - at);
    memcpy(text.bytes + at, part, n);
    text.size += n;
}

static const char *const words[] = {"#",
                                    "\n",
                                    " ",
                                    "0",
                                    "-",
                                    "1e308",
                                    "nan",
                                    "1e-320",
                                    "E+99",
                                    "\r\n",
                                    "\t",
                                    "k/h",
                                    "1:k (h/Mpc)",
                                    "2:d_cdm",
                                    " 3:d_b",
                                    "t_cdm",
                                    "# k/h CDM baryon\n",
                                    "redshift z=1e99",
                                    "redshift z=",
                                    "=",
                                    "omegab",
                                    "(",
                                    "1 1\n",
                                    "\xff",
                                    ":",
                                    "0.1D+05",
                                    "**",
                                    "1 2 3 4 5\n",
                                    "1e-300 1 1 1 1\n"};

static void mutate(void)
{
    size_t at = draw(text.size + 1);
    const char *word = words[draw(sizeof words / sizeof words[0])];
    int other = (int)draw((uint64_t)seed_count);
    size_t from = draw(seeds[other].size + 1), n = 1 + draw(400);
    switch (draw(7)) {
    case 0:
        if (at < text.size) text.bytes[at] ^= (char)(1 << draw(8));
        break;
    case 1:
        cut(at, 1 + draw(200));
        break;
    case 2:
        cut(at, draw(text.size + 1));
        break;
    case 3:
        if (from + n > seeds[other].size) n = seeds[other].size - from;
        put(at, seeds[other].bytes + from, n);
        break;
    case 4:
        if (at < text.size) text.bytes[at] = (char)('0' + draw(10));
        break;
    default:
        put(at, word, strlen(word));
    }
}

static void add_seed(const char *bytes)
{
    for (int copies = 0; copies < 3; copies++) { /* as many as tables would drown them otherwise */
        seeds[seed_count].bytes = strdup(bytes);
        seeds[seed_count++].size = strlen(bytes);
    }
}

static void add_seeds(void)
{
    char dir_path[600], path[900];
    DIR *dir = opendir(test_data("", dir_path));
    MUST(dir);
    for (struct dirent *e; (e = readdir(dir)) && seed_count < MOST_SEEDS - 6;) {
        snprintf(path, sizeof path, "%s%s", dir_path, e->d_name);
        if (e->d_name[0] == '.') continue;
        MUST(sl_file_read(path, MOST_BYTES, &seeds[seed_count].bytes, &seeds[seed_count].size) ==
             SL_OK);
        seed_count++;
    }
    closedir(dir);
    add_seed("omegab = 0.05\nomegac = 0.3\nomegav = 0.6\nh0 = 65.0\nntf = 2\nz(1) = 99\nz(2) = "
             "0\nftf(1) = a\n"
             "an(1) = 0.95\nquin = 0\n");
    add_seed("1\n7 5\n2 99 0\na\nb\n1\n-0.9\n0.05 0.3 0.65 0\n65 2.7 0.24 3 0 10.75\n0\n0\n1\n");
    MUST(seed_count > 10);
}

/* A few hundred lines of a table are as good as all, and quicker. */
static void begin(void)
{
    int from = (int)draw((uint64_t)seed_count);
    size_t n = seeds[from].size;
    memcpy(text.bytes, seeds[from].bytes, n);
    text.size = n;
    if (n > 30000 && draw(3) > 0) cut(4000 + draw(8000), n - 20000);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    const char *seconds = getenv("SLUICE_FUZZ_SECONDS"), *given = getenv("SLUICE_FUZZ_SEED");
    double end = now() + (seconds ? strtod(seconds, NULL) : 4);
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL), runs = 0;
    struct sl_cosmology c = test_cosmology(2.7255);
    add_seeds();
    state = seed;
    printf("seed %llu, %d tables to start from\n", (unsigned long long)seed, seed_count);
    /* a busy machine does not get to all kinds in that time */
    for (; now() < end || (runs < MOST_RUNS && (made == 0 || parameters == 0)); runs++) {
        begin();
        for (uint64_t n = draw(6); n > 0; n--)
            mutate();
        try_one(&c);
    }
    printf("%llu inputs, %llu read, %llu made into power, %llu parameter files\n",
           (unsigned long long)runs, (unsigned long long)taken, (unsigned long long)made,
           (unsigned long long)parameters);
    MUST(made > 0 && parameters > 0);
    for (int i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    return 0;
}
