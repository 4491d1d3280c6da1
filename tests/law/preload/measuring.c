/* measuring.c - what a run meets whose start has been measured (statistics.in_run): a library that
 * is loaded before the program (LD_PRELOAD). See tests/law/in_run.sh.
 *
 *   MEASURING_SLEEP  seconds that measuring takes longer
 *   MEASURING_NAN    forces then are no numbers
 *   MEASURING_TERM   the end of the name of a file that it measured: in the step after that the run
 *                    is told to stop
 */
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int measured, told;

int rename(const char *from, const char *to)
{
    int (*f)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    const char *seconds = getenv("MEASURING_SLEEP"), *last = getenv("MEASURING_TERM");
    if (strstr(to, "_tables_0000.h5")) {
        measured = 1;
        if (seconds) sleep((unsigned)atoi(seconds));
    }
    told |= last && strstr(to, last);
    return f(from, to);
}

void fftw_execute_dft_c2r(const fftw_plan plan, fftw_complex *in, double *out)
{
    void (*f)(const fftw_plan, fftw_complex *, double *) =
        (void (*)(const fftw_plan, fftw_complex *, double *))dlsym(RTLD_NEXT,
                                                                   "fftw_execute_dft_c2r");
    f(plan, in, out);
    if (told) raise(SIGTERM);
    told = 0;
    if (measured && getenv("MEASURING_NAN")) out[0] = NAN;
}
