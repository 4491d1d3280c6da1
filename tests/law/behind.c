/* behind.c - files written while the steps go on are those of a run that stops for them: snapshots,
 * history, checkpoints and what goes on from them; a disk that gets full is an error of the run;
 * one that diverges leaves its last state besides, and one that loses mass no checkpoint of that.
 * auto takes the device where every rank finds one, and what computes is reported. The device is
 * the processor with a memory of its own. "behind N": a run whose rank N fails alone.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/io/h5.h"
#include "core/io/snapshot.h"
#include "core/run/driver.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "tests/law.h"
#include "tests/scratch.h"

static int rank;

/* ---- a device: the processor, whose state is not sim->state.u -------------------------------- */

struct there {
    sl_real *host;
    const struct sl_backend *backend;
};

static struct there enter(struct sl_sim *sim)
{
    struct there t = {sim->state.u, sim->work->backend};
    sim->state.u = sim->work->now;
    sim->work->backend = &sl_backend_cpu;
    return t;
}

static void leave(struct sl_sim *sim, struct there t)
{
    sim->state.u = t.host;
    sim->work->backend = t.backend;
}

static int blind = -1; /* this rank finds no device */

static int found(void)
{
    return rank == blind ? 0 : 1;
}

/* Two ranks share one. */
static int describe(const struct sl_sim *sim, struct sl_backend_device *out)
{
    snprintf(out->name, sizeof out->name, "toy");
    memset(out->id, 1 + sim->state.mesh->rank / 2, sizeof out->id);
    return SL_OK;
}

static int open_apart(struct sl_sim *sim)
{
    SL_TRY(sl_backend_cpu.open(sim));
    sim->work->now = sl_field_new(sl_mesh_size(sim->state.mesh, sim->state.layout.nvar));
    return sim->work->now ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a device");
}

static void close_apart(struct sl_sim *sim)
{
    free(sim->work->now);
    sl_backend_cpu.close(sim);
}

static size_t bytes_of(const struct sl_sim *sim)
{
    return sl_mesh_size(sim->state.mesh, sim->state.layout.nvar) * sizeof(sl_real);
}

static int push(struct sl_sim *sim)
{
    memcpy(sim->work->now, sim->state.u, bytes_of(sim));
    return SL_OK;
}

static int pull(const struct sl_sim *sim)
{
    memcpy(sim->state.u, sim->work->now, bytes_of(sim));
    return SL_OK;
}

static int gone = -1;           /* the device of this rank is gone when the third step begins */
static int blows_up = -1;       /* after so many steps */
static int leaks = -1;          /* one cell of rank 0 then loses a billionth of its mass */
static int slow_from = INT_MAX; /* this step and those after it take 20 ms and more */

static int advance(struct sl_sim *sim, const struct sl_stage *stage, sl_real *in, sl_real *out,
                   struct sl_signal *all)
{
    SL_CHECK(rank != gone || sim->state.step < 2, SL_EUNAVAIL, "the device of rank %d is gone",
             rank);
    SL_CHECK(sim->state.step != blows_up, SL_EDIVERGED, "it blows up");
    if (sim->state.step >= slow_from) usleep(20000);
    struct there t = enter(sim);
    int code = sl_backend_cpu.advance(sim, stage, in, out, all);
    leave(sim, t);
    if (sim->state.step == leaks && stage->last && rank == 0)
        out[sl_mesh_at(sim->state.mesh, sim->state.layout.nvar, 0, 0, sim->state.mesh->g[2],
                       sim->state.mesh->g[1], sim->state.mesh->g[0])] *= (sl_real)(1 - 1e-9);
    return code;
}

static int signal_of(struct sl_sim *sim, sl_real *u, struct sl_signal *all)
{
    return sl_backend_cpu.signal(sim, u, all);
}

static int repair_ready(struct sl_sim *sim)
{
    return sl_backend_cpu.repair_ready(sim);
}

static int repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
                  int64_t *repaired, int64_t *floored)
{
    struct there t = enter(sim);
    int code = sl_backend_cpu.repair(sim, stage, in, out, repaired, floored);
    leave(sim, t);
    return code;
}

static int totals(const struct sl_sim *borrowed, double *sum, double *least)
{
    struct sl_sim *sim = (struct sl_sim *)(uintptr_t)borrowed;
    struct there t = enter(sim);
    int code = sl_sim_totals(sim, sum, least);
    leave(sim, t);
    return code;
}

const struct sl_backend sl_backend_cuda = {.name = "cuda",
                                           .found = found,
                                           .open = open_apart,
                                           .close = close_apart,
                                           .describe = describe,
                                           .push = push,
                                           .pull = pull,
                                           .advance = advance,
                                           .signal = signal_of,
                                           .repair_ready = repair_ready,
                                           .repair = repair,
                                           .totals = totals};

