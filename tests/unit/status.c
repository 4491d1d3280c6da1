/* status.c - the text and the trace of a failure, and where it is passed on. */
#include "core/sys/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <cmocka.h>

static int deepest(int x)
{
    SL_CHECK(x > 0, SL_EINPUT, "x is %d, not positive", x);
    return SL_OK;
}

static int middle(int x)
{
    SL_TRY(deepest(x));
    return SL_OK;
}

static void text_and_trace(void **state)
{
    (void)state;
    assert_int_equal(middle(1), SL_OK);
    assert_int_equal(middle(-2), SL_EINPUT);
    assert_string_equal(sl_error_text(), "x is -2, not positive");
    const char *first = strstr(sl_error_trace(), "status.c:");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "status.c:")); /* both places, the deepest first */
}

static void text_may_hold_the_old_text(void **state)
{
    (void)state;
    assert_int_equal(SL_FAIL(SL_EIO, "inner"), SL_EIO);
    assert_int_equal(SL_FAIL(SL_EMEM, "outer: %s", sl_error_text()), SL_EMEM);
    assert_string_equal(sl_error_text(), "outer: inner");
}

static void long_texts_and_traces_are_cut(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(SL_FAIL(SL_EIO, "%s", text), SL_EIO);
    assert_int_equal(strlen(sl_error_text()), 4095);
    for (int i = 0; i < 1000; i++)
        sl_trace(__FILE__, __LINE__, SL_EIO);
    assert_true(strlen(sl_error_trace()) < 1024);
    sl_error_set("short");
    assert_string_equal(sl_error_text(), "short");
}

static int other_thread(void *data)
{
    (void)data;
    int clean = sl_error_text()[0] == '\0';
    (void)SL_FAIL(SL_EIO, "of the other thread");
    return clean;
}

static void each_thread_has_its_text(void **state)
{
    (void)state;
    thrd_t thread;
    int clean;
    (void)SL_FAIL(SL_EIO, "of this thread");
    assert_int_equal(thrd_create(&thread, other_thread, NULL), thrd_success);
    assert_int_equal(thrd_join(thread, &clean), thrd_success);
    assert_true(clean);
    assert_string_equal(sl_error_text(), "of this thread");
}

static void codes(void **state)
{
    (void)state;
    assert_string_equal(sl_status_text(SL_OK), "ok");
    assert_string_equal(sl_status_text(SL_EAGAIN),
                        "stopped with everything saved: start again to go on");
    assert_string_equal(sl_status_text(12345), "unknown status");
    assert_int_equal(SL_EINPUT, 65);
    assert_int_equal(SL_EGUARD, 78);
}

static void on_bug(void)
{
    _exit(42);
}

static void a_bug_ends_through_the_hook(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        sl_on_bug = on_bug;
        fclose(stderr);
        SL_BUG("%d is broken", 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_trace),
        cmocka_unit_test(text_may_hold_the_old_text),
        cmocka_unit_test(long_texts_and_traces_are_cut),
        cmocka_unit_test(each_thread_has_its_text),
        cmocka_unit_test(codes),
        cmocka_unit_test(a_bug_ends_through_the_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
