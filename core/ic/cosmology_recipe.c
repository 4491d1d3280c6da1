/* cosmology_recipe.c - see cosmology_recipe.h. */
#include "core/ic/cosmology_recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/inputs.h"
#include "core/sys/keys.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

int sl_cosmology_recipe_check(const struct sl_config *cfg)
{
    SL_CHECK(sl_config_dim(cfg) == 3, SL_EINPUT,
             "problem cosmology needs three dimensions: mesh.cells: [n, n, n]");
    for (int d = 0; d < 3; d++)
        SL_CHECK(cfg->mesh_cells[d] % 2 == 0, SL_EINPUT,
                 "problem cosmology needs even numbers of cells, mesh.cells has %lld along axis %d",
                 (long long)cfg->mesh_cells[d], d);
    for (int f = 0; f < 6 && f < cfg->mesh_boundary_n; f++)
        SL_CHECK(cfg->mesh_boundary[f] == SL_BOUNDARY_periodic, SL_EINPUT,
                 "problem cosmology needs mesh.boundary: periodic");
    SL_CHECK(cfg->fluid_mhd == SL_MHD_none, SL_EINPUT,
             "problem cosmology has no magnetic field yet: fluid.mhd: none");
    SL_CHECK(cfg->fluid_scalars == 0, SL_EINPUT,
             "problem cosmology sets no passive scalars: fluid.scalars: 0");
    bool both =
        cfg->ic_species == SL_IC_SPECIES_distinct || cfg->ic_species == SL_IC_SPECIES_one_fluid;
    SL_CHECK(
        !both || cfg->cosmology_file[0] || cfg->cosmology_omega_b > 0, SL_EINPUT,
        "there is no gas: cosmology.omega_b is 0; ic.species: dark_matter says that this is meant");
    SL_CHECK(!both || cfg->cosmology_file[0] || cfg->cosmology_omega_b < cfg->cosmology_omega_m,
             SL_EINPUT, "there is no dark matter: ic.species: baryons says that this is meant");
    return SL_OK;
}

static bool counts(const struct sl_key *key)
{
    static const char *const paths[] = {"seed", "mesh.box"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(key->path, paths[i]) == 0) return true;
    return strncmp(key->path, "cosmology.", 10) == 0 ||
           (strncmp(key->path, "ic.", 3) == 0 && strcmp(key->path, "ic.particles") != 0);
}

int sl_cosmology_recipe_text(const struct sl_config *cfg, char **text)
{
    size_t size;
    FILE *f = open_memstream(text, &size);
    SL_CHECK(f, SL_EMEM, "out of memory");
    fprintf(f, "scheme: %d\nproblem: cosmology\n", SL_RANDOM_SCHEME);
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char value[2 * SL_TEXT_MAX + 1100];
        if (!counts(&sl_keys[i])) continue;
        sl_key_print(&sl_keys[i], cfg, value, sizeof value);
        fprintf(f, "%s: %s\n", sl_keys[i].path, value);
    }
    SL_CHECK(fclose(f) == 0, SL_EMEM, "out of memory");
    return SL_OK;
}
