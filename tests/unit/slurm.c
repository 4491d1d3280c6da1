/* slurm.c - what Slurm's commands print, read right and, when it is cut, foreign or nonsense,
 * harmlessly: squeue, sbatch, scontrol show config, sinfo, sbatch --test-only; and which variables
 * of the environment they must not see. */
#include "pipeline/slurm/queue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "pipeline/slurm/call.h"
#include "pipeline/slurm/cluster.h"

static struct sl_generation generations[2] = {{.n = 10}, {.n = 10}};
static const struct sl_book book = {.camp = "1a2b3c4d", .generation = generations, .n = 2};

static struct sl_queue read_queue(const char *lines)
{
    struct sl_queue q = {.n = 0};
    char *text = strdup(lines);
    assert_int_equal(sl_queue_parse(&book, text, &q), SL_OK);
    free(text);
    return q;
}

static void squeue_lines(void **state)
{
    (void)state;
    struct sl_queue q =
        read_queue("12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g1|aa\n"
                   "12|5,7-9%2|PENDING|JobArrayTaskLimit||slc-1a2b3c4d-sim-g1|aa\n"
                   "13|0-9|PENDING|Dependency||slc-1a2b3c4d-stats-g1|bb\n"
                   "14|N/A|PENDING|DependencyNeverSatisfied||slc-1a2b3c4d-ensemble-g2|cc\n");
    assert_int_equal(q.n, 5);
    const struct sl_queue_item *item = sl_queue_find(&q, 0, SL_STAGE_sim, 8);
    assert_non_null(item);
    assert_int_equal(item->job, 12);
    assert_int_equal(item->first, 7);
    assert_int_equal(item->last, 9);
    assert_false(sl_queue_running(item));
    item = sl_queue_find(&q, 0, SL_STAGE_sim, 3);
    assert_non_null(item);
    assert_true(sl_queue_running(item));
    assert_string_equal(item->node, "n1");
    assert_null(sl_queue_find(&q, 0, SL_STAGE_sim, 4));
    assert_null(sl_queue_find(&q, 1, SL_STAGE_sim, 3));
    item = sl_queue_find(&q, 1, SL_STAGE_ensemble, 0);
    assert_non_null(item);
    assert_true(sl_queue_blocked(item));
    assert_string_equal(item->token, "cc");
    sl_queue_release(&q);
}

/* A state that no manual of today knows is alive: it is not pending, so it may run. */
static void states_and_reasons(void **state)
{
    (void)state;
    static const char *const alive[] = {"RUNNING",  "COMPLETING", "SUSPENDED",   "CONFIGURING",
                                        "RESIZING", "STAGE_OUT",  "NEW_IN_2031", ""};
    for (size_t i = 0; i < sizeof alive / sizeof *alive; i++) {
        char line[128];
        snprintf(line, sizeof line, "1|0|%s|None||slc-1a2b3c4d-sim-g1|t\n", alive[i]);
        struct sl_queue q = read_queue(line);
        assert_int_equal(q.n, 1);
        assert_true(sl_queue_running(&q.item[0]));
        sl_queue_release(&q);
    }
    assert_string_equal(sl_queue_sentence("ReasonOfTomorrow"), "ReasonOfTomorrow");
}

static void squeue_nonsense(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "\n\n\n",
        "squeue: error: something\n",
        "12|3|RUNNING|None|n1\n",                        /* cut */
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g1\n",    /* the comment is missing */
        "12|3|RUNNING|None|n1|slc-99999999-sim-g1|aa\n", /* of another campaign */
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g|aa\n",  /* no number */
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g0|aa\n", /* counted from 1 */
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g-1|aa\n",
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g01|aa\n",
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-sim-g99999999999999999999|aa\n",
        "12|3|RUNNING|None|n1|slc-1a2b3c4d-dance-g1|aa\n",
        "12|3|RUNNING|None|n1|slc-1a2b3c4d--g1|aa\n",
        "12|9-3|PENDING|None||slc-1a2b3c4d-sim-g1|aa\n", /* backwards */
        "12|3--5|PENDING|None||slc-1a2b3c4d-sim-g1|aa\n",
        "12|0-99999999999|PENDING|None||slc-1a2b3c4d-sim-g1|aa\n",
        "12|99999999999999999999999|PENDING|None||slc-1a2b3c4d-sim-g1|aa\n",
        "|||||||||||||||||\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sl_queue q = read_queue(bad[i]);
        if (q.n != 0) fail_msg("an item of: %s", bad[i]);
        sl_queue_release(&q);
    }
    /* what cannot be read ends its list; what stands before counts, and so do the other lines */
    struct sl_queue q = read_queue("12|1,x,3|PENDING|None||slc-1a2b3c4d-sim-g1|aa\n"
                                   "broken\377|\001|\n"
                                   "13|2|PENDING|None||slc-1a2b3c4d-sim-g2|aa");
    assert_int_equal(q.n, 2);
    assert_non_null(sl_queue_find(&q, 0, SL_STAGE_sim, 1));
    assert_non_null(sl_queue_find(&q, 1, SL_STAGE_sim, 2));
    sl_queue_release(&q);
}

