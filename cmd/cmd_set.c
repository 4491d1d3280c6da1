/* cmd_set.c - sluice set: changes resources and output of what a campaign has still to run.
 *
 * Shapes  none
 * Units   as in a recipe
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD for a key that may not change, SL_EAGAIN while the
 *         campaign is at work
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/settings.h"

static int print_settings(const struct sl_campaign *c, bool json)
{
    struct sl_settings s;
    SL_TRY(sl_settings_read(c->dir, &s));
    json_t *list = json_object();
    for (int i = 0; i < s.n; i++) {
        int name = (int)strcspn(s.word[i], "=");
        char key[160];
        snprintf(key, sizeof key, "%.*s", name, s.word[i]);
        if (json)
            json_object_set_new(list, key, sl_json_text(s.word[i] + name + 1));
        else
            printf("%s: %s\n", key, s.word[i] + name + 1);
    }
    if (!json && s.n == 0) puts("nothing was changed: the recipe holds");
    sl_settings_release(&s);
    if (!json) json_decref(list);
    return json ? sl_json_print(
                      json_pack("{s:i, s:s, s:o}", "v", 1, "campaign", c->name, "settings", list))
                : SL_OK;
}

static int run(int argc, char **argv)
{
    bool json = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign c;
    int words, used;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "set [CAMPAIGN] [key=value...]", &words));
    SL_TRY(sl_select_campaign(argv + 1, words, &c, &used));
    int code = words > used ? sl_settings_change(&c, argv + 1 + used, words - used) : SL_OK;
    if (code == SL_OK) code = print_settings(&c, json);
    sl_campaign_release(&c);
    return code;
}

const struct sl_verb sl_verb_set = {
    .name = "set",
    .group = SL_VERB_mend,
    .usage = "[CAMPAIGN] [key=value...] [--json]",
    .about = "change resources and output of what a campaign has still to run",
    .help =
        "  key=value   resources.* but resources.precision, slurm.*, notify.*, stages.*,\n"
        "              output.checkpoint, output.keep, output.delete, output.precision, "
        "output.sample, "
        "output.center;\n"
        "              members that are done keep theirs; files that a command of stages.* names "
        "are\n"
        "              copied as they are now, and `sluice retry --from own all` runs it again\n"
        "  --json      {v, campaign, settings: {key: value as text}}\n"
        "Without key=value it prints what was changed. All other keys need a new campaign; as "
        "long as no\n"
        "member has begun, `sluice run RECIPE` replaces the campaign by that of the recipe.",
    .run = run};
