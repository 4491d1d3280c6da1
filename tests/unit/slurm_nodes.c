/* slurm_nodes.c - which nodes failed, which are left out, and for how long (campaign/nodes.h);
 * lists of nodes as Slurm writes them (slurm/node_list.h). */
#include "pipeline/campaign/nodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "pipeline/slurm/node_list.h"

static void end(struct sl_bad_nodes *bad, double t, const char *result, const char *node)
{
    struct sl_fact f;
    sl_fact_init(&f, SL_FACT_end, "0001", "sim");
    f.t = t;
    snprintf(f.result, sizeof f.result, "%s", result);
    snprintf(f.node, sizeof f.node, "%s", node);
    sl_nodes_count_end(bad, &f, t);
}

static const char *excluded(const struct sl_bad_nodes *bad, const struct sl_site *site, double now)
{
    static char text[400];
    sl_nodes_exclude(bad, site, now, text, sizeof text);
    return text;
}

static void twice(void **state)
{
    (void)state;
    struct sl_bad_nodes bad = {.n = 0};
    struct sl_site site;
    sl_site_default(&site);
    end(&bad, 1000, "taken", "n2");
    end(&bad, 1000, "taken", ""); /* preempted: no node's fault */
    end(&bad, 1000, "failed", "n3");
    assert_string_equal(excluded(&bad, &site, 1001), "");
    end(&bad, 2000, "unfit", "n2");
    end(&bad, 2000, "taken", "n4,n5");
    end(&bad, 2100, "taken", "n5");
    assert_string_equal(excluded(&bad, &site, 2101), "n2,n5");
    char text[200];
    sl_nodes_sentence(&bad, &site, 2100, text, sizeof text);
    assert_non_null(strstr(text, "n2 (2 failures, 24 h left), n5 (2 failures"));
    assert_string_equal(excluded(&bad, &site, 2000 + 24 * 3600 + 1), "n5"); /* n2 comes back */
    site.exclude_after = 0;
    assert_string_equal(excluded(&bad, &site, 2101), "");
}

static void bounded(void **state)
{
    (void)state;
    struct sl_bad_nodes bad = {.n = 0};
    struct sl_site site;
    char name[16];
    sl_site_default(&site);
    site.exclude_max = 2;
    for (int i = 0; i < 100; i++) { /* more than are kept */
        snprintf(name, sizeof name, "n%d", i);
        end(&bad, 1000 + i, "taken", name);
        end(&bad, 1000 + i, "taken", name);
    }
    assert_int_equal(bad.n, SL_NODES_MAX);
    assert_int_equal(sl_node_list_match("n98,n99", "n98"), true);
    const char *text = excluded(&bad, &site, 1100);
    assert_true(strcmp(text, "n98,n99") == 0 || strcmp(text, "n99,n98") == 0);
}

static void one_failure_of_many_attempts(void **state)
{
    (void)state;
    struct sl_bad_nodes bad = {.n = 0};
    struct sl_fact f;
    sl_fact_init(&f, SL_FACT_end, "0001", "sim");
    snprintf(f.result, sizeof f.result, "taken");
    snprintf(f.node, sizeof f.node, "n2");
    f.seconds = 0.1; /* what is known of its work, which is less than it took */
    for (int i = 0; i < 10; i++) {
        f.t = 1000 + i;
        sl_nodes_count_end(&bad, &f, 500);
    }
    assert_int_equal(bad.node[0].failures, 1);
    f.t = 2000;
    sl_nodes_count_end(&bad, &f, 1500);
    assert_int_equal(bad.node[0].failures, 2);
}

/* One attempt began anew before the other reported the same failure; then the node fails again. */
static void told_late(void **state)
{
    (void)state;
    struct sl_bad_nodes bad = {.n = 0};
    struct sl_site site;
    sl_site_default(&site);
    struct sl_fact f = {.what = SL_FACT_end, .result = "taken", .node = "n1"};
    const double spans[][2] = {{10, 20}, {12, 22}, {21, 30}, {23, 31}}; /* begin and end */
    for (size_t i = 0; i < 4; i++) {
        f.t = spans[i][1];
        assert_string_equal(excluded(&bad, &site, 32), i < 3 ? "" : "n1");
        sl_nodes_count_end(&bad, &f, spans[i][0]);
    }
    assert_int_equal(bad.node[0].failures, 2);
}

static void old_failures(void **state)
{
    (void)state;
    struct sl_bad_nodes bad = {.n = 0};
    struct sl_site site;
    sl_site_default(&site);
    end(&bad, 1000, "taken", "n1");
    end(&bad, 1000 + 25 * 3600, "taken", "n1"); /* a day later: it counts anew */
    assert_string_equal(excluded(&bad, &site, 1001 + 25 * 3600), "");
    end(&bad, 1100 + 25 * 3600, "taken", "n1");
    assert_string_equal(excluded(&bad, &site, 1101 + 25 * 3600), "n1");
    sl_nodes_readmit(&bad, "n9");
    assert_string_equal(excluded(&bad, &site, 1101 + 25 * 3600), "n1");
    sl_nodes_readmit(&bad, "");
    assert_string_equal(excluded(&bad, &site, 1101 + 25 * 3600), "");
}

static void lists(void **state)
{
    (void)state;
    static const struct {
        const char *list, *name;
        bool in;
    } rows[] = {{"n1", "n1", true},        {"n1", "n11", false},        {"n[1-3]", "n2", true},
                {"n[1-3]", "n4", false},   {"a7,n[1-2,5]", "n5", true}, {"a7,n[1-2,5]", "a7", true},
                {"n[08-10]", "n09", true}, {"n[08-10]", "n9", false},   {"gpu[1-2],n3", "n3", true},
                {"n[1-", "n1", false},     {"", "n1", false},           {"n[1-3]", "n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(sl_node_list_match(rows[i].list, rows[i].name), rows[i].in);
    assert_true(sl_node_list_meet("n[1-3]", "a1,n3"));
    assert_false(sl_node_list_meet("n[1-3]", "a1,n4"));
    assert_false(sl_node_list_meet("n[1-3]", ""));
}

static void answers(void **state)
{
    (void)state;
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    tzset();
    char names[100],
        text[] =
            "NodeName=n1 Arch=x86_64 State=IDLE ThreadsPerCore=1 BootTime=2026-11-21T05:00:00 "
            "SlurmdStartTime=2026-11-21T09:00:00\n"
            "NodeName=n2 State=DOWN* BootTime=None SlurmdStartTime=None Reason=Not responding\n"
            "NodeName=n3 State=IDLE+DRAIN BootTime=2026-11-21T05:00:00 "
            "SlurmdStartTime=2026-11-21T08:00:00\n"
            "NodeName=n4 State=MIXED* SlurmdStartTime=2026-11-21T08:00:00\n"
            "noise\n";
    /* 08:30 of that day: n1 has started anew since */
    assert_int_equal(sl_node_list_failed(text, 1795249800, names, sizeof names), 3);
    assert_string_equal(names, "n1,n2,n4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice),
        cmocka_unit_test(bounded),
        cmocka_unit_test(one_failure_of_many_attempts),
        cmocka_unit_test(told_late),
        cmocka_unit_test(old_failures),
        cmocka_unit_test(lists),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
