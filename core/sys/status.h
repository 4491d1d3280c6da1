/* status.h - status codes, the text and the place of the last failure, and logging.
 *
 * A function succeeds and returns SL_OK, or returns another status and leaves its outputs as they
 * were. The text belongs to the calling thread. Only main turns a status into an exit code.
 *
 * Shapes  none
 * Units   none
 * Errors  this is where they are made
 * Owns    one static text per thread
 * MPI     local; sl_agree (agree.h) makes the ranks of a communicator agree on a status
 * Where   host code
 * Refs    sysexits.h for the numbers
 * Tests   tests/unit/status.c
 */
#ifndef SL_SYS_STATUS_H
#define SL_SYS_STATUS_H

#include <stdarg.h>
#include <stddef.h>

/* X(name, exit code, sentence) */
#define SL_STATUS_LIST(X)                                                                          \
    X(OK, 0, "ok")                                                                                 \
    X(EMEMBER, 1, "some members failed")                                                           \
    X(EUSAGE, 2, "wrong usage")                                                                    \
    X(EINPUT, 65, "error in the recipe or in an input file")                                       \
    X(EUNAVAIL, 69, "a service or program that is needed is not available")                        \
    X(EDIVERGED, 70, "the run diverged")                                                           \
    X(EMEM, 71, "out of memory")                                                                   \
    X(EIO, 73, "cannot read or write a file")                                                      \
    X(EAGAIN, 75, "stopped with everything saved: start again to go on")                           \
    X(EMPI, 76, "an MPI call failed")                                                              \
    X(EGUARD, 78, "a guard refused to go on")                                                      \
    X(EINTR, 130, "interrupted")

enum sl_status {
#define SL_STATUS_ENUM(name, exit_code, text) SL_##name = exit_code,
    SL_STATUS_LIST(SL_STATUS_ENUM)
#undef SL_STATUS_ENUM
};

#define SL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Records text and place, returns code. Replaces what was recorded before. */
int sl_fail(const char *file, int line, int code, const char *fmt, ...) SL_PRINTF(4, 5);
/* Adds the place to the trace of the recorded failure, returns code. */
int sl_trace(const char *file, int line, int code);
/* The recorded text ("" when none), the trace "file:line file:line", the sentence of a code. */
const char *sl_error_text(void);
const char *sl_error_trace(void);
const char *sl_status_text(int code);
/* Replaces the recorded text, e.g. by the one received from another rank. */
void sl_error_set(const char *text);

/* The value is the code itself, not what the call returns, so that a compiler sees that it is not
 * SL_OK. */
#define SL_FAIL(code, ...) (sl_fail(__FILE__, __LINE__, (code), __VA_ARGS__), (code))
#define SL_CHECK(cond, code, ...)                                                                  \
    do {                                                                                           \
        if (!(cond)) return SL_FAIL((code), __VA_ARGS__);                                          \
    } while (0)
#define SL_TRY(call)                                                                               \
    do {                                                                                           \
        int sl_try_code_ = (call);                                                                 \
        if (sl_try_code_ != SL_OK)                                                                 \
            return sl_trace(__FILE__, __LINE__, sl_try_code_), sl_try_code_;                       \
    } while (0)
/* A broken invariant: prints the text and ends the program, through MPI_Abort when sl_on_bug is
 * set. */
#define SL_BUG(...) sl_bug(__FILE__, __LINE__, __VA_ARGS__)
void sl_bug(const char *file, int line, const char *fmt, ...) SL_PRINTF(3, 4)
    __attribute__((noreturn));
extern void (*sl_on_bug)(void);

/* error: it ends; warn: it goes on but someone should look; note: what a person wants to see once;
 * info: chatter, shown with -v. All go to stderr. sl_log_level: 0 errors .. 3 everything;
 * sl_log_prefix: put before each line. */
enum sl_log_kind { SL_LOG_ERROR, SL_LOG_WARN, SL_LOG_NOTE, SL_LOG_INFO };
extern int sl_log_level;
extern const char *sl_log_prefix;
void sl_log(enum sl_log_kind kind, const char *fmt, ...) SL_PRINTF(2, 3);

#endif
