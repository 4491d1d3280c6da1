/* slurm_site.c - tests slurm/detect.h: what is learnt of a cluster from the answers of Slurm's
 * commands; the texts are of 22.05 and of the manuals of later ones. */
#include "pipeline/slurm/detect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"

static struct sl_site site;
static struct sl_buffer notes;

static int fresh(void **state)
{
    (void)state;
    sl_site_default(&site);
    return 0;
}

static int over(void **state)
{
    (void)state;
    sl_buffer_release(&notes);
    return 0;
}

static void config(void **state)
{
    (void)state;
    sl_slurm_learn_config(&site,
                          "Configuration data as of 2026-11-21T09:00:00\n"
                          "JobRequeue              = 0\n"
                          "MaxArraySize            = 2001\n"
                          "SchedulerParameters     = bf_interval=30,max_array_tasks=500\n"
                          "SelectTypeParameters    = CR_CORE_MEMORY\n"
                          "SLURM_VERSION           = 23.11.4\n",
                          &notes);
    assert_string_equal(site.memory, "mem-per-cpu");
    assert_int_equal(site.max_array, 500);
    assert_int_equal(site.requeue, 0);
    assert_non_null(strstr(notes.s, "SLURM_VERSION 23.11.4\n"));
    sl_slurm_learn_config(
        &site, "MaxArraySize = 1001\nJobRequeue = 1\nSelectTypeParameters = CR_CPU\n", &notes);
    assert_string_equal(site.memory, "none");
    assert_int_equal(site.max_array, 1001);
    assert_int_equal(site.requeue, 1);
}

static void mpi(void **state)
{
    (void)state;
    sl_slurm_learn_mpi(&site,
                       "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin "
                       "versions available: pmix_v4\n",
                       &notes);
    assert_string_equal(site.mpi, "pmix");
    assert_non_null(strstr(notes.s, "srun can use pmi2, pmix\n"));
    sl_slurm_learn_mpi(&site, "srun: MPI types are...\nsrun: none\nsrun: pmi2\n", &notes);
    assert_string_equal(site.mpi, "pmi2");
    sl_slurm_learn_mpi(&site, "MPI plugin types are...\n\tcray_shasta\n", &notes);
    assert_string_equal(site.mpi, "cray_shasta");
}

static void nodes(void **state)
{
    (void)state;
    char shared[] = "short*|12|128|2-00:00:00|(null)|NO|257000\n"
                    "gpu|4|64|1-00:00:00|gpu:a100:4(S:0-3),nvme:1|NO|1031000\n";
    char whole[] = "big|900|128|1-00:00:00|gpu:8|EXCLUSIVE|2000000\n";
    sl_slurm_learn_nodes(&site, shared, &notes);
    assert_int_equal(site.cores, 64); /* what fits on every node */
    assert_int_equal(site.gpus, 4);
    assert_int_equal(site.pack, 1);
    assert_int_equal(site.node_memory, 257000); /* of the partition that jobs go to */
    assert_non_null(strstr(notes.s, "partition gpu: 4 nodes of 64 cores, 1-00:00:00, gpu:a100:4"));
    sl_slurm_learn_nodes(&site, whole, &notes);
    assert_int_equal(site.gpus, 8);
    assert_int_equal(site.pack, 0);
    assert_non_null(strstr(notes.s, "jobs get whole nodes"));
}

/* What Slurm's configuration allows, and what the nodes have; where some have more than it
 * tells, nothing is known. */
static void memory(void **state)
{
    (void)state;
    char same[] = "short*|12|128|1:00:00|(null)|NO|257000\n",
         more[] = "short*|12|128|1:00:00|(null)|NO|257000+\n";
    sl_slurm_learn_config(&site, "MaxMemPerNode = 100000\n", &notes);
    sl_slurm_learn_nodes(&site, same, &notes);
    assert_int_equal(site.node_memory, 100000);
    sl_slurm_learn_config(&site, "MaxMemPerNode = UNLIMITED\n", &notes);
    sl_slurm_learn_nodes(&site, more, &notes);
    assert_int_equal(site.node_memory, 0);
}

/* Of a small partition half may be left out, of one node none; the partition is the one of the
 * jobs. */
static void spare(void **state)
{
    (void)state;
    char four[] = "short*|3|128|1:00:00|(null)|NO|1\nlong|900|128|1:00:00|(null)|NO|1\n"
                  "short*|1|64|1:00:00|(null)|NO|1\n";
    char one[] = "short*|900|128|1:00:00|(null)|NO|1\nlong|1|64|1:00:00|(null)|NO|1\n";
    char *many = strdup(one);
    sl_slurm_learn_nodes(&site, many, &notes);
    free(many);
    assert_int_equal(site.exclude_max, 8);
    sl_slurm_learn_nodes(&site, four, &notes);
    assert_int_equal(site.exclude_max, 2);
    assert_int_equal(site.exclude_after, 2);
    snprintf(site.partition, sizeof site.partition, "long");
    sl_slurm_learn_nodes(&site, one, &notes);
    assert_int_equal(site.exclude_after, 0);
}

static void limits(void **state)
{
    (void)state;
    sl_slurm_learn_limits(&site, "|\n5000|\n|300\n", &notes);
    assert_int_equal(site.max_submit, 300);
    sl_site_default(&site);
    sl_slurm_learn_limits(&site, "|\n||\n", &notes);
    assert_int_equal(site.max_submit, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(config, fresh, over),
        cmocka_unit_test_setup_teardown(mpi, fresh, over),
        cmocka_unit_test_setup_teardown(nodes, fresh, over),
        cmocka_unit_test_setup_teardown(memory, fresh, over),
        cmocka_unit_test_setup_teardown(spare, fresh, over),
        cmocka_unit_test_setup_teardown(limits, fresh, over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
