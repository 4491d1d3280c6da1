/* journal - facts come back as they were written; torn, damaged and foreign lines harm nothing;
 * many writers at once lose nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/base/disk.h"
#include "pipeline/base/flat.h"
#include "pipeline/campaign/journal.h"
#include "tests/scratch.h"

static char top[256];

struct seen {
    struct sl_fact last;
    int n, per_writer[16];
};

static int see(const struct sl_fact *fact, void *user)
{
    struct seen *s = user;
    s->last = *fact;
    s->n++;
    if (fact->code >= 0 && fact->code < 16) s->per_writer[fact->code]++;
    return SL_OK;
}

static void raw(const char *text, const char *mode)
{
    char path[SL_PATH_MAX];
    sl_disk_join(path, "%s/journal.jsonl", top);
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct seen read_all(int *damaged)
{
    struct seen s = {.n = 0};
    int64_t offset = 0;
    assert_int_equal(sl_journal_read(top, &offset, see, &s, damaged), SL_OK);
    return s;
}

static void comes_back(void **state)
{
    (void)state;
    struct sl_fact f;
    int damaged = 0;
    raw("", "w");
    sl_fact_init(&f, SL_FACT_end, "0007", "sim");
    snprintf(f.result, sizeof f.result, "failed");
    snprintf(f.text, sizeof f.text,
             "quote \" back \\ tab \t newline \n escape \033 e\xcc\x81 \xe2\x82\xac");
    f.n = 3, f.code = 73, f.step = 123456789012, f.seconds = 0.125, f.value = 6.25e6, f.count = 9;
    f.haloes = 0;
    f.t = 1795242223.25;
    assert_int_equal(sl_journal_add(top, &f), SL_OK);
    struct seen s = read_all(&damaged);
    assert_int_equal(s.n, 1);
    assert_int_equal(damaged, 0);
    /* what would drive a terminal comes back as text that does not */
    snprintf(f.text, sizeof f.text,
             "quote \" back \\ tab   newline   escape ? e\xcc\x81 \xe2\x82\xac");
    assert_memory_equal(&s.last, &f, sizeof f);
}

/* Whatever a program printed, the line stays one line of valid JSON. */
static void any_bytes(void **state)
{
    (void)state;
    struct sl_fact f;
    int damaged = 0;
    raw("", "w");
    sl_fact_init(&f, SL_FACT_end, "0001", "sim");
    for (int start = 1; start < 256; start++) {
        for (size_t i = 0; i + 1 < sizeof f.text; i++)
            f.text[i] = (char)(1 + (start * 7 + (int)i * start) % 255);
        f.text[sizeof f.text - 1] = '\0';
        f.code = start;
        assert_int_equal(sl_journal_add(top, &f), SL_OK);
    }
    struct seen s = read_all(&damaged);
    assert_int_equal(s.n, 255);
    assert_int_equal(damaged, 0);
}

static void torn_line(void **state)
{
    (void)state;
    struct sl_fact f;
    int damaged = 0;
    raw("", "w");
    sl_fact_init(&f, SL_FACT_start, "0001", "sim");
    assert_int_equal(sl_journal_add(top, &f), SL_OK);
    raw("{\"v\":1,\"t\":5,\"what\":\"sta", "a");
    assert_int_equal(read_all(&damaged).n, 1); /* a torn end is not yet a line */
    assert_int_equal(damaged, 0);
    assert_int_equal(sl_journal_add(top, &f), SL_OK);
    assert_int_equal(read_all(&damaged).n, 2); /* the next writer begins on a new line */
    assert_int_equal(damaged, 1);
}

static void damaged_lines(void **state)
{
    (void)state;
    int damaged = 0;
    raw("{\"v\":1,\"what\":\"start\",\"member\":\"0001\"}\n"
        "\n"
        "garbage\n"
        "{\"v\":1,\"what\":\"start\"\n"
        "{\"v\":1,\"what\":\"start\",\"x\":{\"y\":1}}\n"
        "{\"v\":1,\"what\":\"start\",\"x\":\"\\q\"}\n"
        "{\"v\":1,\"what\":\"start\",\"x\":\"open}\n"
        "{\"v\":2,\"what\":\"start\"}\n"
        "{\"v\":1,\"what\":\"invented-later\",\"k\":true}\n"
        "{\"v\":1,\"what\":\"idle\"}\n",
        "w");
    struct seen s = read_all(&damaged);
    assert_int_equal(s.n, 2);
    assert_int_equal(damaged, 6);
    assert_int_equal(s.last.what, SL_FACT_idle);
}

static void goes_on(void **state)
{
    (void)state;
    struct seen s = {.n = 0};
    struct sl_fact f;
    int64_t offset = 0;
    raw("", "w");
    sl_fact_init(&f, SL_FACT_start, "0001", "sim");
    for (int i = 1; i <= 5; i++) {
        f.n = i;
        assert_int_equal(sl_journal_add(top, &f), SL_OK);
        assert_int_equal(sl_journal_read(top, &offset, see, &s, NULL), SL_OK);
        assert_int_equal(s.n, i);
        assert_int_equal(s.last.n, i);
    }
}

static void many_writers(void **state)
{
    (void)state;
    enum { WRITERS = 8, LINES = 25 };
    int damaged = 0;
    raw("", "w");
    for (int w = 0; w < WRITERS; w++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid > 0) continue;
        struct sl_fact f;
        int bad = 0;
        sl_fact_init(&f, SL_FACT_end, "0001", "sim");
        memset(f.text, 'x', sizeof f.text - 1);
        f.code = w;
        snprintf(f.result, sizeof f.result, "failed");
        for (int i = 0; i < LINES; i++)
            bad |= sl_journal_add(top, &f) != SL_OK;
        _exit(bad);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        wait(&status);
        assert_int_equal(status, 0);
    }
    struct seen s = read_all(&damaged);
    assert_int_equal(damaged, 0);
    for (int w = 0; w < WRITERS; w++)
        assert_int_equal(s.per_writer[w], LINES);
}

static void refuses_a_link(void **state)
{
    (void)state;
    char path[SL_PATH_MAX], other[SL_PATH_MAX];
    struct sl_fact f;
    sl_disk_join(path, "%s/journal.jsonl", top);
    sl_disk_join(other, "%s/elsewhere", top);
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    sl_fact_init(&f, SL_FACT_idle, "", "");
    assert_int_equal(sl_journal_add(top, &f), SL_EIO);
    assert_false(sl_disk_exists(other));
    unlink(path);
}

static int make(void **state)
{
    (void)state;
    scratch_make(top, "journal");
    return 0;
}

static int drop(void **state)
{
    (void)state;
    scratch_remove(top);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),    cmocka_unit_test(any_bytes),
        cmocka_unit_test(torn_line),     cmocka_unit_test(damaged_lines),
        cmocka_unit_test(goes_on),       cmocka_unit_test(many_writers),
        cmocka_unit_test(refuses_a_link)};
    return cmocka_run_group_tests(tests, make, drop);
}
