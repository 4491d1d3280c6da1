/* executor.c - the table of executors: whose a campaign is, who is at work on it, and what a
 * person's request to stop leaves behind. */
#include "pipeline/campaign/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sys/status.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/state.h"
#include "pipeline/local/task.h"
#include "tests/scratch.h"

static const struct sl_executor *const all[] = {
#define ALL_ROW(name) &sl_executor_##name,
    SL_EXECUTOR_LIST(ALL_ROW)
#undef ALL_ROW
};
enum { EXECUTORS = sizeof all / sizeof *all };

static void make(struct sl_campaign *c)
{
    char top[256], slots[300];
    memset(c, 0, sizeof *c);
    scratch_make(top, "executor");
    snprintf(c->dir, sizeof c->dir, "%s", top);
    snprintf(slots, sizeof slots, "%s/slots", top);
    assert_int_equal(mkdir(slots, 0777), 0);
}

static void add(const struct sl_campaign *c, enum sl_fact_kind what, double t)
{
    struct sl_fact fact;
    sl_fact_init(&fact, what, "", "");
    fact.t = t;
    assert_int_equal(sl_journal_add(c->dir, &fact), SL_OK);
}

static void whole_rows(void **state)
{
    (void)state;
    for (int i = 0; i < EXECUTORS; i++) {
        const struct sl_executor *e = all[i];
        assert_true(e->name && e->verb && e->has && e->go && e->look && e->control && e->show &&
                    e->json && e->say);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(e->name, all[k]->name);
    }
}

static void whose(void **state)
{
    (void)state;
    struct sl_campaign c;
    char path[400];
    make(&c);
    assert_ptr_equal(sl_executor_of(&c), &sl_executor_local);
    assert_ptr_equal(sl_executor_for(&c, "submit"), &sl_executor_slurm);
    snprintf(path, sizeof path, "%.300s/slots/slurm.0001.tsv", c.dir);
    FILE *f = fopen(path, "w");
    assert_true(f && fclose(f) == 0);
    assert_ptr_equal(sl_executor_of(&c), &sl_executor_slurm);
    assert_ptr_equal(sl_executor_for(&c, "submit"), &sl_executor_slurm);
    assert_ptr_equal(sl_executor_for(&c, "run"), &sl_executor_local);
    scratch_remove(c.dir);
}

/* Is the campaign stopped by a person? */
static bool stopped(const struct sl_campaign *c)
{
    struct sl_campaign_state st;
    assert_int_equal(sl_campaign_state_open(c, &st), SL_OK);
    bool halted = st.halted;
    sl_campaign_state_release(&st);
    return halted;
}

static void at_work(void **state)
{
    (void)state;
    struct sl_campaign c;
    struct sl_claim claim;
    struct sl_claim_look look;
    const struct sl_executor *who;
    char slots[400];
    int n;
    make(&c);
    snprintf(slots, sizeof slots, "%.300s/slots", c.dir);
    assert_int_equal(sl_executor_at_work(&c, &who, &look), SL_OK);
    assert_null(who);
    assert_int_equal(sl_executor_local.control(&c, SL_CONTROL_CANCEL, NULL, 0, &n), SL_OK);
    assert_false(stopped(&c)); /* nobody to ask */
    assert_int_equal(sl_claim_take(slots, "run", NULL, NULL, &claim), SL_OK);
    assert_int_equal(sl_executor_at_work(&c, &who, &look), SL_OK);
    assert_ptr_equal(who, &sl_executor_local);
    assert_true(look.held && look.claim.owner.pid == (long)getpid());
    assert_int_equal(who->control(&c, SL_CONTROL_HOLD, NULL, 0, &n), SL_OK);
    assert_false(stopped(&c));
    assert_int_equal(who->control(&c, SL_CONTROL_CANCEL, NULL, 0, &n), SL_OK);
    assert_true(stopped(&c));
    assert_int_equal(sl_claim_end(&claim, NULL), SL_OK);
    assert_int_equal(sl_executor_at_work(&c, &who, &look), SL_OK);
    assert_null(who);
    scratch_remove(c.dir);
}

/* The order of the journal counts: the clock of another node may be behind by minutes. */
static void halted_until_begun(void **state)
{
    (void)state;
    static const enum sl_fact_kind again[] = {SL_FACT_submitted, SL_FACT_run};
    struct sl_campaign c;
    make(&c);
    for (int i = 0; i < 2; i++) {
        add(&c, again[i], 5000);
        assert_false(stopped(&c));
        add(&c, SL_FACT_stop, 4000);
        assert_true(stopped(&c));
        add(&c, SL_FACT_throttle, 6000);
        assert_true(stopped(&c));
        add(&c, again[i], 3000);
        assert_false(stopped(&c));
    }
    scratch_remove(c.dir);
}

/* What ends a job in its last 45 s is the limit; of a job that is shorter, what ends it in its
 * second half. */
static void near_the_limit(void **state)
{
    (void)state;
    double now = sl_disk_now();
    assert_true(sl_task_near(now + 40, 3600));
    assert_false(sl_task_near(now + 50, 3600));
    assert_false(sl_task_near(now + 30, 40));
    assert_true(sl_task_near(now + 10, 40));
    assert_true(sl_task_near(now - 1, 40));
    assert_false(sl_task_near(0, 40)); /* no job around it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_rows), cmocka_unit_test(whose),
                                       cmocka_unit_test(at_work), cmocka_unit_test(near_the_limit),
                                       cmocka_unit_test(halted_until_begun)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
