/* start_gadget.c - a start for Gadget and its relatives: ic.hdf5, their format 3; see start.h.
 *
 * Comoving kpc/h, 1e10 Msun/h; velocities are dx/dt sqrt(a): proper peculiar ones in sqrt(a) km/s.
 */
#include <math.h>
#include <stdint.h>

#include "core/ic/start.h"
#include "core/sys/status.h"

static int parameters(const struct sl_start *s, const char *dir)
{
    FILE *f = sl_start_parameters(dir);
    if (f)
        fprintf(f,
                "%% lines for the parameter file; types: 0 gas, 1 dark matter\n"
                "%% gas: %s\n"
                "InitCondFile             %s\n"
                "ICFormat                 3\n"
                "ComovingIntegrationOn    1\n"
                "%% PeriodicBoundariesOn  1   in Gadget-2, Gadget-3 and Arepo alone\n"
                "TimeBegin                %.16g\n"
                "Omega0                   %.10g\n"
                "OmegaLambda              %.10g\n"
                "OmegaBaryon              %.10g\n"
                "HubbleParam              %.10g\n"
                "BoxSize                  %.10g\n"
                "UnitLength_in_cm         3.085678e21\n"
                "UnitMass_in_g            1.989e43\n"
                "UnitVelocity_in_cm_per_s 1e5\n",
                sl_start_gas_words(s), s->file, s->a, s->omega_m, s->omega_de,
                s->gas ? s->share * s->omega_m : 0, s->h, 1e3 * s->length[0]);
    if (f && s->gas)
        fprintf(f,
                "InitGasTemp              0    %% ic.hdf5 has the internal energy; mean %.6g K\n",
                s->temperature);
    return sl_start_close(f, dir);
}

int sl_start_gadget_write(const struct sl_start *s, const char *dir)
{
    char path[SL_PATH_MAX];
    const struct sl_start_units u = {.length = 1e3,
                                     .mass = 1e-10,
                                     .velocity = 1 / sqrt(s->a),
                                     .energy = 1,
                                     .lengths = "kpc/h, comoving",
                                     .weights = "1e10 Msun/h",
                                     .speeds = "sqrt(a) km/s, proper peculiar"};
    SL_TRY(sl_start_cubes(s, true, "Gadget"));
    SL_CHECK(sl_start_dark_number(s) <= INT32_MAX, SL_EINPUT,
             "%s: a file of Gadget counts up to 2^31 - 1 particles of a type, not %zu", s->path,
             sl_start_dark_number(s));
    SL_TRY(sl_start_file(s, path, dir));
    SL_TRY(sl_start_particles(s, path, &u, NULL));
    return parameters(s, dir);
}
