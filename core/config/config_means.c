/* config_means.c - see config_rules.h: units, commands, and what a run is given to run with. */
#include "core/config/config_rules.h"

#include <string.h>

#include "core/config/command.h"
#include "core/sys/batch_options.h"
#include "core/sys/text.h"

/* Of the three of units, the first that is given, and the names of those that are not. */
static int first_unit(const struct sl_inputs *in, const struct sl_config *cfg, char missing[80])
{
    static const int key[] = {SL_KEY_units_length, SL_KEY_units_density, SL_KEY_units_velocity};
    const double value[] = {cfg->units_length, cfg->units_density, cfg->units_velocity};
    int first = -1;
    *missing = '\0';
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(missing);
        if (value[i] > 0 || sl_config_reported(in, key[i]))
            first = first < 0 && value[i] > 0 ? key[i] : first;
        else
            snprintf(missing + used, 80 - used, "%s%s", used ? " and " : "", sl_keys[key[i]].path);
    }
    return first;
}

static int check_units(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char missing[80], text[200];
    int first = first_unit(in, cfg, missing);
    if (first < 0 && cfg->units_weight > 0)
        SL_WRONG(in, units_weight,
                 "%g gives temperatures in K only with units.%s, density and velocity",
                 cfg->units_weight, "length");
    if (first < 0 || !*missing) return SL_OK;
    snprintf(text, sizeof text, "physical units need %s too: give all three, or none", missing);
    return sl_config_wrong(in, first, text);
}

static int check_batch(const struct sl_inputs *in, const struct sl_config *cfg)
{
    char text[3 * SL_BATCH_WORD];
    if (sl_batch_options_fault(cfg->slurm_options, text))
        SL_WRONG(in, slurm_options, "%.300s", text);
    return SL_OK;
}

static int check_notify(const struct sl_inputs *in, const struct sl_config *cfg)
{
    const char *program = cfg->notify_program;
    if (strchr(program, '/') && *program != '/')
        SL_WRONG(in, notify_program,
                 "%.200s is neither an absolute path nor a name that PATH finds",
                 sl_quote(program).text);
    if (*program != '/' && program[strcspn(program, " \t")])
        SL_WRONG(in, notify_program,
                 "%.200s: a program without arguments; nearest: a script that calls it",
                 sl_quote(program).text);
    return SL_OK;
}

static int check_stages(const struct sl_inputs *in, const struct sl_config *cfg)
{
#define STAGE_ROW(name, about) {SL_KEY_stages_##name, cfg->stages_##name},
    const struct {
        int key;
        const char *command;
    } row[] = {SL_COMMAND_LIST(STAGE_ROW)};
#undef STAGE_ROW
    char text[400];
    for (int k = 0; k < SL_COMMAND_KINDS; k++) {
        if (sl_command_check(row[k].command, (enum sl_command_kind)k) == SL_OK) continue;
        snprintf(text, sizeof text, "%.380s", sl_error_text());
        return sl_config_wrong(in, row[k].key, text);
    }
    return SL_OK;
}

int sl_config_check_means(const struct sl_inputs *in, const struct sl_config *cfg)
{
    SL_RULED(in, check_units(in, cfg));
    SL_RULED(in, check_batch(in, cfg));
    SL_RULED(in, check_notify(in, cfg));
    SL_RULED(in, check_stages(in, cfg));
    return SL_OK;
}
