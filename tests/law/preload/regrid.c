/* regrid.c - a rank of a run is killed inside a regrid: a library that is loaded before the program
 * (LD_PRELOAD). A regrid copies the forest of blocks; where it changes that, it shares the new one
 * out, and lets the old one go once blocks have moved. Those of a start are shared out as well. See
 * tests/law/kill_regrid.sh.
 *
 *   REGRID_RANK   the rank; others are left alone
 *   REGRID_CALL   how many times a forest was shared out when it dies
 *   REGRID_PLACE  at the first call of this function then
 */
#include <dlfcn.h>
#include <p4est_extended.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static int number(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

/* The function of the library itself, unless the rank dies here. */
static void *own(const char *name)
{
    const char *place = getenv("REGRID_PLACE");
    if (number("OMPI_COMM_WORLD_RANK") == number("REGRID_RANK") &&
        shared >= number("REGRID_CALL") && place && strcmp(place, name) == 0) {
        fprintf(stderr, "dies in %s\n", name);
        raise(SIGKILL);
    }
    return dlsym(RTLD_NEXT, name);
}

p4est_t *p4est_copy(p4est_t *forest, int with_data)
{
    p4est_t *(*f)(p4est_t *, int) = (p4est_t * (*)(p4est_t *, int)) own("p4est_copy");
    return f(forest, with_data);
}

void p4est_partition(p4est_t *forest, int for_coarsening, p4est_weight_t weight)
{
    shared++;
    void (*f)(p4est_t *, int, p4est_weight_t) =
        (void (*)(p4est_t *, int, p4est_weight_t))own("p4est_partition");
    f(forest, for_coarsening, weight);
}

void p4est_destroy(p4est_t *forest)
{
    void (*f)(p4est_t *) = (void (*)(p4est_t *))own("p4est_destroy");
    f(forest);
}
