/* file - replacing, reading, paths, and what a full disk does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/sys/file.h"
#include "core/sys/status.h"
#include "tests/scratch.h"

static char top[256];

static const char *in_top(const char *name)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_path_join(path, top, name), SL_OK);
    return path;
}

static int entries(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void expect_text(const char *path, const char *want)
{
    char *text;
    size_t n;
    assert_int_equal(sl_file_read(path, 1 << 20, &text, &n), SL_OK);
    assert_int_equal(n, strlen(want));
    assert_string_equal(text, want);
    free(text);
}

static void paths(void **state)
{
    (void)state;
    char out[SL_PATH_MAX], longest[SL_PATH_MAX];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(sl_path_join(out, "a", "b"), SL_OK);
    assert_string_equal(out, "a/b");
    assert_int_equal(sl_path_join(out, "", "b"), SL_OK);
    assert_string_equal(out, "b");
    assert_int_equal(sl_path_join(out, "a", longest), SL_EINPUT);
    assert_int_equal(sl_path_join(out, "", longest), SL_OK);
    assert_int_equal(sl_path_parent(out, "/a/b/c"), SL_OK);
    assert_string_equal(out, "/a/b");
    assert_int_equal(sl_path_parent(out, "/a"), SL_OK);
    assert_string_equal(out, "/");
    assert_int_equal(sl_path_parent(out, "a"), SL_OK);
    assert_string_equal(out, ".");
    assert_int_equal(sl_mkdir_all(in_top("d/e/f")), SL_OK);
    assert_int_equal(sl_mkdir_all(in_top("d/e/f")), SL_OK);
    assert_int_equal(sl_file_replace(in_top("d/file"), "", 0, SL_DURABLE), SL_OK);
    assert_int_equal(sl_mkdir_all(in_top("d/file")), SL_EIO);
    assert_int_equal(sl_mkdir_all(in_top("d/file/g")), SL_EIO);
}

static void replaced_whole(void **state)
{
    (void)state;
    const char *path = in_top("r/text");
    assert_int_equal(sl_mkdir_all(in_top("r")), SL_OK);
    path = in_top("r/text");
    assert_int_equal(sl_file_replace(path, "one", 3, SL_DURABLE), SL_OK);
    expect_text(path, "one");
    assert_int_equal(sl_file_replace(path, "three", 5, SL_VOLATILE), SL_OK);
    expect_text(path, "three");
    assert_int_equal(entries(in_top("r")), 1);
    assert_int_equal(sl_file_replace(in_top("nowhere/text"), "", 0, SL_DURABLE), SL_EIO);
    assert_non_null(strstr(sl_error_text(), "nowhere"));
}

/* Of what is no plain file nothing but its bytes changes. */
static void put_keeps_what_is_there(void **state)
{
    (void)state;
    char link[300], target[300], name[8];
    snprintf(link, sizeof link, "%s", in_top("link"));
    snprintf(target, sizeof target, "%s", in_top("target"));
    assert_int_equal(sl_file_put(target, "longer", 6), SL_OK);
    assert_int_equal(sl_file_replaceable(target), SL_OK);
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(sl_file_replaceable(link), SL_EINPUT);
    assert_int_equal(sl_file_put(link, "text", 4), SL_OK);
    assert_int_equal(readlink(link, name, sizeof name), 6);
    expect_text(target, "text");
    assert_int_equal(sl_file_put(top, "text", 4), SL_EIO);
    assert_int_equal(sl_file_put(in_top("nowhere/text"), "text", 4), SL_EIO);
}

