/* server.c - see server.h. */
#include "pipeline/launch/server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/order.h"
#include "core/sys/status.h"
#include "pipeline/base/buffer.h"

void sl_server_init(struct sl_server *s)
{
    *s = (struct sl_server){.listener = -1, .fd = -1, .said = -1};
}

static void shut(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void forget(char **text)
{
    free(*text);
    *text = NULL;
}

/* ---- its start ------------------------------------------------------------------------------- */

static int listen_at(struct sl_server *s, char name[48])
{
    struct sockaddr_un address;
    uint64_t random[2];
    SL_CHECK(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random, SL_EIO,
             "cannot get random bytes: %s", strerror(errno));
    snprintf(name, 48, "sluice-%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    socklen_t size = sl_order_address(name, &address);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    SL_CHECK(s->listener >= 0 && bind(s->listener, (struct sockaddr *)&address, size) == 0 &&
                 listen(s->listener, 1) == 0,
             SL_EIO, "cannot make a socket: %s", strerror(errno));
    return SL_OK;
}

static int start(struct sl_server *s, const struct sl_child *of, int n)
{
    char name[48];
    SL_TRY(listen_at(s, name));
    s->said = memfd_create("launcher", MFD_CLOEXEC);
    SL_CHECK(s->said >= 0, SL_EIO, "cannot keep what a launcher says: %s", strerror(errno));
    struct sl_child child = *of;
    child.args = (struct sl_args){.n = 0};
    for (int i = 0; i < n; i++)
        sl_args_add(&child.args, "%s", of->args.list[i]);
    sl_args_add(&child.args, "--orders");
    sl_args_add(&child.args, "%s", name);
    child.out = child.err = s->said;
    snprintf(s->token, sizeof s->token, "%s", of->token ? of->token : "");
    int code = sl_child_start(&child, &s->pid);
    sl_args_release(&child.args);
    if (code != SL_OK) s->pid = 0;
    return code;
}

/* ---- an order -------------------------------------------------------------------------------- */

/* Words, each ended by a zero byte. */
static int join(char *const *words, int n, const char *first, char **text, size_t *size)
{
    struct sl_buffer b = {.s = NULL};
    if (first) sl_buffer_bytes(&b, first, strlen(first) + 1);
    for (int i = 0; i < n; i++)
        sl_buffer_bytes(&b, words[i], strlen(words[i]) + 1);
    if (b.failed || !b.s) sl_buffer_release(&b);
    SL_CHECK(b.s, SL_EMEM, "no memory for the arguments of a program");
    *text = b.s;
    *size = b.n;
    return SL_OK;
}

int sl_server_order(struct sl_server *s, const struct sl_child *child, int n, const char *log)
{
    char *words;
    size_t size;
    SL_CHECK(!child->args.full, SL_EMEM, "no memory for the arguments of a program");
    SL_TRY(join(child->args.list, n, child->token, &words, &size));
    bool fits =
        s->pid > 0 && s->words && s->words_size == size && memcmp(s->words, words, size) == 0;
    if (!fits) sl_server_end(s);
    free(s->words);
    s->words = words;
    s->words_size = size;
    forget(&s->order);
    SL_TRY(join(child->args.list + n, child->args.n - n, log, &s->order, &s->size));
    SL_CHECK(s->size < SL_ORDER_MAX, SL_EINPUT, "the arguments of a run are too long");
    return fits ? SL_OK : start(s, child, n);
}

/* ---- its answer ------------------------------------------------------------------------------ */

/* A process of another user is not heard. */
static void let_in(struct sl_server *s)
{
    struct ucred who;
    socklen_t size = sizeof who;
    s->fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (s->fd < 0) return;
    if (getsockopt(s->fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.uid != geteuid())
        shut(&s->fd);
    else
        shut(&s->listener);
}

bool sl_server_answered(struct sl_server *s, int *code)
{
    if (s->fd < 0 && s->listener >= 0) let_in(s);
    if (s->fd < 0) return false;
    if (s->order && send(s->fd, s->order, s->size, MSG_NOSIGNAL) == (ssize_t)s->size)
        forget(&s->order);
    ssize_t n = recv(s->fd, code, sizeof *code, MSG_DONTWAIT);
    if (n == (ssize_t)sizeof *code) return true;
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) shut(&s->fd); /* it is gone */
    return false;
}

int sl_server_fd(const struct sl_server *s)
{
    return s->fd >= 0 ? s->fd : s->listener;
}

void sl_server_say(struct sl_server *s, int log)
{
    char text[4096];
    ssize_t n;
    while (s->said >= 0 && (n = pread(s->said, text, sizeof text, s->told)) > 0) {
        if (write(log, text, (size_t)n) != n) return;
        s->told += n;
    }
}

/* ---- its end --------------------------------------------------------------------------------- */

void sl_server_gone(struct sl_server *s)
{
    shut(&s->fd);
    shut(&s->listener);
    shut(&s->said);
    forget(&s->words);
    forget(&s->order);
    s->told = 0;
    s->pid = 0;
}

/* MPI leaves nothing in shared memory when it ends by itself. */
void sl_server_end(struct sl_server *s)
{
    enum { PATIENCE = 10, PER_SECOND = 200 };
    const struct timespec nap = {.tv_nsec = 1000000000 / PER_SECOND};
    shut(&s->fd);
    shut(&s->listener);
    for (int i = 0; s->pid > 0 && i < PATIENCE * PER_SECOND; i++) {
        if (waitpid(s->pid, NULL, WNOHANG) != 0) break;
        nanosleep(&nap, NULL);
        if (i + 1 < PATIENCE * PER_SECOND) continue;
        kill(s->pid, SIGKILL);
        waitpid(s->pid, NULL, 0);
    }
    sl_server_gone(s);
}
