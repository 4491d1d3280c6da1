/* slurm/pack.c - how many members share a node, and how arrays share a limit. */
#include "core/config/config.h"
#include "pipeline/slurm/pack.h"

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

/* A slot holds the same members in every stage: the one that takes most counts. */
static void stages(void **state)
{
    (void)state;
    struct sl_config cfg;
    struct sl_site site;
    sl_config_default(&cfg);
    sl_site_default(&site);
    site.pack = 0;
    site.cores = 64;
    cfg.resources_ranks = 4;
    assert_int_equal(sl_slurm_pack(&cfg, &site), 16);
    cfg.resources_stats_ranks = 32;
    assert_int_equal(sl_slurm_pack(&cfg, &site), 2);
    cfg.resources_sim_nodes = 2;
    assert_int_equal(sl_slurm_pack(&cfg, &site), 1);
}

/* Only where it is said, and nobody asks after each member whether there are enough. */
static void turns(void **state)
{
    (void)state;
    struct sl_config cfg;
    sl_config_default(&cfg);
    assert_int_equal(sl_slurm_turns(&cfg), 1);
    cfg.resources_members_per_process = 5;
    assert_int_equal(sl_slurm_turns(&cfg), 5);
    cfg.resources_nodes = 2;
    assert_int_equal(sl_slurm_turns(&cfg), 1);
    cfg.resources_nodes = 1;
    cfg.ensemble_target = SL_TARGET_none + 1;
    assert_int_equal(sl_slurm_turns(&cfg), 1);
}

static void shares(void **state)
{
    (void)state;
    for (int limit = 1; limit < 40; limit++)
        for (int arrays = 1; arrays < 20; arrays++) {
            long long sum = 0;
            for (int k = 0; k < arrays; k++) {
                long long one = sl_slurm_share(limit, arrays, k);
                assert_true(one >= 1 && one <= limit);
                if (k < limit) sum += one; /* those that may be at work together */
            }
            assert_int_equal(sum, limit);
        }
    assert_int_equal(sl_slurm_share(0, 3, 1), 0);
    assert_int_equal(sl_slurm_share(7, 3, 0), 3);
    assert_int_equal(sl_slurm_share(7, 3, 2), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(stages),
                                       cmocka_unit_test(turns), cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
