/* output.c - the turns of an output: their order, on a thread or not, and failures of any rank in
 * any of them.
 * ranks: 1 2 3
 */
#include "core/io/output.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

static int rank, size;

/* What a job does, and what was done. */
static struct seen {
    char turns[8];
    int code; /* that close was given */
    pthread_t by[4];
} seen;

struct job {
    char fails; /* in this turn */
    int on;     /* this rank */
};

static int turn(struct job *job, char name)
{
    size_t n = strlen(seen.turns);
    seen.by[n] = pthread_self();
    seen.turns[n] = name;
    if (name == 'l' || name == 'p') usleep(2000u * (unsigned)(rank + 1));
    return job->fails == name && job->on == rank ? SL_FAIL(SL_EIO, "turn %c", name) : SL_OK;
}

static atomic_bool may_look; /* so that a test sees the thread at work */
static pthread_t main_thread;

static int look(void *job)
{
    while (!atomic_load(&may_look) && !pthread_equal(main_thread, pthread_self()))
        usleep(100);
    return turn(job, 'l');
}

static int open_it(void *job)
{
    return sl_agree(MPI_COMM_WORLD, turn(job, 'o'));
}

static int put(void *job)
{
    return turn(job, 'p');
}

static int close_it(void *job, int code)
{
    int mine = turn(job, 'c');
    seen.code = code;
    free(job);
    return sl_agree(MPI_COMM_WORLD, code != SL_OK ? code : mine);
}

static const struct sl_output_kind kind = {look, open_it, put, close_it};

static struct sl_output *begin(char fails, int on, bool beside)
{
    struct sl_output *out = NULL;
    struct job *job = malloc(sizeof *job);
    assert_non_null(job);
    *job = (struct job){fails, on};
    memset(&seen, 0, sizeof seen);
    seen.code = -1;
    sl_error_set("");
    atomic_store(&may_look, !beside);
    assert_int_equal(sl_output_begin(MPI_COMM_WORLD, &kind, job, beside, &out), SL_OK);
    assert_non_null(out);
    return out;
}

static void all_well(void **unused)
{
    (void)unused;
    for (int beside = 0; beside < 2; beside++) {
        struct sl_output *out = begin(' ', 0, beside);
        assert_true(sl_output_busy(out) == beside);
        atomic_store(&may_look, true);
        assert_int_equal(sl_output_next(&out), SL_OK);
        assert_non_null(out);
        while (sl_output_busy(out))
            usleep(100);
        assert_int_equal(sl_output_end(&out), SL_OK);
        assert_null(out);
        assert_string_equal(seen.turns, "lopc");
        assert_int_equal(seen.code, SL_OK);
        for (int i = 0; i < 4; i++) /* what talks to other ranks is the main thread's */
            assert_true(!pthread_equal(seen.by[i], pthread_self()) == (beside && i % 2 == 0));
    }
    struct sl_output *none = NULL;
    assert_int_equal(sl_output_end(&none), SL_OK);
    assert_false(sl_output_busy(none));
}

static void failures(void **unused)
{
    (void)unused;
    static const char fails[] = "lopc", *const turns[] = {"lc", "loc", "lopc", "lopc"};
    for (int i = 0; i < 4 * size * 2; i++) {
        char text[16];
        struct sl_output *out = begin(fails[i % 4], i / 4 % size, i / 4 / size);
        atomic_store(&may_look, true);
        assert_int_equal(sl_output_end(&out), SL_EIO);
        assert_null(out);
        assert_string_equal(seen.turns, turns[i % 4]);
        assert_int_equal(seen.code, i % 4 == 3 ? SL_OK : SL_EIO);
        snprintf(text, sizeof text, "turn %c", fails[i % 4]);
        assert_string_equal(sl_error_text(), text);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    main_thread = pthread_self();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_well),
        cmocka_unit_test(failures),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
