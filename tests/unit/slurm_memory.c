/* slurm/memory.c - what is asked of a cluster: by the recipe, by the plan, by what members of the
 * same size took, after one that
 * ended for want of memory; on how many nodes there is so much; and the sums that tell what was
 * used of it. */
#include "core/config/config.h"
#include "pipeline/slurm/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"
#include "pipeline/campaign/use.h"
#include "pipeline/plan/plan.h"

static struct sl_config cfg;
static struct sl_site site;

static int fresh(void **state)
{
    (void)state;
    static const char recipe[] =
        "campaign: c\nproblem: wave\nmesh.cells: [64, 64, 64]\ntime.end: 1\n"
        "resources.ranks: 4\n";
    if (sl_config_parse("test", recipe, sizeof recipe - 1, NULL, 0, &cfg) != SL_OK) return 1;
    sl_site_default(&site);
    snprintf(site.memory, sizeof site.memory, "mem-per-cpu");
    return 0;
}

static long long ask(const struct sl_use *use, const struct sl_stage_state *before)
{
    return sl_slurm_memory(&site, &cfg, SL_STAGE_sim, NULL, use, before);
}

static void sources(void **state)
{
    (void)state;
    double planned = sl_plan_memory(&cfg, SL_STAGE_sim), mega = 1048576;
    struct sl_use use = {.sizes = 1, .size = {{planned, 100 * mega, 3}}};
    assert_int_equal(ask(NULL, NULL), (long long)ceil(1.5 * planned / mega + 256));
    assert_int_equal(ask(&use, NULL), 125);
    use.size[0].planned *= 2; /* of others */
    assert_int_equal(ask(&use, NULL), ask(NULL, NULL));
    cfg.resources_memory = 400 * mega;
    assert_int_equal(ask(&use, NULL), 100);
    cfg.resources_sim_memory = 800 * mega;
    assert_int_equal(ask(&use, NULL), 200);
    cfg.resources_sim_memory = 0;
    assert_int_equal(ask(&use, NULL), 0);
    cfg.resources_sim_memory = cfg.resources_memory = -1;
    snprintf(site.memory, sizeof site.memory, "none");
    assert_int_equal(ask(&use, NULL), 0);
}

/* Twice as much, but no more than a node has. */
static void raised(void **state)
{
    (void)state;
    double mega = 1048576;
    struct sl_stage_state short_of = {.shortages = 1, .asked = 300 * mega};
    cfg.resources_memory = 400 * mega;
    assert_int_equal(ask(NULL, &short_of), 600);
    site.node_memory = 500;
    assert_int_equal(ask(NULL, &short_of), 500);
    short_of.shortages = 0;
    assert_int_equal(ask(NULL, &short_of), 100);
}

/* Four ranks on one node of 1000 MiB: a quarter is what each can have, however much would be asked
 * for. */
static void as_much_as_there_is(void **state)
{
    (void)state;
    double mega = 1048576;
    struct sl_stage_state short_of = {.shortages = 1, .asked = 200 * mega};
    struct sl_use use = {.sizes = 1, .size = {{sl_plan_memory(&cfg, SL_STAGE_sim), 240 * mega, 3}}};
    cfg.resources_nodes = 1;
    site.node_memory = 1000;
    assert_int_equal(ask(&use, NULL), 250);
    assert_int_equal(ask(&use, &short_of), 250);
}

static int nodes(long long rank, int pack, long long *n)
{
    return sl_slurm_nodes(&site, &cfg, "sim", rank, pack, n);
}

static void places(void **state)
{
    (void)state;
    long long n;
    assert_int_equal(nodes(300, 1, &n), SL_OK);
    assert_int_equal(n, 0); /* nothing is known */
    site.node_memory = 1000;
    assert_int_equal(nodes(200, 1, &n), SL_OK);
    assert_int_equal(n, 0); /* all fit on one */
    assert_int_equal(nodes(300, 1, &n), SL_OK);
    assert_int_equal(n, 2);
    site.cores = 1;
    assert_int_equal(nodes(300, 1, &n), SL_OK);
    assert_int_equal(n, 4);
    cfg.resources_nodes = 1;
    assert_int_equal(nodes(300, 1, &n), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "that takes 2 nodes (resources.sim.nodes), not 1"));
    cfg.resources_nodes = 0;
    assert_int_equal(nodes(1001, 1, &n), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "a node has 1000 MiB: give it more ranks"));
    assert_int_equal(nodes(200, 2, &n), SL_EINPUT); /* two members on one node */
    snprintf(cfg.slurm_partition, sizeof cfg.slurm_partition, "other");
    assert_int_equal(nodes(1001, 1, &n), SL_OK);
}

static void ended_by_slurm(void **state)
{
    (void)state;
    double asked = 7, mega = 1048576;
    assert_false(sl_slurm_ended_short("JobId=3 JobState=NODE_FAIL MinMemoryCPU=100M", 2, &asked));
    assert_false(sl_slurm_ended_short(NULL, 2, &asked));
    assert_true(asked == 7);
    assert_true(
        sl_slurm_ended_short("JobId=3 JobState=OUT_OF_MEMORY Reason=OutOfMemory", 2, &asked));
    assert_true(asked == 7);
    assert_true(sl_slurm_ended_short("JobState=OUT_OF_MEMORY MinMemoryCPU=100M", 2, &asked));
    assert_true(asked == 100 * mega);
    assert_true(sl_slurm_ended_short("JobState=OUT_OF_MEMORY MinMemoryNode=1.50G", 2, &asked));
    assert_true(asked == 768 * mega);
}

static void used(void **state)
{
    (void)state;
    struct sl_use use = {.attempts = 2, .seconds = 30, .walltime = 120, .memory = 50, .asked = 200},
                  none = {0};
    assert_true(fabs(sl_use_time(&use) - 0.25) < 1e-12 && fabs(sl_use_memory(&use) - 0.25) < 1e-12);
    assert_true(sl_use_time(&none) < 0 && sl_use_memory(&none) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(sources, fresh),
                                       cmocka_unit_test_setup(raised, fresh),
                                       cmocka_unit_test_setup(as_much_as_there_is, fresh),
                                       cmocka_unit_test_setup(places, fresh),
                                       cmocka_unit_test(used),
                                       cmocka_unit_test(ended_by_slurm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
