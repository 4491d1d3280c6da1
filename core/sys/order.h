/* order.h - what both ends of a socket know by which a program is told to do run after run
 * (orders.h): its address, and how long an order may be.
 *
 * An order is the path of a log and the arguments of a run, each ended by a zero byte; the answer
 * is the status of the run, an int.
 *
 * Shapes  none
 * Units   bytes
 * Errors  sl_order_address: 0 for a name that is too long
 * Owns    nothing
 * MPI     local
 * Where   host, Linux
 * Refs    unix(7)
 * Tests   tests/law/orders.c
 */
#ifndef SL_SYS_ORDER_H
#define SL_SYS_ORDER_H

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SL_ORDER_MAX = 16384, SL_ORDER_WORDS = 64 };

/* The address of a name in the abstract name space, where nothing is left behind; its length. */
static inline socklen_t sl_order_address(const char *name, struct sockaddr_un *address)
{
    size_t n = strlen(name);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (n + 1 > sizeof address->sun_path) return 0;
    memcpy(address->sun_path + 1, name, n); /* the zero before it makes it abstract */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

#endif
