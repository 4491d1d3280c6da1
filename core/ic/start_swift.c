/* start_swift.c - a start for SWIFT: ic.hdf5; see start.h.
 *
 * Comoving Mpc and 1e10 Msun without h, velocities proper peculiar km/s, internal energy physical:
 * SWIFT's cleanup_h_factors and cleanup_velocity_factors stay 0.
 */
#include "core/cosmo/background.h"
#include "core/ic/start.h"
#include "core/io/h5.h"
#include "core/sys/status.h"

#define MPC_CM (1e5 * SL_MPC_KM)
#define MASS_G 1.98841e43 /* 1e10 Msun */

static int put_units(const struct sl_start *s, hid_t file)
{
    static const struct {
        const char *name;
        double value;
    } rows[] = {{"Unit length in cgs (U_L)", MPC_CM},
                {"Unit mass in cgs (U_M)", MASS_G},
                {"Unit time in cgs (U_t)", SL_MPC_KM},
                {"Unit current in cgs (U_I)", 1},
                {"Unit temperature in cgs (U_T)", 1}};
    int code = SL_OK;
    (void)s;
    hid_t group = sl_h5_group(file, "Units");
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group Units");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && code == SL_OK; i++)
        code = sl_hdf_real(group, rows[i].name, rows[i].value);
    H5Gclose(group);
    return code;
}

static int parameters(const struct sl_start *s, const char *dir)
{
    FILE *f = sl_start_parameters(dir);
    double baryons = s->gas ? s->share * s->omega_m : 0;
    if (f)
        fprintf(f,
                "# lines for the parameter file\n"
                "# gas: %s\n"
                "InternalUnitSystem:\n"
                "  UnitMass_in_cgs:     %.10g\n"
                "  UnitLength_in_cgs:   %.16g\n"
                "  UnitVelocity_in_cgs: 1e5\n"
                "  UnitCurrent_in_cgs:  1\n"
                "  UnitTemp_in_cgs:     1\n"
                "Cosmology:\n"
                "  h:            %.10g\n"
                "  a_begin:      %.16g\n"
                "  Omega_cdm:    %.10g\n"
                "  Omega_b:      %.10g\n"
                "  Omega_lambda: %.10g\n"
                "  Omega_r:      %.10g\n"
                "InitialConditions:\n"
                "  file_name:  %s.hdf5\n"
                "  periodic:   1\n"
                "  cleanup_h_factors:        0\n"
                "  cleanup_velocity_factors: 0\n",
                sl_start_gas_words(s), MASS_G, MPC_CM, s->h, s->a, s->omega_m - baryons, baryons,
                s->omega_de, s->omega_r, s->file);
    return sl_start_close(f, dir);
}

int sl_start_swift_write(const struct sl_start *s, const char *dir)
{
    char path[SL_PATH_MAX];
    const struct sl_start_units u = {.length = 1 / s->h,
                                     .mass = 1e-10 / s->h,
                                     .velocity = 1,
                                     .energy = 1,
                                     .smoothing = 1.2348, /* SWIFT's resolution_eta */
                                     .masses = true,
                                     .lengths = "Mpc, comoving",
                                     .weights = "1e10 Msun",
                                     .speeds = "km/s, proper peculiar"};
    SL_TRY(sl_start_file(s, path, dir));
    SL_TRY(sl_start_particles(s, path, &u, put_units));
    return parameters(s, dir);
}
