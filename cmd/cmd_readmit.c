/* cmd_readmit.c - sluice readmit: lets nodes that a campaign leaves out back in.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE for a node that is not left out, SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/slurm/nodes.sh
 */
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/slurm/control.h"
#include "pipeline/slurm/node_list.h"

/* name "": all of them. */
static int readmit(const struct sl_campaign_state *st, const struct sl_site *site, const char *name)
{
    struct sl_fact fact;
    char out[2048];
    sl_nodes_exclude(&st->bad_nodes, site, sl_disk_now(), out, sizeof out);
    SL_CHECK(!*name || sl_node_list_match(out, name), SL_EUSAGE, "node %s is not left out%s%s",
             sl_quote(name).text, *out ? ": these are: " : ", and no other", out);
    if (!*out) return SL_OK;
    sl_fact_init(&fact, SL_FACT_forgive, "", "");
    snprintf(fact.node, sizeof fact.node, "%s", name);
    SL_TRY(sl_journal_add(st->campaign->dir, &fact));
    printf("%s: may be used again\n", *name ? name : out);
    return SL_OK;
}

/* What waits in the queue was told to leave them out; without Slurm at hand it goes on doing so. */
static int include_in_queue(const struct sl_campaign *c, struct sl_campaign_state *st,
                            const struct sl_site *site)
{
    char out[2048];
    SL_TRY(sl_campaign_state_refresh(st, false));
    sl_nodes_exclude(&st->bad_nodes, site, sl_disk_now(), out, sizeof out);
    return sl_slurm_exclude(c, out);
}

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    struct sl_campaign_state state;
    struct sl_site site;
    int words, used;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "readmit [CAMPAIGN] [NODE...]", &words));
    SL_TRY(sl_site_read(&site, NULL));
    SL_TRY(sl_select_campaign(argv + 1, words, &campaign, &used));
    int code = sl_campaign_state_open(&campaign, &state);
    if (code == SL_OK && words == used) code = readmit(&state, &site, "");
    for (int i = used; i < words && code == SL_OK; i++)
        code = readmit(&state, &site, argv[1 + i]);
    if (code == SL_OK) code = include_in_queue(&campaign, &state, &site);
    sl_campaign_state_release(&state);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_readmit = {
    .name = "readmit",
    .group = SL_VERB_cluster,
    .usage = "[CAMPAIGN] [NODE...]",
    .about = "use nodes again that a campaign avoids because they failed (Slurm)",
    .help = "  NODE   n2 n7; default: all of them. `sluice status` names them",
    .run = run};
