/* status.c - see status.h. */
#include "core/sys/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char error_text[4096];
static _Thread_local char error_trace[1024];

void (*sl_on_bug)(void);
int sl_log_level = SL_LOG_NOTE;
const char *sl_log_prefix = "";

static void trace_add(const char *file, int line)
{
    size_t used = strlen(error_trace);
    snprintf(error_trace + used, sizeof error_trace - used, "%s%s:%d", used ? " " : "", file, line);
}

int sl_fail(const char *file, int line, int code, const char *fmt, ...)
{
    char text[sizeof error_text]; /* the arguments may point into the old text */
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    memcpy(error_text, text, sizeof text);
    error_trace[0] = '\0';
    trace_add(file, line);
    return code;
}

int sl_trace(const char *file, int line, int code)
{
    trace_add(file, line);
    return code;
}

const char *sl_error_text(void)
{
    return error_text;
}

const char *sl_error_trace(void)
{
    return error_trace;
}

const char *sl_status_text(int code)
{
    switch (code) {
#define STATUS_CASE(name, exit_code, text)                                                         \
    case exit_code:                                                                                \
        return text;
        SL_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    default:
        return "unknown status";
    }
}

void sl_error_set(const char *text)
{
    snprintf(error_text, sizeof error_text, "%s", text);
}

void sl_bug(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%sbug: %s:%d: ", sl_log_prefix, file, line);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    if (sl_on_bug) sl_on_bug();
    abort();
}

void sl_log(enum sl_log_kind kind, const char *fmt, ...)
{
    static const char *const label[] = {"error: ", "warning: ", "", ""};
    if ((int)kind > sl_log_level) return;
    char line[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    fprintf(stderr, "%s%s%s\n", sl_log_prefix, label[kind], line);
}