/* Fields longer than what holds them are cut. */
static void squeue_long_fields(void **state)
{
    (void)state;
    char line[9000], field[2001];
    memset(field, 'x', sizeof field - 1);
    field[sizeof field - 1] = '\0';
    snprintf(line, sizeof line, "1|0|%s|%s|%s|slc-1a2b3c4d-sim-g1|%s\n", field, field, field,
             field);
    struct sl_queue q = read_queue(line);
    assert_int_equal(q.n, 1);
    assert_int_equal(strlen(q.item[0].reason), sizeof q.item[0].reason - 1);
    assert_int_equal(strlen(q.item[0].token), sizeof q.item[0].token - 1);
    sl_queue_release(&q);
}

static void ids_of_sbatch(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long id;
    } rows[] = {{"12\n", 12},
                {"12", 12},
                {"12;cluster\n", 12},
                {"welcome to 2 clusters\n12\nused 5 of 9 hours\n", 12},
                {"7\n12\n", 12},
                {"Submitted batch job 12\n", 12},
                {"Submitted batch job 12 on cluster fast\n", 12},
                {"----\n   Welcome to Pike3\n----\n--> Checking queue 42 ... OK\n1024\n"
                 "Submitted batch job 12\n--> Quota 0.00% of 12\n99\n",
                 12},
                {"Submitted batch job 12x\n", -1},
                {"Submitted batch job \n", -1},
                {"", -1},
                {"\n\n", -1},
                {"-12\n", -1},
                {"12x\n", -1},
                {"12 13\n", -1},
                {"99999999999999999999999\n", -1},
                {"\001\377\n", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(sl_slurm_job_id(rows[i].text), rows[i].id);
    assert_int_equal(sl_slurm_job_id(NULL), -1);
}

/* Messages of 22.05: is it certain that the controller did not take the request? */
static void doubts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool unsure;
    } rows[] = {{"scontrol: error: Unable to contact slurm controller (connect failure)", true},
                {"Batch job submission failed: Socket timed out on send/recv operation", true},
                {"sbatch: error: If munged is up, restart with --num-threads=10", true},
                {"sbatch: error: Munge encode failed: Failed to access \"/x\": No such file", true},
                {"slurm_load_jobs error: Protocol authentication error", true},
                {"scontrol gave no answer in 60 s", true},
                {"Requested operation is presently disabled for job 12", false},
                {"Batch job submission failed: Invalid account or account/partition", false},
                {"Job/step already completing or completed", false},
                {"cannot start scontrol: is Slurm installed here?", false},
                {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sl_slurm_unsure(rows[i].text) != rows[i].unsure) fail_msg("%s", rows[i].text);
}

