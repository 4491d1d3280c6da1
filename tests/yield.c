/* yield.c - a library that tests/run loads before all others (LD_PRELOAD): a rank that waits leaves
 * its processor to the others.
 *
 * Open MPI asks for messages again and again and calls sched_yield in between. Where there are more
 * ranks than processors that took a quarter of what tests of three ranks on two processors used.
 * Here every sixteenth call sleeps for some 70 us, the shortest that Linux sleeps; the others give
 * a message that is about to come its chance. */
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sched_yield(void)
{
    static _Thread_local unsigned calls;
    const struct timespec least = {.tv_nsec = 20000};
    return ++calls % 16 ? (int)syscall(SYS_sched_yield) : nanosleep(&least, NULL);
}
