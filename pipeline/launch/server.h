/* server.h - a program that is started once and does run after run (core/sys/orders.h): the
 * launcher, MPI and the device are started once for several members.
 *
 * It is told one run at a time, and answers each with the run's status. What runs print goes to
 * their own logs; what the launcher says is kept, and added to the log of the run under way.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL, SL_EIO, SL_EMEM
 * Owns    its descriptors and its process, which sl_server_end ends
 * MPI     local; no MPI call is made here
 * Where   host, Linux; the ranks are on this host
 * Refs    unix(7)
 * Tests   tests/law/pack.sh
 */
#ifndef SL_PIPELINE_LAUNCH_SERVER_H
#define SL_PIPELINE_LAUNCH_SERVER_H

#include "pipeline/launch/child.h"

struct sl_server {
    pid_t pid;      /* of its launcher; 0: it is not there */
    char token[80]; /* SLUICE_TASK of its processes */
    char *words;    /* owned: what started it, each ended by a zero byte */
    size_t words_size;
    char *order;      /* owned: the run that it is to do, until it is told; NULL: none */
    size_t size;      /* of the order */
    int listener, fd; /* it comes to; it is heard through; -1: none */
    int said;         /* what its launcher says, in memory */
    long long told;   /* of it, bytes that are in logs already */
};

/* Nothing is there: the first order starts it. */
void sl_server_init(struct sl_server *server);

/* Has it a run done by the program that `child` would start: of its arguments the first `n` start a
 * program, the rest is the run's. One that was started by other words, or with another token, is
 * ended first, and another begins. child->out: the log of the run, of the path `log`. */
int sl_server_order(struct sl_server *server, const struct sl_child *child, int n, const char *log);

/* Whether the run has ended, and its status. The launcher may end instead: its process is the
 * caller's to wait for, and then sl_server_gone is called. */
bool sl_server_answered(struct sl_server *server, int *code);
void sl_server_gone(struct sl_server *server);

/* What there is to wait for until the run has ended. */
int sl_server_fd(const struct sl_server *server);

/* Adds to a log what the launcher has said. */
void sl_server_say(struct sl_server *server, int log);

/* Lets it end, as it does when it hears that no more runs come; kills what does not. */
void sl_server_end(struct sl_server *server);

#endif