static void leftovers_are_swept(void **state)
{
    (void)state;
    assert_int_equal(sl_mkdir_all(in_top("s")), SL_OK);
    static const char *const name[] = {"s/text", "s/text.tmp-0123456789abcdef", "s/text.tmp-short",
                                       "s/other.tmp-0123456789abcdef"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        assert_int_equal(sl_file_replace(in_top(name[i]), "x", 1, SL_VOLATILE), SL_OK);
    assert_int_equal(sl_file_sweep(in_top("s/text")), SL_OK);
    assert_int_equal(entries(in_top("s")), 3);
    assert_int_not_equal(access(in_top(name[1]), F_OK), 0);
}

static void reading_is_bounded(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n;
    assert_int_equal(sl_file_replace(in_top("big"), "12345678", 8, SL_VOLATILE), SL_OK);
    assert_int_equal(sl_file_read(in_top("big"), 7, &text, &n), SL_EINPUT);
    assert_int_equal(sl_file_read(in_top("missing"), 7, &text, &n), SL_EIO);
    assert_int_equal(sl_file_read(top, 1000, &text, &n), SL_EINPUT);
    assert_int_equal(mkfifo(in_top("fifo"), 0600), 0);
    assert_int_equal(sl_file_read(in_top("fifo"), 1000, &text, &n), SL_EINPUT);
    assert_null(text);
    int fd = open(in_top("big"), O_RDONLY);
    char eight[8];
    assert_int_equal(sl_pread_all(fd, eight, 8, 0, "big"), SL_OK);
    assert_int_equal(sl_pread_all(fd, eight, 8, 1, "big"), SL_EINPUT);
    close(fd);
}

/* A directory that the system stops showing has no end. */
static void directories(void **state)
{
    (void)state;
    struct dirent *e;
    int n = 0;
    assert_int_equal(mkdir(in_top("shown"), 0777), 0);
    DIR *dir = opendir(in_top("shown"));
    assert_non_null(dir);
    while (sl_dir_next(dir, "shown", &e) == SL_OK && e)
        n++;
    assert_int_equal(n, 2); /* itself and the one above */
    closedir(dir);
    dir = opendir(in_top("shown"));
    assert_int_equal(close(dirfd(dir)), 0);
    assert_int_equal(sl_dir_next(dir, "shown", &e), SL_EIO);
    assert_null(e);
    assert_non_null(strstr(sl_error_text(), "shown"));
    closedir(dir);
}

/* A limit on the size of files makes writes short, then fail: as a quota does. */
static void short_writes_are_errors(void **state)
{
    (void)state;
    struct rlimit old, small = {1000, 0};
    char data[5000] = {0};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    assert_int_equal(sl_file_replace(in_top("q"), "old", 3, SL_DURABLE), SL_OK);
    int before = entries(top);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = sl_file_replace(in_top("q"), data, sizeof data, SL_DURABLE);
    int fd = open(in_top("q2"), O_WRONLY | O_CREAT, 0600);
    int reserve = sl_reserve(fd, 5000, "q2");
    setrlimit(RLIMIT_FSIZE, &old);
    close(fd);
    unlink(in_top("q2"));
    assert_int_equal(code, SL_EIO);
    assert_int_equal(reserve, SL_EIO);
    expect_text(in_top("q"), "old");
    assert_int_equal(entries(top), before);
}

static void full_disk(void **state)
{
    (void)state;
    char dir[256];
    scratch_make(dir, "full");
    if (!scratch_mount(dir, 64 << 10)) skip();
    char path[SL_PATH_MAX], *data = calloc(1, 128 << 10);
    assert_int_equal(sl_path_join(path, dir, "text"), SL_OK);
    assert_int_equal(sl_file_replace(path, "old", 3, SL_DURABLE), SL_OK);
    assert_int_equal(sl_file_replace(path, data, 128 << 10, SL_DURABLE), SL_EIO);
    assert_non_null(strstr(sl_error_text(), "No space left"));
    assert_int_equal(sl_file_replace(path, data, 128 << 10, SL_VOLATILE), SL_EIO);
    assert_int_equal(sl_check_room(dir, 128 << 10), SL_EIO);
    assert_int_equal(sl_check_room(dir, 4 << 10), SL_OK);
    expect_text(path, "old");
    assert_int_equal(entries(dir), 1);
    free(data);
    scratch_unmount(dir);
    rmdir(dir);
}

static int up(void **state)
{
    (void)state;
    scratch_make(top, "file");
    return 0;
}

static int down(void **state)
{
    (void)state;
    scratch_remove(top);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(replaced_whole),
        cmocka_unit_test(put_keeps_what_is_there),
        cmocka_unit_test(leftovers_are_swept),
        cmocka_unit_test(reading_is_bounded),
        cmocka_unit_test(directories),
        cmocka_unit_test(short_writes_are_errors),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, up, down);
}