/* ---- runs ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t stopped;

static void on_alarm(int number)
{
    (void)number;
    stopped = 1;
}

/* In a directory of its own below the present one. */
static int drive(const char *dir, const char *backend, const char *recipe,
                 struct sl_driver_end *end)
{
    static struct sl_config cfg;
    struct sl_driver driver = {&cfg, &stopped, sl_wall()};
    char text[1024];
    snprintf(text, sizeof text, "campaign: test\nresources.backend: %s\n%s", backend, recipe);
    if (sl_config_parse("test", text, strlen(text), NULL, 0, &cfg) != SL_OK)
        fail_msg("%s", sl_error_text());
    if (rank == 0) mkdir(dir, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(chdir(dir), 0);
    int code = sl_driver_run(MPI_COMM_WORLD, &driver, end);
    assert_int_equal(chdir(".."), 0);
    return code;
}

/* A run that a signal stops every few hundredths of a second. */
static void drive_in_pieces(const char *dir, const char *backend, const char *recipe,
                            struct sl_driver_end *end)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    int code = SL_EAGAIN, pieces = 0;
    signal(SIGALRM, on_alarm);
    for (; code == SL_EAGAIN; pieces++) {
        struct itimerval soon = {{0, 0}, {0, 50000 + 50000 * pieces}};
        stopped = 0;
        if (rank == 0) setitimer(ITIMER_REAL, &soon, NULL);
        code = drive(dir, backend, recipe, end);
        setitimer(ITIMER_REAL, &never, NULL);
    }
    stopped = 0;
    if (code != SL_OK) fail_msg("%s", sl_error_text());
    assert_true(pieces > 1);
}

static char *whole_file(const char *dir, const char *name, size_t *n)
{
    char path[SL_PATH_MAX], *text = NULL;
    assert_int_equal(sl_path_join(path, dir, name), SL_OK);
    assert_int_equal(sl_file_read(path, 1 << 26, &text, n), SL_OK);
    return text;
}

/* The lines of numbers. */
static void same_history(const char *a, const char *b)
{
    size_t n[2];
    char *text[2] = {whole_file(a, "history.tsv", n), whole_file(b, "history.tsv", n + 1)};
    const char *x = strstr(text[0], "\n0\t"), *y = strstr(text[1], "\n0\t");
    assert_non_null(x);
    assert_non_null(y);
    assert_string_equal(x, y);
    free(text[0]);
    free(text[1]);
}

