/* fuzz.h - what the fuzz programs share: random numbers, an input that is harmed piece by piece,
 * the clock, and what happens when something does not hold.
 *
 * A program runs for 5 s, or SLUICE_FUZZ_SECONDS, from SLUICE_FUZZ_SEED (the clock without it;
 * printed). The input that made something fail is left in build/fuzz-<name>.
 *
 * Shapes none. Units none. Errors end the program. Owns one input of at most FUZZ_BYTES. MPI local.
 * Where host. Refs none. Tests itself.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sys/status.h"

enum { FUZZ_BYTES = 1 << 18 };

struct fuzz_input {
    char bytes[FUZZ_BYTES];
    size_t size;
};

struct fuzz {
    const char *name; /* of the file that a failing input is left in: build/fuzz-<name> */
    const char *last; /* the input at work, borrowed */
    size_t last_size;
    uint64_t state;
    uint64_t runs, taken; /* inputs, and those that were accepted */
    double end, slowest;
};

#define FUZZ_MUST(f, cond)                                                                         \
    do {                                                                                           \
        if (!(cond)) fuzz_failed((f), #cond);                                                      \
    } while (0)

static inline void fuzz_failed(const struct fuzz *f, const char *what)
{
    char path[256];
    snprintf(path, sizeof path, "build/fuzz-%s", f->name);
    FILE *out = fopen(path, "w");
    if (out) {
        fwrite(f->last, 1, f->last_size, out);
        fclose(out);
    }
    fprintf(stderr, "not so: %s\nlast message: %s\ninput: %s\n", what, sl_error_text(), path);
    abort();
}

static inline uint64_t fuzz_draw(struct fuzz *f, uint64_t below)
{
    f->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = f->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

static inline double fuzz_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void fuzz_start(struct fuzz *f, const char *name)
{
    const char *seconds = getenv("SLUICE_FUZZ_SECONDS"), *given = getenv("SLUICE_FUZZ_SEED");
    *f = (struct fuzz){.name = name};
    f->state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    f->end = fuzz_now() + (seconds ? strtod(seconds, NULL) : 5);
    printf("seed %llu\n", (unsigned long long)f->state);
}

/* Of this process: what an input takes however busy the machine is. */
static inline double fuzz_used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Counts one input that took from fuzz_used() `began` until now, and says whether there is time for
 * another. */
static inline bool fuzz_again(struct fuzz *f, double *began)
{
    double stop = fuzz_used();
    f->runs++;
    if (stop - *began > f->slowest) f->slowest = stop - *began;
    FUZZ_MUST(f, f->slowest < 10);
    *began = stop;
    return fuzz_now() < f->end;
}

static inline void fuzz_report(const struct fuzz *f)
{
    printf("%llu inputs, %llu accepted, the slowest took %.3f s\n", (unsigned long long)f->runs,
           (unsigned long long)f->taken, f->slowest);
}

static inline void fuzz_cut(struct fuzz_input *t, size_t at, size_t n)
{
    if (at + n > t->size) n = t->size - at;
    memmove(t->bytes + at, t->bytes + at + n, t->size - at - n);
    t->size -= n;
}

static inline void fuzz_put(struct fuzz_input *t, size_t at, const char *bytes, size_t n)
{
    char part[512];
    if (n > sizeof part) n = sizeof part;
    if (t->size + n > FUZZ_BYTES) return;
    memcpy(part, bytes, n); /* may lie in t */
    memmove(t->bytes + at + n, t->bytes + at, t->size - at);
    memcpy(t->bytes + at, part, n);
    t->size += n;
}

static inline void fuzz_flip(struct fuzz *f, struct fuzz_input *t, size_t at)
{
    if (at < t->size) t->bytes[at] ^= (char)(1 << fuzz_draw(f, 8));
}

/* Writes n bytes over what stands at a place, without moving the rest. */
static inline void fuzz_over(struct fuzz_input *t, size_t at, const char *bytes, size_t n)
{
    if (at > t->size) return;
    memmove(t->bytes + at, bytes, n < t->size - at ? n : t->size - at);
}

#endif
