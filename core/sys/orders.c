/* orders.c - see orders.h. */
#include "core/sys/orders.h"

#include <errno.h>
#include <fcntl.h>
#include <fftw3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/agree.h"
#include "core/sys/order.h"
#include "core/sys/peak.h"
#include "core/sys/status.h"

struct order {
    int size; /* 0: no more come */
    char text[SL_ORDER_MAX];
};

/* Once who listens is gone, another user may do so at the name, which all can see. */
static bool is_ours(int fd)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid();
}

static int join(const char *name, int *fd)
{
    struct sockaddr_un address;
    socklen_t size = sl_order_address(name, &address);
    SL_CHECK(size > 0, SL_EUSAGE, "the name %s is too long", name);
    *fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    SL_CHECK(*fd >= 0, SL_EUNAVAIL, "cannot make a socket: %s", strerror(errno));
    SL_CHECK(connect(*fd, (struct sockaddr *)&address, size) == 0, SL_EUNAVAIL,
             "nobody gives orders at %s: %s", name, strerror(errno));
    SL_CHECK(is_ours(*fd), SL_EUNAVAIL, "another user gives orders at %s", name);
    return SL_OK;
}

/* The next order, on all ranks; false: there is none. */
static bool next(MPI_Comm comm, int rank, int fd, struct order *o)
{
    ssize_t n = -1;
    if (rank == 0) {
        while ((n = recv(fd, o->text, sizeof o->text - 1, 0)) < 0 && errno == EINTR)
            continue;
        o->size = n > 0 ? (int)n : 0;
    }
    MPI_Bcast(&o->size, 1, MPI_INT, 0, comm);
    MPI_Bcast(o->text, o->size, MPI_CHAR, 0, comm);
    o->text[o->size] = '\0';
    return o->size > 0;
}

static int begin(int home, const char *log)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    int why = errno;
    bool good = fd >= 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2;
    if (fd >= 0) close(fd);
    SL_CHECK(good, SL_EIO, "cannot write to %s: %s", log, strerror(why));
    SL_CHECK(fchdir(home) == 0, SL_EIO, "cannot go back to where the program began: %s",
             strerror(errno));
    sl_peak_begin();
    return SL_OK;
}

/* FFTW remembers its plans: another one before it must not choose for the next run. */
static void end(void)
{
    fftw_cleanup();
    fflush(stdout);
}

static int obey(MPI_Comm comm, char *program, int home, struct order *o, sl_orders_run *run)
{
    char *argv[SL_ORDER_WORDS + 1] = {program};
    int argc = 1;
    char *at = o->text + strlen(o->text) + 1;
    for (; at < o->text + o->size && argc < SL_ORDER_WORDS; at += strlen(at) + 1)
        argv[argc++] = at;
    int rank, code = sl_agree(comm, begin(home, o->text));
    MPI_Comm_rank(comm, &rank);
    if (code == SL_OK)
        code = run(argc, argv);
    else if (rank == 0)
        sl_log(SL_LOG_ERROR, "%s", sl_error_text());
    end();
    return code;
}

/* Until no more come, or nobody hears the answer. */
static void serve(MPI_Comm comm, int rank, int fd, int home, char *program, sl_orders_run *run)
{
    static struct order o;
    bool heard = true;
    while (heard && next(comm, rank, fd, &o)) {
        int code = obey(comm, program, home, &o, run);
        if (rank == 0) heard = send(fd, &code, sizeof code, MSG_NOSIGNAL) == (ssize_t)sizeof code;
        MPI_Bcast(&heard, 1, MPI_C_BOOL, 0, comm);
    }
}

int sl_orders_serve(MPI_Comm comm, char *program, const char *name, sl_orders_run *run)
{
    int rank, fd = -1, home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    MPI_Comm_rank(comm, &rank);
    int code =
        home >= 0 ? SL_OK : SL_FAIL(SL_EIO, "cannot open the directory: %s", strerror(errno));
    if (code == SL_OK && rank == 0) code = join(name, &fd);
    code = sl_agree(comm, code);
    if (code == SL_OK)
        serve(comm, rank, fd, home, program, run);
    else if (rank == 0)
        sl_log(SL_LOG_ERROR, "%s", sl_error_text());
    if (fd >= 0) close(fd);
    if (home >= 0) close(home);
    return code;
}

int sl_orders_or(int argc, char **argv, sl_orders_run *ordered, sl_orders_run *whole)
{
    if (argc == 3 && strcmp(argv[1], "--orders") == 0)
        return sl_orders_serve(MPI_COMM_WORLD, argv[0], argv[2], ordered);
    return whole(argc, argv);
}