static void same_field(const struct sl_snapshot *a, const struct sl_snapshot *b, int f)
{
    const struct sl_snapshot_info *info = sl_snapshot_about(a);
    const int64_t lo[3] = {0, 0, 0};
    size_t n = (size_t)(info->cells[0] * info->cells[1] * info->cells[2]) * sizeof(double);
    double *x = malloc(n), *y = malloc(n);
    assert_true(x && y);
    assert_int_equal(sl_snapshot_read_box(a, info->field[f], lo, info->cells, x), SL_OK);
    assert_int_equal(sl_snapshot_read_box(b, info->field[f], lo, info->cells, y), SL_OK);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void same_snapshots(const char *a, const char *b, int least)
{
    int number = 0;
    for (;; number++) {
        char name[64], path[2][SL_PATH_MAX];
        struct sl_snapshot *s[2];
        snprintf(name, sizeof name, "snapshots/test_hdf5_plt_cnt_%04d", number);
        assert_int_equal(sl_path_join(path[0], a, name), SL_OK);
        assert_int_equal(sl_path_join(path[1], b, name), SL_OK);
        assert_int_equal(access(path[0], F_OK), access(path[1], F_OK));
        if (access(path[0], F_OK) != 0) break;
        for (int i = 0; i < 2; i++)
            assert_int_equal(sl_snapshot_open(path[i], &s[i]), SL_OK);
        const struct sl_snapshot_info *x = sl_snapshot_about(s[0]), *y = sl_snapshot_about(s[1]);
        assert_true(x->time == y->time && x->dt == y->dt && x->step == y->step);
        assert_true(x->hash == y->hash);
        for (int f = 0; f < x->nfield; f++)
            same_field(s[0], s[1], f);
        sl_snapshot_close(s[0]);
        sl_snapshot_close(s[1]);
    }
    assert_true(number >= least);
}

static int count_of(const char *pattern)
{
    glob_t g;
    int n = glob(pattern, 0, NULL, &g) == 0 ? (int)g.gl_pathc : 0;
    globfree(&g);
    return n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define RECIPE                                                                                     \
    "problem: mhd_blast\nmesh: {cells: [16, 16, 16], block: [8], boundary: periodic}\n"            \
    "time: {end: 0.04}\noutput: {snapshot: 0.004, history: 0.002, precision: double, "             \
    "checkpoint: 0.01}\n"

static void compare(const char *fluid)
{
    char recipe[1024];
    struct sl_driver_end still, beside, pieces;
    snprintf(recipe, sizeof recipe, RECIPE "fluid: {%s}\n", fluid);
    assert_int_equal(drive("still", "cpu", recipe, &still), SL_OK);
    assert_int_equal(drive("beside", "cuda", recipe, &beside), SL_OK);
    drive_in_pieces("pieces", "cuda", recipe, &pieces);
    assert_true(still.hash == beside.hash && still.hash == pieces.hash);
    assert_true(still.step == beside.step && still.step == pieces.step);
    MPI_Barrier(MPI_COMM_WORLD);
    same_history("still", "beside");
    same_history("still", "pieces");
    same_snapshots("still", "beside", 10);
    same_snapshots("still", "pieces", 10);
    assert_int_equal(count_of("beside/*/*.tmp*"), 0);
    assert_true(count_of("beside/checkpoints/ckpt.*/MANIFEST") > 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && system("rm -rf still beside pieces") != 0) fail();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void same_files(void **unused)
{
    (void)unused;
    compare("mhd: glm, riemann: hlld");
    compare("mhd: ct, riemann: hlld");
}

/* Files of more than 100 kB cannot be: neither snapshots nor checkpoints. */
static void full(void **unused)
{
    (void)unused;
    struct sl_driver_end end;
    struct rlimit was, now;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    now = was;
    now.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    int code = drive("full", "cuda", RECIPE "fluid: {mhd: ct, riemann: hlld}\n", &end);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(code, SL_EIO);
    assert_non_null(strstr(sl_error_text(), "snapshots/"));
    assert_int_equal(count_of("full/snapshots/*"), 0);
}

/* A run that diverges while an output of the same state is on its way: that is finished, or fails;
 * then comes the last snapshot, and the run ends with what it met. */
static void diverges(int after, const char *output, int snapshots)
{
    char recipe[1024];
    struct sl_driver_end end;
    snprintf(recipe, sizeof recipe,
             "problem: mhd_blast\nmesh: {cells: [16, 16, 16], block: [8], boundary: periodic}\n"
             "time: {end: 0.04}\nfluid: {mhd: glm, riemann: hlld}\noutput: {%s}\n",
             output);
    blows_up = after;
    int code = drive("diverged", "cuda", recipe, &end);
    blows_up = -1;
    assert_int_equal(code, SL_EDIVERGED);
    assert_string_equal(sl_error_text(), "it blows up");
    assert_int_equal(count_of("diverged/snapshots/*_[0-9][0-9][0-9][0-9]"), snapshots);
    assert_int_equal(count_of("diverged/*/*tmp*"), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && system("rm -rf diverged") != 0) fail();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void divergence(void **unused)
{
    (void)unused;
    diverges(2, "snapshot: 1e-4, checkpoint: 1 h", 4); /* of steps 0, 1, 2, and 2 again */
    if (rank == 0) {
        int fd;
        assert_int_equal(mkdir("diverged", 0777), 0);
        fd = open("diverged/checkpoints", O_WRONLY | O_CREAT, 0666);
        assert_true(fd >= 0 && close(fd) == 0); /* where a directory should be: no checkpoint */
    }
    diverges(1, "snapshot: 0.02, checkpoint: 1e-9", 2);
}

/* Mass that is lost in the fourth step is seen when the next checkpoint is due, long before the
 * next line of the history, some 10^4 steps later: the checkpoints before it stay the last ones.
 * Steps go on while a checkpoint is written: 20 ms each here, that a slow disk sees few of them. */
static void leak(void **unused)
{
    (void)unused;
    struct sl_driver_end end;
    long step = 0;
    slow_from = leaks = 3;
    int code = drive("leaks", "cuda",
                     "problem: mhd_blast\ntime: {end: 20}\nfluid: {mhd: glm, riemann: hlld}\n"
                     "mesh: {cells: [16, 16, 16], block: [8], boundary: periodic}\n"
                     "output: {history: 20, checkpoint: 1e-9, keep: 100}\n",
                     &end);
    leaks = -1;
    slow_from = INT_MAX;
    assert_int_equal(code, SL_EDIVERGED);
    if (!strstr(sl_error_text(), ": the total mass went from")) fail_msg("%s", sl_error_text());
    assert_int_equal(sscanf(sl_error_text(), "step %ld", &step), 1);
    if (step < 4 || step > 1000) fail_msg("seen in step %ld", step);
    assert_true(count_of("leaks/checkpoints/ckpt.*/MANIFEST") > 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && system("rm -rf leaks") != 0) fail();
    MPI_Barrier(MPI_COMM_WORLD);
}

static int pulls;

static int pull_at_second(const struct sl_sim *sim)
{
    (void)sim;
    return ++pulls < 2 ? SL_FAIL(SL_EMEM, "no memory for a copy") : SL_OK;
}

/* A copy of the state that failed, of which a checkpoint makes a warning, is made again when the
 * next output wants it. */
static void pulls_again(void **unused)
{
    (void)unused;
    sl_real u = 0;
    struct sl_backend on = sl_backend_cpu;
    struct sl_step work = {.backend = &on, .newest = SL_NEWEST_BACKEND};
    struct sl_mesh mesh = {.comm = MPI_COMM_WORLD};
    struct sl_sim sim = {.work = &work, .state = {.mesh = &mesh, .u = &u}};
    on.pull = pull_at_second;
    pulls = 0;
    assert_int_equal(sl_sim_pull(&sim), SL_EMEM);
    assert_int_equal(sl_sim_pull(&sim), SL_OK);
    assert_int_equal(pulls, 2);
    assert_int_equal(sl_sim_pull(&sim), SL_OK);
    assert_int_equal(pulls, 2);
}

#define SHORT                                                                                      \
    "problem: mhd_blast\nmesh: {cells: [16, 16, 16], block: [8], boundary: periodic}\n"            \
    "fluid: {mhd: glm, riemann: hlld}\ntime: {end: 0.04, max_steps: 2}\n"

/* What rank 0 logs in a run, and how that ends. */
static int logged(const char *backend, char text[4096])
{
    struct sl_driver_end end;
    int was = dup(2), to = open("log", O_RDWR | O_CREAT | O_APPEND, 0666);
    assert_true(was >= 0 && to >= 0 && dup2(to, 2) == 2);
    int code = drive("reported", backend, SHORT, &end);
    assert_true(dup2(was, 2) == 2 && close(was) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    ssize_t n = pread(to, text, 4095, 0);
    assert_true(n >= 0 && close(to) == 0);
    text[n] = '\0';
    return code;
}

/* A run with this backend says so, in its log, its snapshots and its progress. */
static void reports(const char *backend, int blind_rank, const char *name, const char *line)
{
    char text[4096], want[64];
    size_t n;
    blind = blind_rank;
    int code = logged(backend, text);
    blind = -1;
    if (code != SL_OK) fail_msg("%s", sl_error_text());
    const char *at = strstr(text, line);
    if (!at || strstr(at + 1, "computes on")) fail_msg("not once '%s': %s", line, text);
    char *progress = whole_file("reported", "progress.json", &n);
    snprintf(want, sizeof want, "\"backend\":\"%s\"", name);
    assert_non_null(strstr(progress, want));
    free(progress);
    if (rank == 0) {
        char kept[16] = "";
        hid_t file =
                  H5Fopen("reported/snapshots/test_hdf5_plt_cnt_0000", H5F_ACC_RDONLY, H5P_DEFAULT),
              group = H5Gopen2(file, "sluice", H5P_DEFAULT);
        assert_int_equal(sl_h5_get_text(group, "backend", sizeof kept, kept), SL_OK);
        assert_string_equal(kept, name);
        assert_true(H5Gclose(group) >= 0 && H5Fclose(file) >= 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && system("rm -rf reported log") != 0) fail();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void telling(void **unused)
{
    (void)unused;
    char text[4096], line[64];
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(line, sizeof line, "computes on cuda: %d rank%s on %d device%s, toy\n", ranks,
             ranks == 1 ? "" : "s", (ranks + 1) / 2, ranks < 3 ? "" : "s");
    reports("auto", -1, "cuda", line);
    reports("cuda", -1, "cuda", line);
    reports("cpu", -1, "cpu", "computes on the processor\n");
    reports("auto", ranks - 1, "cpu",
            "computes on the processor: not every rank finds a device with a driver\n");
    blind = ranks - 1;
    assert_int_equal(logged("cuda", text), SL_EUNAVAIL);
    blind = -1;
    assert_string_equal(sl_error_text(), "resources.backend is cuda, but not every rank finds a "
                                         "device with a driver");
    assert_null(strstr(text, "computes on"));
}

/* A run that fails on one rank alone, with a snapshot on its way: what tests/law/alone.sh looks
 * at. */
static int alone(int on)
{
    struct sl_driver_end end;
    gone = on;
    int code = drive("alone", "cuda",
                     RECIPE "fluid: {mhd: glm, riemann: hlld}\nresources.hang: 30\n", &end);
    if (code != SL_OK && rank == 0) sl_log(SL_LOG_ERROR, "%s", sl_error_text());
    return code;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_files), cmocka_unit_test(full),        cmocka_unit_test(divergence),
        cmocka_unit_test(leak),       cmocka_unit_test(pulls_again), cmocka_unit_test(telling),
    };
    char top[256];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(top, "behind");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    int failed = chdir(top) != 0 ? 1
                 : argc > 1      ? alone(argv[1][0] - '0')
                                 : cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(top);
    MPI_Finalize();
    return failed;
}
