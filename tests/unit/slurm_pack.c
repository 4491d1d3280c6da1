/* slurm_pack.c - how many members share a node. */
#include "pipeline/slurm_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void rows(void **state)
{
    (void)state;
    static const struct {
        int recipe, site, cores, node_gpus, ranks, gpus, nodes, want;
    } list[] = {
        {0, 1, 64, 4, 8, 0, 0, 1},   /* as a site that shares its nodes wants it */
        {0, 0, 64, 4, 8, 0, 0, 8},   /* whole nodes: by cores */
        {0, 0, 64, 4, 8, 1, 0, 4},   /* by GPUs */
        {0, 0, 64, 4, 1, 4, 0, 1},   /* a member takes all GPUs */
        {0, 0, 0, 0, 8, 0, 0, 1},    /* nothing is known of the nodes */
        {3, 1, 0, 0, 8, 0, 0, 3},    /* a person says so */
        {16, 1, 64, 0, 8, 0, 0, 8},  /* more than fit */
        {2, 0, 64, 0, 8, 0, 0, 2},   /* the recipe wins */
        {4, 0, 64, 4, 128, 0, 2, 1}, /* a member of two nodes */
        {0, 0, 64, 4, 128, 0, 0, 1}, /* and one that will need two */
        {0, 6, 64, 0, 8, 0, 0, 6},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct sl_config cfg;
        struct sl_site site;
        sl_config_default(&cfg);
        sl_site_default(&site);
        cfg.slurm_pack = list[i].recipe;
        cfg.resources_ranks = list[i].ranks;
        cfg.resources_gpus = list[i].gpus;
        cfg.resources_nodes = list[i].nodes;
        site.pack = list[i].site;
        site.cores = list[i].cores;
        site.gpus = list[i].node_gpus;
        assert_int_equal(sl_slurm_pack(&cfg, &site), list[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
