/* orders.c - a program that does run after run as it is told: each stands where the program began,
 * writes to its own log and answers its own status; what runs made is freed, and their bits are
 * those of runs alone, whatever ran before. Who stops to hear ends it. Orders of another user
 * are none.
 * ranks: 1 2
 */
#include "core/sys/orders.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/run/driver.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/order.h"
#include "core/sys/status.h"
#include "tests/scratch.h"

#define DARK                                                                                       \
    "problem: cosmology\nmesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}\n"       \
    "cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, sigma8: 0.8}\n"                  \
    "ic: {redshift: 49, transfer: eisenstein_hu, species: dark_matter, order: 1}\n"                \
    "fluid.eos: none\ntime: {end: 0, unit: redshift, steps: 3, stepping: bullfrog, begin: zero}\n" \
    "output: {snapshot: 0, history: 10}\n"
#define GAS                                                                                        \
    "problem: kelvin_helmholtz\nmesh: {cells: [16, 16], box: [[0, 1], [0, 1]]}\n"                  \
    "time: {end: 1, max_steps: 4}\n"

static const struct {
    const char *dir, *recipe;
    int code;
} runs[] = {{"a", DARK "seed: 1\n", SL_OK},
            {"b", GAS, SL_OK},
            {"c", "problem: none_such\n", SL_EINPUT},
            {"d", DARK "seed: 2\n", SL_OK},
            {"e", DARK "seed: 1\n", SL_OK}};
enum { RUNS = sizeof runs / sizeof *runs };

static int rank, listener, answer[RUNS];
static char top[256], name[64];
static volatile sig_atomic_t stopped;

static int simulate(const char *dir)
{
    static struct sl_config cfg;
    struct sl_driver driver = {&cfg, &stopped, sl_wall()};
    struct sl_driver_end end;
    char text[2048];
    int i = 0;
    while (strcmp(runs[i].dir, dir) != 0)
        i++;
    snprintf(text, sizeof text, "campaign: test\n%s", runs[i].recipe);
    SL_TRY(sl_config_parse("test", text, strlen(text), NULL, 0, &cfg));
    if (chdir(dir) != 0) fail();
    int code = sl_driver_run(MPI_COMM_WORLD, &driver, &end);
    if (code == SL_OK && rank == 0) printf("hash %016" PRIx64 "\n", end.hash);
    return code;
}

/* The arguments are DIRECTORY and "last". */
static int run(int argc, char **argv)
{
    char here[256];
    if (argc != 3 || strcmp(argv[0], "program") != 0 || strcmp(argv[2], "last") != 0 ||
        !getcwd(here, sizeof here) || strcmp(here, top) != 0)
        return SL_EUSAGE;
    return simulate(argv[1]);
}

static int order(int fd, const char *dir)
{
    char text[256];
    int code = -1;
    int n = snprintf(text, sizeof text, "%s/%s.log%c%s%clast", top, dir, 0, dir, 0) + 1;
    if (send(fd, text, (size_t)n, 0) != n || recv(fd, &code, sizeof code, 0) != sizeof code)
        code = -1;
    return code;
}

static void *give_orders(void *unused)
{
    int fd = accept(listener, NULL, NULL);
    for (int i = 0; i < RUNS; i++)
        answer[i] = order(fd, runs[i].dir);
    close(fd);
    return unused;
}

static void hash_of(const char *dir, char hash[17])
{
    char path[16], *text;
    size_t n;
    snprintf(path, sizeof path, "%s.log", dir);
    assert_int_equal(sl_file_read(path, 1 << 20, &text, &n), SL_OK);
    const char *at = strstr(text, "\nhash ");
    if (!at && strncmp(text, "hash ", 5) == 0) at = text - 1;
    if (!at) fail_msg("%s: no hash: %s", dir, text);
    snprintf(hash, 17, "%s", at + 6);
    free(text);
}

static void turns(void **unused)
{
    (void)unused;
    char first[17], other[17], again[17];
    pthread_t boss;
    int out = dup(1), err = dup(2);
    if (rank == 0) assert_int_equal(pthread_create(&boss, NULL, give_orders, NULL), 0);
    fflush(stdout);
    int code = sl_orders_serve(MPI_COMM_WORLD, "program", name, run);
    dup2(out, 1), dup2(err, 2);
    close(out), close(err);
    assert_int_equal(chdir(top), 0);
    assert_int_equal(code, SL_OK);
    if (rank != 0) return;
    pthread_join(boss, NULL);
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(answer[i], runs[i].code);
    hash_of("a", first);
    hash_of("d", other);
    hash_of("e", again);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
}

static void nobody(void **unused)
{
    (void)unused;
    assert_int_equal(sl_orders_serve(MPI_COMM_WORLD, "program", "sluice-no-such-name", run),
                     SL_EUNAVAIL);
}

static int listen_at(const char *at)
{
    struct sockaddr_un address;
    socklen_t size = sl_order_address(at, &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1) != 0) abort();
    return fd;
}

/* The kernel keeps who listens as of listen(). */
static void other_user(void **unused)
{
    (void)unused;
    enum { NOBODY = 65534 };
    int fd = -1;
    char other[64]; /* rank 0 alone goes there */
    snprintf(other, sizeof other, "sluice-other-%ld", (long)getpid());
    if (geteuid() != 0) skip(); /* it takes the superuser to be another */
    if (rank == 0) {
        assert_int_equal(seteuid(NOBODY), 0);
        fd = listen_at(other);
        assert_int_equal(seteuid(0), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int code = sl_orders_serve(MPI_COMM_WORLD, "program", other, run);
    if (fd >= 0) close(fd);
    assert_int_equal(code, SL_EUNAVAIL);
    assert_non_null(strstr(sl_error_text(), "another user"));
}

static void open_ears(void)
{
    snprintf(name, sizeof name, "sluice-orders-%ld", (long)getpid());
    listener = listen_at(name);
    for (int i = 0; i < RUNS; i++) {
        char dir[300];
        snprintf(dir, sizeof dir, "%s/%s", top, runs[i].dir);
        if (mkdir(dir, 0777) != 0) abort();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody), cmocka_unit_test(other_user),
                                       cmocka_unit_test(turns)};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        scratch_make(top, "orders");
        open_ears();
    }
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    int failed = chdir(top) != 0 || cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) close(listener);
    if (rank == 0) scratch_remove(top);
    MPI_Finalize();
    return failed;
}
