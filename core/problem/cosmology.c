/* cosmology.c - the gas of a universe at the redshift at which a run would start, made by sluice-ic.
 *
 * Use it for initial conditions: fields of gas and particles of dark matter in ic.h5, their spectra, and a
 * snapshot of the gas that other programs read. The solver does not follow the expansion, so time.end is 0.
 * Code units are those in which the equations of a gas with gamma = 5/3 keep their form while the universe
 * expands: comoving Mpc/h, the mean density of matter, 100 km/s over the scale factor.
 *
 * Shapes  none
 * Units   comoving Mpc/h; density over the mean of all matter; a v / (100 km/s)
 * Errors  SL_EINPUT for keys that make no sense, or an ic.h5 that is missing, damaged or made for another run
 * Owns    its copy of what it needs of the recipe
 * MPI     fill is collective
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, eq. 15 and 16 (variables) and section 5 (baryons alone)
 * Tests   tests/law/cosmology.sh
 */
#include "core/problem/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/ic/cosmology_recipe.h"
#include "core/io/field_file.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(cosmology, 1, "initial fields of gas and dark matter in an expanding universe; mesh.box in comoving Mpc/h, time.end 0")
SL_RULE(cosmology, units_length, cfg->units_length == 0, "problem cosmology has units of its own, lengths are comoving Mpc/h; nearest: no units.*, and h times each length in Mpc")
/* clang-format on */

struct cosmology {
    char path[SL_TEXT_MAX];
    char *made_for; /* owned */
};

static void close_cosmology(void *data)
{
    struct cosmology *c = data;
    if (c) free(c->made_for);
    free(c);
}

static int open_cosmology(const struct sl_config *cfg, void **data)
{
    SL_TRY(sl_cosmology_recipe_check(cfg));
    SL_CHECK(cfg->time_end <= 0, SL_EINPUT,
             "problem cosmology has initial fields only, the solver does not follow the expansion: "
             "time.end "
             "must be 0");
    SL_CHECK(cfg->ic_species != SL_IC_SPECIES_dark_matter, SL_EINPUT,
             "ic.species: dark_matter is for sluice-ic alone: there is no gas to begin with");
    struct cosmology *c = calloc(1, sizeof *c);
    SL_CHECK(c, SL_EMEM, "out of memory");
    int code = sl_cosmology_recipe_text(cfg, &c->made_for);
    if (code != SL_OK) {
        close_cosmology(c);
        return code;
    }
    snprintf(c->path, sizeof c->path, "%s", cfg->run_input[0] ? cfg->run_input : "ic.h5");
    *data = c;
    return SL_OK;
}

static int fill(const void *data, struct sl_sim *sim)
{
    const struct cosmology *c = data;
    struct sl_field_source source = {.path = c->path, .expect = c->made_for};
    return sl_field_file_fill(&source, sim);
}

const struct sl_problem sl_problem_cosmology = {
    .name = "cosmology", .open = open_cosmology, .close = close_cosmology, .fill = fill};
