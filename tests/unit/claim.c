/* claim - one holder at a time, takeover of the dead but never of the living, by any number at
 * once; owners elsewhere count by their silence; what a dead owner left running is ended first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/campaign/claim.h"
#include "tests/scratch.h"

static char top[256];

static json_t *load(const char *path)
{
    char *text;
    size_t size;
    assert_int_equal(sl_file_read(path, 1 << 20, &text, &size), SL_OK);
    json_t *o = json_loadb(text, size, 0, NULL);
    free(text);
    assert_non_null(o);
    return o;
}

/* Changes one field of the claim's record, as another host or an earlier boot would have it. */
static void change(const char *path, const char *key, json_t *value)
{
    json_t *o = load(path);
    json_object_set_new(o, key, value);
    assert_int_equal(json_dump_file(o, path, JSON_COMPACT), 0);
    json_decref(o);
}

static void set_age(const char *path, time_t seconds)
{
    struct timespec t[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static struct sl_claim_look look_at(const char *name)
{
    struct sl_claim_look look;
    assert_int_equal(sl_claim_look(top, name, &look), SL_OK);
    json_decref(look.record);
    look.record = NULL;
    return look;
}

/* A directory that cannot be read for now is not taken for one without claims. */
static void unreadable(void **state)
{
    (void)state;
    struct sl_claim a;
    struct sl_claim_look look;
    struct rlimit old, none;
    assert_int_equal(sl_claim_take(top, "unreadable", NULL, NULL, &a), SL_OK);
    getrlimit(RLIMIT_NOFILE, &old);
    none = (struct rlimit){0, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    int code = sl_claim_look(top, "unreadable", &look);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(code, SL_EIO);
    assert_true(look_at("unreadable").held);
}

static void one_holder(void **state)
{
    (void)state;
    struct sl_claim a, b;
    json_t *extra = json_pack("{s:s}", "result", "done");
    assert_int_equal(look_at("one").n, 0);
    assert_int_equal(sl_claim_take(top, "one", NULL, NULL, &a), SL_OK);
    assert_true(look_at("one").held);
    assert_int_equal(sl_claim_take(top, "one", NULL, NULL, &b), SL_EAGAIN);
    assert_non_null(strstr(sl_error_text(), "held by process"));
    assert_int_equal(sl_claim_end(&a, extra), SL_OK);
    json_decref(extra);
    assert_false(look_at("one").held);
    assert_false(look_at("one").stale);
    json_t *o = load(a.path);
    assert_string_equal(json_string_value(json_object_get(o, "result")), "done");
    json_decref(o);
    assert_int_equal(sl_claim_take(top, "one", NULL, NULL, &b), SL_OK);
    assert_int_equal(b.n, 2);
    assert_int_equal(sl_claim_end(&a, NULL), SL_EGUARD); /* a came before b */
    assert_int_equal(sl_claim_end(&b, NULL), SL_OK);
}

/* A child takes the claim and is killed with it. */
static void leave_stale(const char *name)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct sl_claim c;
        _exit(sl_claim_take(top, name, NULL, NULL, &c) != SL_OK);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void takes_over_the_dead(void **state)
{
    (void)state;
    struct sl_claim c;
    leave_stale("dead");
    assert_true(look_at("dead").stale);
    assert_int_equal(sl_claim_take(top, "dead", NULL, NULL, &c), SL_OK);
    assert_int_equal(c.n, 2);
    assert_int_equal(sl_claim_end(&c, NULL), SL_OK);
}

static void pid_used_again(void **state)
{
    (void)state;
    struct sl_claim c;
    assert_int_equal(sl_claim_take(top, "reused", NULL, NULL, &c), SL_OK);
    assert_true(look_at("reused").held);
    change(c.path, "start", json_integer((json_int_t)c.owner.start - 1));
    assert_true(look_at("reused").stale); /* this process, but not the one that claimed */
}

static void earlier_boot(void **state)
{
    (void)state;
    struct sl_claim c;
    assert_int_equal(sl_claim_take(top, "boot", NULL, NULL, &c), SL_OK);
    change(c.path, "boot", json_string("another"));
    assert_true(look_at("boot").stale);
}

static void another_host(void **state)
{
    (void)state;
    struct sl_claim c, d;
    assert_int_equal(sl_claim_take(top, "host", NULL, NULL, &c), SL_OK);
    change(c.path, "host", json_string("far-away"));
    change(c.path, "pid", json_integer(999999999)); /* says nothing about another host */
    assert_true(look_at("host").held);
    set_age(c.path, (time_t)sl_claim_limit - 20);
    assert_true(look_at("host").held);
    assert_int_equal(sl_claim_take(top, "host", NULL, NULL, &d), SL_EAGAIN);
    set_age(c.path, (time_t)sl_claim_limit + 20);
    assert_true(look_at("host").stale);
    sl_claim_beat(&c);
    assert_true(look_at("host").held);
    set_age(c.path, (time_t)sl_claim_limit + 20);
    assert_int_equal(sl_claim_take(top, "host", NULL, NULL, &d), SL_OK);
    assert_false(sl_claim_held(&c)); /* if it lives after all, it knows at its next look */
    assert_true(sl_claim_lost(&c));
    assert_false(sl_claim_lost(&d));
    assert_int_equal(sl_claim_end(&c, NULL), SL_EGUARD);
    assert_int_equal(unlink(d.path), 0); /* what cannot be seen was not taken over */
    assert_false(sl_claim_held(&d));
    assert_false(sl_claim_lost(&d));
}

static void another_container(void **state)
{
    (void)state;
    struct sl_claim c;
    assert_int_equal(sl_claim_take(top, "space", NULL, NULL, &c), SL_OK);
    change(c.path, "space", json_string("pid:[1]"));
    change(c.path, "pid", json_integer(999999999));
    assert_true(look_at("space").held); /* its process numbers are not ours */
}

/* Of a racer, which holds an end of the pipe `over`: 0 for a winner, which lives until the others
 * have lost theirs, 1 for a loser that says who won, else 2. */
static int race_once(const char *name, const int over[2])
{
    struct sl_claim c;
    char none;
    int code = sl_claim_take(top, name, NULL, NULL, &c);
    close(over[1]);
    if (code == SL_OK) return read(over[0], &none, 1) == 0 ? 0 : 2;
    return code == SL_EAGAIN && strstr(sl_error_text(), "held by process") ? 1 : 2;
}

/* Many at once, over a dead owner: exactly one wins each round, and the others know which. */
static void race(void **state)
{
    (void)state;
    enum { RACERS = 8, ROUNDS = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        char name[32];
        int gate[2], over[2], wins = 0, status;
        snprintf(name, sizeof name, "race%d", round);
        leave_stale(name);
        assert_int_equal(pipe(gate) + pipe(over), 0);
        for (int i = 0; i < RACERS; i++) {
            if (fork() > 0) continue;
            char go;
            close(gate[1]);
            if (read(gate[0], &go, 1) != 0) _exit(3);
            _exit(race_once(name, over));
        }
        close(over[1]);
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < RACERS; i++) {
            wait(&status);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            wins += WEXITSTATUS(status) == 0;
        }
        close(over[0]);
        assert_int_equal(wins, 1);
        assert_int_equal(look_at(name).n, 2);
    }
}

static void damaged_record(void **state)
{
    (void)state;
    struct sl_claim c;
    assert_int_equal(sl_claim_take(top, "bad", NULL, NULL, &c), SL_OK);
    FILE *f = fopen(c.path, "w");
    fputs("{\"v\":1,\"host", f);
    fclose(f);
    assert_true(look_at("bad").stale);
    assert_int_equal(sl_claim_take(top, "bad", NULL, NULL, &c), SL_OK);
    assert_int_equal(c.n, 2);
}

static void leftovers_end_first(void **state)
{
    (void)state;
    const char *token = "0123456789abcdef-leftover";
    struct sl_claim c;
    assert_int_equal(sl_claim_take(top, "left", token, NULL, &c), SL_OK);
    change(c.path, "start", json_integer(1)); /* its owner is dead */
    pid_t pid = fork();
    if (pid == 0) {
        char env[80], *argv[] = {"sleep", "60", NULL}, *envp[] = {env, NULL};
        snprintf(env, sizeof env, "SLUICE_TASK=%s", token);
        signal(SIGTERM, SIG_IGN);
        execve("/bin/sleep", argv, envp);
        _exit(127);
    }
    for (int i = 0; i < 6000 && sl_claim_processes(token, NULL, 0) == 0; i++)
        usleep(10000);
    assert_int_equal(sl_claim_processes(token, NULL, 0), 1);
    assert_int_equal(sl_claim_take(top, "left", NULL, NULL, &c), SL_OK);
    assert_int_equal(sl_claim_processes(token, NULL, 0), 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void run_script(const char *token, char *script)
{
    char env[80], *argv[] = {"sh", "-c", script, NULL}, *envp[] = {env, NULL};
    snprintf(env, sizeof env, "SLUICE_TASK=%s", token);
    execve("/bin/sh", argv, envp);
    _exit(127);
}

static bool becomes_left(const char *token, pid_t pid)
{
    for (int i = 0; i < 6000 && !sl_claim_left(token, pid); i++)
        usleep(10000);
    return sl_claim_left(token, pid);
}

/* Four looks that are due, as after half a minute; the next one is not. */
static void last_looks(const char *token, pid_t pid, bool is_left)
{
    struct sl_left left = {0};
    for (int i = 0; i < 4; i++, left.look_at = 0)
        assert_int_equal(sl_claim_left_long(&left, token, pid), is_left && i == 3);
    assert_int_equal(left.looks, is_left ? 4 : 0);
    left.look_at = INFINITY;
    assert_false(sl_claim_left_long(&left, token, pid));
}

/* Not a launcher that has not begun yet, nor one whose rank lives, even without the token; one
 * whose rank is gone, waited for or not. */
static void launcher_is_left(void **state)
{
    (void)state;
    static struct {
        char script[40];
        bool left;
    } with[] = {{"exec sleep 60", false},
                {"sleep 60 & exec sleep 60", false},
                {"env -i sleep 20 & exec sleep 60", false},
                {"sleep 0.1 & exec sleep 60", true},
                {"sleep 0.1; exec sleep 60", true}};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        char token[32];
        snprintf(token, sizeof token, "launcher-%d-%zu", (int)getpid(), i);
        pid_t pid = fork();
        if (pid == 0) run_script(token, with[i].script);
        if (!with[i].left) usleep(300000);
        assert_int_equal(with[i].left ? becomes_left(token, pid) : sl_claim_left(token, pid),
                         with[i].left);
        assert_false(sl_claim_left(token, pid + 1));
        last_looks(token, pid, with[i].left);
        assert_int_equal(sl_claim_sweep(token), SL_OK);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

static int make(void **state)
{
    (void)state;
    scratch_make(top, "claim");
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
        cmocka_unit_test(one_holder),          cmocka_unit_test(unreadable),
        cmocka_unit_test(takes_over_the_dead), cmocka_unit_test(pid_used_again),
        cmocka_unit_test(earlier_boot),        cmocka_unit_test(another_host),
        cmocka_unit_test(another_container),   cmocka_unit_test(race),
        cmocka_unit_test(damaged_record),      cmocka_unit_test(leftovers_end_first),
        cmocka_unit_test(launcher_is_left)};
    return cmocka_run_group_tests(tests, make, drop);
}
