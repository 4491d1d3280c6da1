/* ensemble.c - see ensemble.h. */
#include "pipeline/ensemble.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/status.h"
#include "pipeline/record.h"

static const char list_path[] = "slots/ensemble.list";

/* The list as text, the caller's to free; NULL without memory. */
static char *list_text(const struct sl_campaign *c, size_t *size)
{
    char *text = NULL, home[SL_PATH_MAX];
    FILE *f = open_memstream(&text, size);
    if (!f) return NULL;
    for (int i = 0; i < c->n; i++)
        if (sl_campaign_home(home, c, i) == SL_OK && sl_record_exists(home, SL_STAGE_stats))
            fprintf(f, "members/%s\n", c->member[i].id);
    if (fclose(f) != 0) return NULL;
    return text;
}

int sl_ensemble_list(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    size_t size = 0;
    SL_TRY(sl_disk_join(path, "%s/%s", c->dir, list_path));
    char *text = list_text(c, &size);
    SL_CHECK(text, SL_EMEM, "no memory for the list of members");
    int code = sl_file_replace(path, text, size, SL_DURABLE);
    free(text);
    return code;
}

int64_t sl_ensemble_mark(const struct sl_campaign *c)
{
    size_t size = 0;
    char *text = list_text(c, &size);
    int64_t mark = text ? (int64_t)sl_crc32c(0, text, size) : -1;
    free(text);
    return mark;
}

bool sl_ensemble_current(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX], *text;
    size_t size;
    if (sl_record_path(path, c->dir, SL_STAGE_ensemble) != SL_OK || !sl_disk_exists(path) ||
        sl_file_read(path, 64 << 20, &text, &size) != SL_OK)
        return false;
    json_t *record = json_loadb(text, size, 0, NULL);
    free(text);
    bool same = record && json_integer_value(json_object_get(record, "members")) ==
                              (json_int_t)sl_ensemble_mark(c);
    json_decref(record);
    return same;
}

void sl_ensemble_args(struct sl_args *args)
{
    sl_args_add(args, "--ensemble");
    sl_args_add(args, ".");
    sl_args_add(args, "--members");
    sl_args_add(args, "%s", list_path);
}

/* The last line that is an object. */
static int parse_answer(char *text, struct sl_ensemble_answer *answer)
{
    char *save = NULL, *last = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (*line == '{') last = line;
    json_t *o = last ? json_loads(last, 0, NULL) : NULL;
    SL_CHECK(o, SL_EUNAVAIL, "sluice-stats --check-target gave no answer");
    answer->reached = json_is_true(json_object_get(o, "reached"));
    answer->relative_error = json_number_value(json_object_get(o, "relative_error"));
    answer->members = (int)json_integer_value(json_object_get(o, "members"));
    json_decref(o);
    return SL_OK;
}

static int run_and_read(struct sl_child *child, char *text, size_t size)
{
    int ends[2], status;
    pid_t pid;
    SL_CHECK(pipe2(ends, O_CLOEXEC) == 0, SL_EIO, "cannot make a pipe: %s", strerror(errno));
    child->out = ends[1];
    int code = sl_child_start(child, &pid);
    close(ends[1]);
    size_t used = 0;
    ssize_t n;
    char rest[256];
    while (code == SL_OK) {
        bool room = used < size - 1;
        n = read(ends[0], room ? text + used : rest, room ? size - 1 - used : sizeof rest);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        if (room) used += (size_t)n;
    }
    close(ends[0]);
    text[used] = '\0';
    SL_TRY(code);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    SL_CHECK(sl_child_code(status) == 0, SL_EUNAVAIL,
             "sluice-stats --check-target ended with code %d", sl_child_code(status));
    return SL_OK;
}

int sl_ensemble_ask(const struct sl_campaign *c, struct sl_ensemble_answer *answer)
{
    char text[8192];
    struct sl_child child = {.dir = c->dir, .out = -1, .err = -1, .on_death = SIGKILL};
    SL_TRY(sl_ensemble_list(c));
    int code = sl_child_mpirun(&child.args, 1, "sluice-stats");
    sl_ensemble_args(&child.args);
    sl_args_add(&child.args, "--check-target");
    if (code == SL_OK) code = run_and_read(&child, text, sizeof text);
    sl_args_release(&child.args);
    SL_TRY(code);
    return parse_answer(text, answer);
}
