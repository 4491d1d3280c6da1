/* cosmology_recipe.c - see cosmology_recipe.h. */
#include "core/ic/cosmology_recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/inputs.h"
#include "core/config/keys.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

static bool counts(const struct sl_key *key)
{
    static const char *const paths[] = {"seed", "mesh.box"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(key->path, paths[i]) == 0) return true;
    return strncmp(key->path, "cosmology.", 10) == 0 ||
           (strncmp(key->path, "ic.", 3) == 0 && strcmp(key->path, "ic.particles") != 0 &&
            strcmp(key->path, "ic.level") != 0 && strcmp(key->path, "ic.write") != 0 &&
            strcmp(key->path, "ic.file") != 0);
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
    if (sl_config_wants(cfg, SL_SOURCE_particles))
        fprintf(f, "particles: at corners of cells, one in %lld along each axis\n",
                (long long)cfg->particles_spacing);
    SL_CHECK(fclose(f) == 0, SL_EMEM, "out of memory");
    return SL_OK;
}