static void variables(void **state)
{
    (void)state;
    static const char *const foreign[] = {
        "SLURM_JOB_ID=3",   "SBATCH_WRAP=x",    "SRUN_CPUS_PER_TASK",
        "SQUEUE_FORMAT=%i", "SACCT_FORMAT=x",   "SLURM_CONF_SERVER=x",
        "SALLOC_QOS=x",     "SCONTROL_ALL=yes", "SINFO_FORMAT=x"};
    static const char *const ours[] = {"PATH=/bin",  "SLURM_CONF=/etc/slurm.conf",
                                       "SLURM_CONF", "SLUICE_SITE=x",
                                       "XSLURM_A=1", "SLURM=1"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_true(sl_slurm_foreign(foreign[i]));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_false(sl_slurm_foreign(ours[i]));
}

static struct sl_cluster ask_config(const char *text)
{
    struct sl_cluster c;
    sl_cluster_unknown(&c);
    sl_cluster_read_config(&c, text);
    return c;
}

static void scontrol_config(void **state)
{
    (void)state;
    struct sl_cluster c = ask_config("Configuration data as of 2026-01-01T00:00:00\n"
                                     "AuthInfo                = socket=/x,cred_expire=5\n"
                                     "MaxJobCountX            = 1\n"
                                     "MaxJobCount             = 50000\n"
                                     "MinJobAge               = 60 sec\n");
    assert_int_equal(c.max_jobs, 50000);
    assert_true(c.min_age == 60 && c.requeue == 6);
    c = ask_config("MinJobAge = (null)\nMaxJobCount =\nAuthInfo = cred_expire=-4\nMaxJobCount");
    assert_int_equal(c.max_jobs, -1);
    assert_true(c.min_age == -1 && c.requeue == 121);
    ask_config("");
    ask_config(NULL);
}

static struct sl_cluster ask_sinfo(const char *partition, const char *lines)
{
    struct sl_cluster c;
    char text[1024];
    sl_cluster_unknown(&c);
    snprintf(text, sizeof text, "%s", lines);
    sl_cluster_read_sinfo(&c, partition, text);
    return c;
}

static void sinfo_lines(void **state)
{
    (void)state;
    const char *lines =
        "debug|30:00|0/8/0/8|4\nmain*|2-00:00:00|100/20/8/128|64+\nmain*|2-00:00:00|0/4/0/4|4\n";
    struct sl_cluster c = ask_sinfo("", lines);
    assert_string_equal(c.partition, "main");
    assert_int_equal(c.cpus, 124);
    assert_int_equal(c.idle_cpus, 24);
    assert_int_equal(c.node_cpus, 4);
    assert_true(c.time_limit == 172800);
    c = ask_sinfo("debug", lines);
    assert_true(c.time_limit == 1800 && c.cpus == 8);
    c = ask_sinfo("other", lines);
    assert_int_equal(c.cpus, -1);
    assert_true(ask_sinfo("a", "a|infinite|0/8/0/8|4\n").time_limit == INFINITY);
    assert_true(ask_sinfo("a", "a|1:02:03|0/8/0/8|4\n").time_limit == 3723);
    assert_true(ask_sinfo("a", "a|45|0/8/0/8|4\n").time_limit == 2700);
    assert_true(ask_sinfo("a", "a|1-12|0/8/0/8|4\n").time_limit == 129600);
    static const char *const bad[] = {"",
                                      "a",
                                      "a|",
                                      "a||||",
                                      "a|x|y|z",
                                      "a|1:|/|",
                                      "|||",
                                      "*|*|*|*",
                                      "a|-1|-1/-1/-1/-1|-1",
                                      "a|1:2:3:4:5:6|1/2|3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c = ask_sinfo("a", bad[i]);
        assert_true(c.cpus <= 0 && !(c.time_limit < 0));
    }
}

static void starts_of_test_only(void **state)
{
    (void)state;
    struct sl_cluster c;
    struct tm tm = {.tm_year = 130, .tm_mday = 1, .tm_hour = 12, .tm_isdst = -1};
    double noon = (double)mktime(&tm);
    sl_cluster_unknown(&c);
    assert_true(sl_cluster_read_start(&c,
                                      "sbatch: Job 7 to start at 2030-01-01T12:00:00 using 4 "
                                      "processors on nodes n1 in partition x\n",
                                      noon - 90));
    assert_true(c.start == 90);
    assert_true(sl_cluster_read_start(&c, "Job 7 to start at 2030-01-01T12:00:00", noon + 5));
    assert_true(c.start == 0);
    static const char *const bad[] = {
        "", "allocation failure: Requested node configuration is not available", "to start at ",
        "to start at tomorrow", "to start at 2030-13-01T00:00:00"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(sl_cluster_read_start(&c, bad[i], 0));
    assert_false(sl_cluster_read_start(&c, NULL, 0));
}

/* Bytes of sound lines exchanged at random: nothing breaks, and no slot is reported that cannot
 * be. */
static void mutations(void **state)
{
    (void)state;
    static const char sound[] = "12|5,7-9%2|PENDING|JobArrayTaskLimit|n1|slc-1a2b3c4d-sim-g1|aa\n"
                                "MaxJobCount = 50000\nmain*|2-00:00:00|100/20/8/128|64+\nJob to "
                                "start at 2030-01-01T12:00:00\n";
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof sound];
        memcpy(text, sound, sizeof text);
        for (int k = 0; k < 6; k++) {
            seed = seed * 1664525u + 1013904223u;
            text[(seed >> 8) % (sizeof text - 1)] = (char)(seed >> 24);
        }
        struct sl_cluster c;
        sl_cluster_unknown(&c);
        sl_cluster_read_config(&c, text);
        sl_cluster_read_start(&c, text, 0);
        sl_slurm_job_id(text);
        struct sl_queue q = read_queue(text);
        for (int i = 0; i < q.n; i++)
            assert_true(q.item[i].first >= 0 && q.item[i].first <= q.item[i].last);
        sl_queue_release(&q);
        sl_cluster_read_sinfo(&c, "", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squeue_lines),    cmocka_unit_test(states_and_reasons),
        cmocka_unit_test(squeue_nonsense), cmocka_unit_test(squeue_long_fields),
        cmocka_unit_test(ids_of_sbatch),   cmocka_unit_test(doubts),
        cmocka_unit_test(variables),       cmocka_unit_test(scontrol_config),
        cmocka_unit_test(sinfo_lines),     cmocka_unit_test(starts_of_test_only),
        cmocka_unit_test(mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
