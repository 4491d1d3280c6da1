/* watchdog - a phase within its time passes, one that hangs ends the process and is named.
 *
 * alone: a phase takes a quarter of its limit, of 2 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "core/sys/watchdog.h"

static void work(void)
{
    for (int i = 0; i < 5; i++) {
        sl_watchdog_phase("step");
        usleep(500000);
    }
    sl_watchdog_phase(NULL);
    usleep(2500000);
}

/* one phase in which there is something left to do when a suspension ends */
static void one_phase(void)
{
    sl_watchdog_phase("step");
    for (int i = 0; i < 10; i++)
        usleep(25000);
}

static void hang(void)
{
    sl_watchdog_phase("writing the checkpoint");
    for (;;)
        pause();
}

/* Runs body in a child under a limit; returns its status, its stderr in text. */
static int child(void (*body)(void), double limit, char *text, size_t n, useconds_t suspended)
{
    int pipe_[2];
    assert_int_equal(pipe(pipe_), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_[1], 2);
        if (sl_watchdog_start(limit) != SL_OK) _exit(9);
        body();
        sl_watchdog_stop();
        _exit(0);
    }
    close(pipe_[1]);
    if (suspended) {
        usleep(150000);
        kill(pid, SIGSTOP);
        usleep(suspended);
        kill(pid, SIGCONT);
    }
    int status;
    waitpid(pid, &status, 0);
    ssize_t got = read(pipe_[0], text, n - 1);
    text[got > 0 ? got : 0] = '\0';
    close(pipe_[0]);
    return status;
}

static void work_passes(void **state)
{
    (void)state;
    char text[512];
    assert_int_equal(child(work, 2, text, sizeof text, 0), 0);
    assert_string_equal(text, "");
}

static void suspension_passes(void **state)
{
    (void)state;
    char text[512];
    assert_int_equal(child(one_phase, 2, text, sizeof text, 3000000), 0);
}

static void hang_ends(void **state)
{
    (void)state;
    char text[512];
    int status = child(hang, 0.4, text, sizeof text, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SL_EMPI);
    assert_non_null(strstr(text, "\"writing the checkpoint\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_passes),
        cmocka_unit_test(suspension_passes),
        cmocka_unit_test(hang_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
