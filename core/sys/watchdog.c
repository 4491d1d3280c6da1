/* watchdog.c - see watchdog.h. */
#include "core/sys/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/status.h"

static pthread_t thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool running, stop;
static const char *phase;
static unsigned long phase_number;
static double limit_s;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bark(const char *name, double spent)
{
    sl_log(SL_LOG_ERROR, "hung: \"%s\" has taken %.1f s, more than resources.hang = %g s", name,
           spent, limit_s);
    signal(SIGALRM, SIG_DFL); /* in case MPI_Abort hangs as well */
    alarm(10);
    if (sl_on_bug) sl_on_bug();
    _exit(SL_EMPI);
}

/* Waits with the lock held; returns the time spent, of a long suspension only a part. */
static double tick(double period)
{
    double start = now(), until = start + period;
    struct timespec t = {(time_t)until, (long)(1e9 * (until - (double)(time_t)until))};
    pthread_cond_timedwait(&wake, &lock, &t);
    double spent = now() - start;
    return spent < 2 * period ? spent : 2 * period;
}

static void *watch(void *unused)
{
    (void)unused;
    double period = limit_s / 20 < 1 ? limit_s / 20 : 1, spent = 0;
    unsigned long seen = 0;
    pthread_mutex_lock(&lock);
    while (!stop) {
        if (seen != phase_number || !phase) spent = 0;
        seen = phase_number;
        spent += tick(period);
        if (!stop && phase && seen == phase_number && spent > limit_s) bark(phase, spent);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int sl_watchdog_start(double limit)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attr);
    pthread_condattr_destroy(&attr);
    limit_s = limit;
    stop = false;
    phase = NULL;
    sigset_t all, old; /* signals belong to the main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    SL_CHECK(rc == 0, SL_EUNAVAIL, "cannot start the watchdog: %s", strerror(rc));
    running = true;
    return SL_OK;
}

void sl_watchdog_phase(const char *name)
{
    pthread_mutex_lock(&lock);
    phase = name;
    phase_number++;
    pthread_mutex_unlock(&lock);
}

void sl_watchdog_stop(void)
{
    if (!running) return;
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&wake);
    running = false;
}
