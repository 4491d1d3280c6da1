/* sheet.h - the plan of a recipe or a campaign as `sluice plan` shows it and `sluice submit` asks
 * about: members, memory, disk, time; on a cluster also every call of sbatch, limits, node hours
 * and the end that may be expected.
 *
 * Shapes  none
 * Units   bytes, seconds
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD, SL_EMEM; a cluster that does not answer is none
 * Owns    what sl_sheet_release frees
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/plan.sh
 */
#ifndef SL_PIPELINE_SHOW_SHEET_H
#define SL_PIPELINE_SHOW_SHEET_H

#include "core/config/config.h"
#include "pipeline/local/devices.h"
#include "pipeline/plan/pace.h"
#include "pipeline/slurm/cluster.h"
#include "pipeline/slurm/submit.h"

struct sl_sheet {
    /* chosen by the caller, zero otherwise */
    int cores;
    bool many;    /* more than SL_MEMBERS_ASK members are meant */
    bool slurm;   /* for a cluster */
    bool offline; /* asks it nothing */
    const char *dir;
    long long throttle;
    /* found */
    struct sl_plan plan;
    struct sl_pace pace;
    struct sl_filling filling; /* of the levels of its members */
    struct sl_config first;
    struct sl_devices devices; /* of this machine */
    char place[SL_PATH_MAX];   /* directory of the campaign, there or not */
    double rate;               /* measured in this campaign, per rank; 0: none */
    struct sl_site site;
    struct sl_cluster cluster;
    struct sl_request_size size;
    json_t *notes;          /* owned: sentences on the tables of the recipe */
    json_t *calls, *limits; /* owned: words of each call of sbatch; NULL without a cluster */
};

/* Fills the sheet from RECIPE [key=value...] or from [CAMPAIGN] [MEMBER...] . */
int sl_sheet_make(struct sl_sheet *sheet, char **words, int n);
void sl_sheet_release(struct sl_sheet *sheet);

void sl_sheet_print(const struct sl_sheet *sheet);
int sl_sheet_json(const struct sl_sheet *sheet);

#endif
