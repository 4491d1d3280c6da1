/* memory.c - tests core/sys/memory.h on trees of files as kernels show them: limits of control
 * groups of both versions, of groups above, of names from outside a container; the count of
 * processes that were ended. */
#include "core/sys/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scratch.h"

static char root[256];

static void put(const char *path, const char *text)
{
    char name[1024], command[1200];
    snprintf(name, sizeof name, "%s/%s", root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", name);
    assert_int_equal(system(command), 0);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make(void **state)
{
    (void)state;
    scratch_make(root, "memory");
    return 0;
}

static int drop(void **state)
{
    (void)state;
    scratch_remove(root);
    return 0;
}

static void no_groups(void **state)
{
    (void)state;
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    assert_true(sl_memory_limit(root) == machine);
    put("proc/self/cgroup", "0::/a/b\n");
    assert_true(sl_memory_limit(root) == machine);
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(sl_memory_limit(root) == machine);
    put("sys/fs/cgroup/a/b/memory.max", "9223372036854771712\n");
    assert_true(sl_memory_limit(root) == machine);
    assert_true(sl_memory_kills(root) == 0);
}

static void second_version(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "2000000\n");
    assert_true(sl_memory_limit(root) == 2000000);
    put("sys/fs/cgroup/a/memory.max", "1000000\n");
    assert_true(sl_memory_limit(root) == 1000000);
    put("sys/fs/cgroup/memory.max", "500000\n"); /* the root of a container's own tree */
    assert_true(sl_memory_limit(root) == 500000);
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "600000\n");
    assert_true(sl_memory_limit(root) == 600000);
}

static void first_version(void **state)
{
    (void)state;
    put("proc/self/cgroup", "5:cpu,cpuacct:/c\n4:hugetlb,memory:/job/7\n1:memoryless:/x\n0::/\n");
    put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1\n");
    put("sys/fs/cgroup/memory/job/7/memory.limit_in_bytes", "300000\n");
    assert_true(sl_memory_limit(root) == 300000);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("proc/self/cgroup", "4:memory:/name/of/outside\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "200000\n");
    assert_true(sl_memory_limit(root) == 200000);
}

static void ended(void **state)
{
    (void)state;
    put("proc/vmstat", "pgfault 12\noom_kill 3\noom_kill_disable 9\n");
    assert_true(sl_memory_kills(root) == 3);
    /* what the processes of others lose is not ours */
    put("proc/self/cgroup", "5:cpu:/c\n4:memory:/job/7\n0::/\n");
    put("sys/fs/cgroup/memory/job/7/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    assert_true(sl_memory_kills(root) == 1);
    put("proc/self/cgroup", "4:memory:/name/of/outside\n0::/\n");
    put("sys/fs/cgroup/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
    assert_true(sl_memory_kills(root) == 0);
    put("proc/self/cgroup", "0::/a/b\n");
    assert_true(sl_memory_kills(root) == 3); /* this group counts nothing */
    put("sys/fs/cgroup/a/b/memory.events", "low 0\noom 5\noom_kill 2\noom_group_kill 0\n");
    assert_true(sl_memory_kills(root) == 2);
}

/* The last line that programs write of it. */
static void reported(void **state)
{
    (void)state;
    assert_true(sl_memory_reported("no line") == 0);
    assert_true(sl_memory_reported("memory: much MiB on the fullest rank\nmemory: 12\n") == 0);
    assert_true(
        sl_memory_reported("x\nmemory: 12.5 MiB on the fullest rank, 40.0 MiB in all\nmemory: 20.0 "
                           "MiB on the fullest rank, 40.0 MiB in all\nend\n") == 20 * 1048576);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(no_groups, make, drop),
                                       cmocka_unit_test_setup_teardown(second_version, make, drop),
                                       cmocka_unit_test_setup_teardown(first_version, make, drop),
                                       cmocka_unit_test_setup_teardown(ended, make, drop),
                                       cmocka_unit_test(reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
