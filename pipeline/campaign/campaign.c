/* campaign.c - see campaign.h. */
#include "pipeline/campaign/campaign.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/command.h"
#include "core/config/config.h"
#include "core/config/keys.h"
#include "core/sys/crc32c.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/settings.h"

enum { TABLE_MAX = 1 << 30, COLUMNS = 7, EDIT_TRIES = 100 };
/* A table of version 2 ends with its checksum, and its second line is the checksum of its
 * recipe. */
static const char head[] = "# sluice slots ";
static const char seal[] = "# crc32c ";

/* ---- the table ------------------------------------------------------------------------------- */

static int slot_path(char path[SL_PATH_MAX], const char *dir, int generation, const char *end)
{
    return sl_disk_join(path, "%s/slots/%04d.%s", dir, generation, end);
}

static bool is_sealed(const char *text)
{
    return strncmp(text, head, sizeof head - 1) == 0 && text[sizeof head - 1] == '2';
}

/* Does the file hold the recipe that the table of a generation was made from? One that cannot be
 * read is taken for it: who needs it tells why. */
static bool holds_recipe(const struct sl_campaign *c, int generation, const char *path)
{
    char *text, hash[SL_HASH_TEXT], want[SL_HASH_TEXT + 16];
    const char *table = c->text[generation - 1], *line = table + strlen(table) + 1;
    size_t size;
    if (!is_sealed(table)) return true;
    if (sl_file_read(path, TABLE_MAX, &text, &size) != SL_OK) return !sl_disk_missing(path);
    sl_recipe_hash_of(text, size, hash);
    free(text);
    snprintf(want, sizeof want, "# recipe %s", hash);
    return strcmp(line, want) == 0;
}

bool sl_campaign_recipe_lost(const struct sl_campaign *c, int generation, struct sl_recipe_lost *l)
{
    char path[SL_PATH_MAX], other[SL_PATH_MAX];
    if (slot_path(path, c->dir, generation, "yaml") != SL_OK ||
        sl_disk_join(other, "%s/recipe.yaml", c->dir) != SL_OK || holds_recipe(c, generation, path))
        return false;
    snprintf(l->what, sizeof l->what, "%s %s", path,
             sl_disk_missing(path) ? "is missing"
                                   : "is not the recipe that the campaign was made from");
    if (sl_disk_exists(other) && holds_recipe(c, generation, other))
        snprintf(l->way, sizeof l->way,
                 "put it back with `cp recipe.yaml slots/%04d.yaml` in the campaign's directory",
                 generation);
    else
        snprintf(l->way, sizeof l->way,
                 "put slots/%04d.yaml back from a copy of the campaign, or from the recipe as it "
                 "was",
                 generation);
    return true;
}

static int check_given(const struct sl_campaign *c, int generation)
{
    struct sl_recipe_lost lost;
    SL_CHECK(!sl_campaign_recipe_lost(c, generation, &lost), SL_EINPUT, "%s: %s", lost.what,
             lost.way);
    return SL_OK;
}

int sl_campaign_check_recipes(const struct sl_campaign *c)
{
    for (int g = 1; g <= c->generations; g++)
        SL_TRY(check_given(c, g));
    return SL_OK;
}

/* Opens the recipe of a generation as it was given; refused when it is not the one that the table
 * was made from. */
static int open_given(const struct sl_campaign *c, int generation, struct sl_recipe **recipe)
{
    char path[SL_PATH_MAX];
    SL_TRY(check_given(c, generation));
    SL_TRY(slot_path(path, c->dir, generation, "yaml"));
    return sl_recipe_open(path, NULL, 0, recipe);
}

/* The same, with what was changed since. */
static int open_recipe(const struct sl_campaign *c, int generation, struct sl_recipe **recipe)
{
    char path[SL_PATH_MAX];
    SL_TRY(open_given(c, generation, recipe));
    sl_recipe_close(*recipe);
    *recipe = NULL;
    SL_TRY(slot_path(path, c->dir, generation, "yaml"));
    return sl_settings_open(c->dir, path, recipe);
}

/* Whether members/ has one of a number from `first` on. */
static bool has_members(const char *dir, int first)
{
    char path[SL_PATH_MAX];
    bool has = false;
    DIR *d = sl_disk_join(path, "%s/members", dir) == SL_OK ? opendir(path) : NULL;
    for (struct dirent *e; d && !has && (e = readdir(d));)
        has = e->d_name[strspn(e->d_name, "0123456789")] == '\0' &&
              strtol(e->d_name, NULL, 10) >= first;
    if (d) closedir(d);
    return has;
}

/* Whether the table of a generation whose first member is `first` is gone: its recipe is there, and
 * members that no other table lists. A making that was cut before the table leaves none. */
static bool lost_table(const char *dir, int generation, int first)
{
    char table[SL_PATH_MAX], recipe[SL_PATH_MAX];
    return slot_path(table, dir, generation, "tsv") == SL_OK && sl_disk_missing(table) &&
           slot_path(recipe, dir, generation, "yaml") == SL_OK && sl_disk_exists(recipe) &&
           has_members(dir, first);
}

bool sl_campaign_is(const char *dir)
{
    char path[SL_PATH_MAX];
    return slot_path(path, dir, 1, "tsv") == SL_OK &&
           (sl_disk_exists(path) || lost_table(dir, 1, 0));
}

static struct sl_member *add_row(struct sl_campaign *c)
{
    if (c->n == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 64;
        struct sl_member *more = realloc(c->member, (size_t)capacity * sizeof *more);
        if (!more) return NULL;
        c->member = more;
        c->capacity = capacity;
    }
    return &c->member[c->n++];
}

bool sl_member_has(const struct sl_member *m, int stage)
{
    if (stage == SL_STAGE_ic) return m->ic;
    if (stage == SL_STAGE_own)
        return m->commands & (1u << SL_COMMAND_snapshot | 1u << SL_COMMAND_member);
    return stage < SL_MEMBER_STAGES;
}

bool sl_campaign_has(const struct sl_campaign *c, int stage)
{
    if (stage == SL_STAGE_summary) return c->member[0].commands & 1u << SL_COMMAND_campaign;
    return stage >= SL_MEMBER_STAGES;
}

static void follow_ranks(struct sl_member *m)
{
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        m->ranks[s] = m->by_stage[s] > 0 ? m->by_stage[s] : s == SL_STAGE_own ? 1 : m->common;
}

/* "4", or "4,2,0,8": resources.ranks, and those of each stage, 0 where the recipe does not tell
 * them apart; those of own only where there is such a stage. */
static void parse_ranks(const char *text, struct sl_member *m)
{
    char *end;
    m->common = (int)strtol(text, &end, 10);
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        m->by_stage[s] = *end == ',' ? (int)strtol(end + 1, &end, 10) : 0;
    follow_ranks(m);
}

static void print_ranks(const struct sl_config *cfg, char text[96])
{
    const int64_t *own[] = {&cfg->resources_ic_ranks, &cfg->resources_sim_ranks,
                            &cfg->resources_stats_ranks, &cfg->resources_own_ranks};
    int n = snprintf(text, 96, "%" PRId64, cfg->resources_ranks);
    bool has_own = sl_stage_is_of(SL_STAGE_own, cfg);
    bool by_stage = *own[0] > 0 || *own[1] > 0 || *own[2] > 0 || has_own;
    for (int s = 0; s < SL_MEMBER_STAGES - !has_own && by_stage; s++)
        n += snprintf(text + n, (size_t)(96 - n), ",%" PRId64, *own[s] > 0 ? *own[s] : 0);
}

unsigned sl_member_commands(const struct sl_config *cfg)
{
    return (*cfg->stages_snapshot ? 1u << SL_COMMAND_snapshot : 0) |
           (*cfg->stages_member ? 1u << SL_COMMAND_member : 0) |
           (*cfg->stages_campaign ? 1u << SL_COMMAND_campaign : 0);
}

/* id, index, ranks, retries, stages, cells, label; changes line. Stages: 1 for ic, and the bits of
 * the commands above it. */
static int parse_row(struct sl_campaign *c, char *line, const char *path, int number)
{
    char *column[COLUMNS], *save = line;
    for (int i = 0; i < COLUMNS; i++) {
        column[i] = strsep(&save, "\t");
        SL_CHECK(column[i], SL_EINPUT, "%s:%d: a row has %d columns", path, number, COLUMNS);
    }
    SL_CHECK(*column[0] && strspn(column[0], "0123456789") == strlen(column[0]), SL_EINPUT,
             "%s:%d: no member: %.40s", path, number, column[0]);
    struct sl_member *m = add_row(c);
    SL_CHECK(m, SL_EMEM, "no memory for %d members", c->n);
    *m = (struct sl_member){.id = column[0],
                            .label = column[6],
                            .generation = c->generations,
                            .index = strtoll(column[1], NULL, 10),
                            .retries = (int)strtol(column[3], NULL, 10),
                            .ic = strtoul(column[4], NULL, 10) & 1,
                            .commands = (unsigned)strtoul(column[4], NULL, 10) / 2,
                            .cells = strtod(column[5], NULL)};
    parse_ranks(column[2], m);
    sl_text_clean(column[6]); /* it will be shown on terminals */
    return SL_OK;
}

/* Version 1, of an older sluice, has no checksum. */
static int check_table(const char *text, size_t size, const char *path)
{
    enum { SEAL = sizeof seal - 1 + 8 + 1 };
    char want[SEAL + 1];
    if (strncmp(text, head, sizeof head - 1) == 0 && text[sizeof head - 1] == '1') return SL_OK;
    SL_CHECK(is_sealed(text), SL_EINPUT, "%s is not a table of members of this version", path);
    snprintf(want, sizeof want, "%s%08" PRIx32 "\n", seal,
             size < SEAL ? 0 : sl_crc32c(0, text, size - SEAL));
    SL_CHECK(size >= SEAL && memcmp(text + size - SEAL, want, SEAL) == 0, SL_EINPUT,
             "%s is damaged: its checksum is wrong; put it back from a copy of the campaign", path);
    return SL_OK;
}

static int parse_table(struct sl_campaign *c, char *text, const char *path)
{
    int number = 0;
    char *save = text;
    for (char *line; (line = strsep(&save, "\n"));) {
        number++;
        if (number == 1) {
            char *name = strchr(line, '\t');
            SL_CHECK(name, SL_EINPUT, "%s is not a table of members of this version", path);
            snprintf(c->name, sizeof c->name, "%s", name + 1);
            sl_text_clean(c->name);
        }
        if (*line && *line != '#') SL_TRY(parse_row(c, line, path, number));
    }
    return SL_OK;
}

static int remake_table(struct sl_campaign *c, char **text);

/* The text of a table, the caller's to free; *code is why it does not hold. */
static int read_table(const char *path, char **text, int *code)
{
    size_t size;
    if (!sl_disk_missing(path)) {
        SL_TRY(sl_file_read(path, TABLE_MAX, text, &size));
        *code = check_table(*text, size, path);
        return SL_OK;
    }
    *text = strdup("");
    SL_CHECK(*text, SL_EMEM, "no memory for a campaign");
    *code = SL_FAIL(SL_EINPUT, "%s is missing; put it back from a copy of the campaign", path);
    return SL_OK;
}

/* A table that is damaged or gone is made again where its recipe is there and known to be the
 * one. */
static int load_generation(struct sl_campaign *c, const char *path)
{
    char *text, **more = realloc(c->text, (size_t)(c->generations + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for a campaign");
    c->text = more;
    int code;
    SL_TRY(read_table(path, &text, &code));
    c->text[c->generations++] = text;
    if (code == SL_EINPUT) code = remake_table(c, &c->text[c->generations - 1]);
    return code == SL_OK ? parse_table(c, c->text[c->generations - 1], path) : code;
}

/* Of "resources.ranks=4", or of a stage alone: "resources.sim.ranks=auto" has no value. */
static void set_ranks(struct sl_campaign *c, const char *word, int value)
{
    char key[40];
    bool all = strncmp(word, "resources.ranks=", 16) == 0;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        snprintf(key, sizeof key, "resources.%s.ranks=", sl_stage_name(s));
        bool own = strncmp(word, key, strlen(key)) == 0;
        for (int i = 0; i < c->n && (all || own); i++) {
            struct sl_member *m = &c->member[i];
            if (all) m->common = value;
            if (own) m->by_stage[s] = value > 0 ? value : 0;
            follow_ranks(m);
        }
    }
}

/* Of "stages.member=\"python3 mine.py\"", which an empty text takes away. */
static void set_command(struct sl_campaign *c, const char *word)
{
#define PATH_OF(name, about) "stages." #name "=",
    static const char *const path[] = {SL_COMMAND_LIST(PATH_OF)};
#undef PATH_OF
    for (int k = 0; k < SL_COMMAND_KINDS; k++) {
        if (strncmp(word, path[k], strlen(path[k])) != 0) continue;
        const char *value = word + strlen(path[k]);
        bool there = *value && strcmp(value, "\"\"") != 0;
        for (int i = 0; i < c->n; i++)
            c->member[i].commands = (c->member[i].commands & ~(1u << k)) | (there ? 1u << k : 0);
    }
}

/* The columns of the table that `sluice set` has changed since. */
static int load_settings(struct sl_campaign *c)
{
    struct sl_settings s;
    SL_TRY(sl_settings_read(c->dir, &s));
    for (int k = 0; k < s.n; k++) {
        int value = (int)strtol(s.word[k] + strcspn(s.word[k], "=") + 1, NULL, 10);
        if (strncmp(s.word[k], "resources.retries=", 18) == 0)
            for (int i = 0; i < c->n; i++)
                c->member[i].retries = value;
        else
            set_ranks(c, s.word[k], value);
        set_command(c, s.word[k]);
    }
    sl_settings_release(&s);
    return SL_OK;
}

/* The path from the root of the campaign in dir, NULL: the working directory. */
static int find_place(const char *dir, char place[SL_PATH_MAX])
{
    char near[SL_NEAREST_MAX] = "";
    bool is = realpath(dir ? dir : ".", place) != NULL;
    int error = errno;
    if (is && sl_campaign_is(place)) return SL_OK;
    if (dir) sl_nearest_campaign(dir, near);
    SL_CHECK(is, SL_EUSAGE, "no campaign %s: %s%s", dir ? dir : ".", strerror(error), near);
    return SL_FAIL(SL_EUSAGE, "%s is not a campaign (it has no slots/0001.tsv)%s",
                   dir ? dir : "the working directory", near);
}

int sl_campaign_open(const char *dir, struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    memset(c, 0, sizeof *c);
    SL_TRY(find_place(dir, c->dir));
    int code = sl_disk_own(c->dir, "slots");
    while (code == SL_OK && (code = slot_path(path, c->dir, c->generations + 1, "tsv")) == SL_OK &&
           (sl_disk_exists(path) || lost_table(c->dir, c->generations + 1, c->n)))
        code = load_generation(c, path);
    if (code == SL_OK && c->n == 0) code = SL_FAIL(SL_EINPUT, "%s lists no members", path);
    if (code == SL_OK) code = load_settings(c);
    if (code == SL_OK) sl_input_files_mend(c->dir);
    if (code != SL_OK) sl_campaign_release(c);
    return code;
}

void sl_campaign_release(struct sl_campaign *c)
{
    for (int g = 0; g < c->generations; g++)
        free(c->text[g]);
    free(c->text);
    free(c->member);
    memset(c, 0, sizeof *c);
}

int sl_member_ranks(const struct sl_member *m)
{
    int most = 0;
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        if (sl_member_has(m, s) && m->ranks[s] > most) most = m->ranks[s];
    return most;
}

int sl_campaign_find(const struct sl_campaign *c, const char *id)
{
    long guess = strtol(id, NULL, 10); /* ids are the numbers of the rows */
    if (guess >= 0 && guess < c->n && strcmp(c->member[guess].id, id) == 0) return (int)guess;
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->member[i].id, id) == 0) return i;
    return -1;
}

/* ---- making ---------------------------------------------------------------------------------- */

static double cells_of(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)cfg->mesh_cells[d];
    return cells;
}

static int print_row(FILE *f, struct sl_recipe *recipe, int64_t index, int64_t number)
{
    struct sl_config cfg;
    char id[SL_MEMBER_ID_MAX], label[2000], ranks[96];
    SL_TRY(sl_recipe_member(recipe, index, &cfg));
    sl_member_id(number, id);
    sl_recipe_label(recipe, &cfg, label, sizeof label);
    for (char *p = label; *p; p++)
        if (*p == '\t' || *p == '\n') *p = ' ';
    print_ranks(&cfg, ranks);
    fprintf(f, "%s\t%" PRId64 "\t%s\t%" PRId64 "\t%u\t%.17g\t%s\n", id, index, ranks,
            cfg.resources_retries, 2 * sl_member_commands(&cfg) + sl_config_needs_ic(&cfg),
            cells_of(&cfg), label);
    return SL_OK;
}

/* The table of these members of a recipe, the caller's to free. list NULL: all members. */
static int print_table(struct sl_recipe *recipe, const int64_t *list, int64_t count, int64_t first,
                       char **out, size_t *out_size)
{
    char *text = NULL;
    size_t size;
    struct sl_config cfg;
    SL_TRY(sl_recipe_member(recipe, 0, &cfg));
    FILE *f = open_memstream(&text, &size);
    SL_CHECK(f, SL_EMEM, "no memory for the table of members");
    fprintf(f, "%s2\t%s\n# recipe %s\n# id\tindex\tranks\tretries\tic\tcells\tlabel\n", head,
            cfg.campaign, sl_recipe_hash(recipe));
    int code = SL_OK;
    for (int64_t i = 0; i < count && code == SL_OK; i++)
        code = print_row(f, recipe, list ? list[i] : i, first + i);
    if (fflush(f) == 0) fprintf(f, "%s%08" PRIx32 "\n", seal, sl_crc32c(0, text, size));
    int full = fclose(f) != 0;
    if (code == SL_OK && full) code = SL_FAIL(SL_EMEM, "no memory for the table of members");
    if (code != SL_OK) free(text);
    if (code == SL_OK) *out = text, *out_size = size;
    return code;
}

/* Writes generation g: the recipe, then the table that makes it count. list NULL: all members. */
static int write_generation(const char *dir, int g, struct sl_recipe *recipe, const int64_t *list,
                            int64_t count, int64_t first)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t size, recipe_size;
    const char *frozen = sl_recipe_frozen(recipe, &recipe_size);
    SL_TRY(sl_input_files_copy(dir, recipe));
    int code = print_table(recipe, list, count, first, &text, &size);
    if (code == SL_OK) code = slot_path(path, dir, g, "yaml");
    if (code == SL_OK) code = sl_file_replace(path, frozen, recipe_size, SL_DURABLE);
    if (code == SL_OK) code = sl_disk_join(path, "%s/recipe.yaml", dir);
    if (code == SL_OK) code = sl_file_replace(path, frozen, recipe_size, SL_DURABLE);
    if (code == SL_OK) code = slot_path(path, dir, g, "tsv");
    if (code == SL_OK) code = sl_file_replace(path, text, size, SL_DURABLE);
    free(text);
    return code;
}

static int journal_members(const char *dir, enum sl_fact_kind what, int64_t members)
{
    struct sl_fact fact;
    sl_fact_init(&fact, what, "", "");
    fact.count = members;
    return sl_journal_add(dir, &fact);
}

/* One process at a time changes the table. */
static int edit_claim(const char *dir, struct sl_claim *claim)
{
    const struct timespec nap = {.tv_nsec = 100 * 1000 * 1000};
    char slots[SL_PATH_MAX];
    int code = sl_disk_join(slots, "%s/slots", dir);
    for (int i = 0; code == SL_OK && i < EDIT_TRIES; i++) {
        code = sl_claim_take(slots, "edit", NULL, NULL, claim);
        if (code != SL_EAGAIN) return code;
        nanosleep(&nap, NULL);
        if (i + 1 < EDIT_TRIES) code = SL_OK;
    }
    return code;
}

/* What a making, or a replacing, that was cut may leave beside slots/. */
static bool left_by_making(const char *name)
{
    return strcmp(name, "slots") == 0 || strncmp(name, "recipe.yaml", 11) == 0 ||
           strcmp(name, "journal.jsonl") == 0 || strcmp(name, "inputs") == 0 ||
           strcmp(name, "logs") == 0;
}

/* A directory in which a campaign may be made: absent, empty, or left by a making that was cut. */
static int check_free(const char *dir)
{
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", dir));
    DIR *d = opendir(dir);
    SL_CHECK(d || errno == ENOENT, SL_EIO, "cannot open %s: %s", dir, strerror(errno));
    if (!d) return SL_OK;
    int code = SL_OK;
    for (struct dirent *e; code == SL_OK && (e = readdir(d));)
        /* slots is made first: it is there if another process made what was just read */
        if (*e->d_name != '.' && !(left_by_making(e->d_name) && sl_disk_exists(slots)))
            code = SL_FAIL(SL_EGUARD,
                           "%s exists and is no campaign (it holds %.60s): choose "
                           "another place with --dir",
                           dir, e->d_name);
    closedir(d);
    return code;
}

/* The directory of a campaign to be made, as it is before that. */
struct ground {
    char known[SL_PATH_MAX]; /* the nearest directory on the way to it that is there */
    bool bare;               /* nothing is in it, or it is not there */
};

static int look_at_ground(const char *dir, struct ground *g)
{
    char parent[SL_PATH_MAX];
    SL_TRY(sl_disk_join(g->known, "%s", dir));
    while (!sl_disk_exists(g->known) && sl_path_parent(parent, g->known) == SL_OK &&
           strcmp(parent, g->known) != 0)
        memcpy(g->known, parent, sizeof parent);
    DIR *d = opendir(dir);
    g->bare = true;
    for (struct dirent *e; d && (e = readdir(d));)
        g->bare = g->bare && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0);
    if (d) closedir(d);
    return SL_OK;
}

/* What a making that failed has made, but for the claims of those who wait to make it. What lay
 * there before stays, and so does what another left whose making was cut: the next begins with
 * it. */
static void unmake(const char *dir, const struct ground *g)
{
    static const char *const made[] = {"inputs", "recipe.yaml", "journal.jsonl"};
    char path[SL_PATH_MAX];
    if (!g->bare) return;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (sl_disk_join(path, "%s/%s", dir, made[i]) == SL_OK) sl_disk_remove(path);
    if (sl_disk_join(path, "%s/slots", dir) != SL_OK) return;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "edit.", 5) != 0) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

/* Removes the directories that were made for it and are empty. */
static void leave(const char *dir, const struct ground *g)
{
    char path[SL_PATH_MAX], parent[SL_PATH_MAX];
    if (sl_disk_join(path, "%s/slots", dir) != SL_OK) return;
    while (strcmp(path, g->known) != 0 && rmdir(path) == 0 && sl_path_parent(parent, path) == SL_OK)
        memcpy(path, parent, sizeof path);
}

/* Makes the table, unless another process did so in the moment before. */
static int make_table(struct sl_recipe *recipe, const char *dir, const struct ground *ground)
{
    struct sl_claim claim;
    int64_t n = sl_recipe_count(recipe);
    SL_TRY(edit_claim(dir, &claim));
    int code = SL_OK;
    if (!sl_campaign_is(dir)) {
        code = write_generation(dir, 1, recipe, NULL, n, 0);
        if (code == SL_OK) code = journal_members(dir, SL_FACT_created, n);
    }
    if (code != SL_OK && !sl_campaign_is(dir)) {
        unmake(dir, ground);
        unlink(claim.path); /* in place of an end, for which the disk may have no room either */
        return code;
    }
    int ended = sl_claim_end(&claim, NULL);
    return code == SL_OK ? ended : code;
}

static int make_new(struct sl_recipe *recipe, const char *dir)
{
    char slots[SL_PATH_MAX];
    struct ground ground;
    int code = check_free(dir);
    /* another process may have made it, and begun to run it, since it was looked for */
    if (code != SL_OK) return sl_campaign_is(dir) ? SL_OK : code;
    SL_TRY(sl_input_files_check(recipe));
    SL_TRY(look_at_ground(dir, &ground));
    SL_TRY(sl_disk_join(slots, "%s/slots", dir));
    code = sl_mkdir_all(slots);
    if (code == SL_OK) code = make_table(recipe, dir, &ground);
    if (code != SL_OK) leave(dir, &ground);
    return code;
}

enum {
    SHORT = 56,
    BEFORE = 20
}; /* a line shown whole; what is shown before the difference in a longer one */

/* The first lines that two texts do not share, about their first difference; "nothing" at the end
 * of one. */
static void first_difference(const char *a, const char *b, struct sl_quoted line[2])
{
    while (*a && strcspn(a, "\n") == strcspn(b, "\n") && strncmp(a, b, strcspn(a, "\n")) == 0) {
        a += strcspn(a, "\n"), a += *a == '\n';
        b += strcspn(b, "\n"), b += *b == '\n';
    }
    size_t same = 0, shown = strcspn(a, "\n") > SHORT || strcspn(b, "\n") > SHORT ? BEFORE : SHORT;
    while (a[same] && a[same] == b[same] && a[same] != '\n')
        same++;
    while (same > shown && ((unsigned char)a[same - shown] & 0xc0) == 0x80)
        shown++; /* no half of a character */
    for (int i = 0; i < 2; i++) {
        char text[80];
        const char *from = i ? b : a;
        size_t skip = same > shown ? same - shown : 0;
        snprintf(text, sizeof text, "%s%.*s", skip ? "..." : "", (int)strcspn(from + skip, "\n"),
                 from + skip);
        line[i] = sl_quote(*from ? text : "nothing");
    }
}

/* Was the campaign made from, or extended by, just this recipe? */
static int check_recipe(const struct sl_campaign *c, struct sl_recipe *recipe)
{
    size_t size, have_size;
    const char *want = sl_recipe_frozen(recipe, &size);
    struct sl_quoted line[2];
    for (int g = 1; g <= c->generations; g++) {
        char path[SL_PATH_MAX], *have;
        SL_TRY(slot_path(path, c->dir, g, "yaml"));
        SL_TRY(sl_file_read(path, TABLE_MAX, &have, &have_size));
        bool same = have_size == size && memcmp(have, want, size) == 0;
        if (g == 1) first_difference(want, have, line);
        free(have);
        if (same) return SL_OK;
    }
    return SL_FAIL(SL_EGUARD,
                   "%s was made from another recipe, '%s' here, '%s' there: `sluice extend` adds "
                   "members to it, --dir makes another campaign",
                   c->dir, line[0].text, line[1].text);
}

/* Has no member begun, and does no other executor have the campaign? */
static bool untouched(const struct sl_campaign *c)
{
    char path[SL_PATH_MAX];
    return sl_disk_join(path, "%s/members", c->dir) == SL_OK && !sl_disk_exists(path) &&
           sl_executor_of(c) == &sl_executor_local;
}

/* Puts another recipe in the place of one of which nothing has begun. A cut leaves the table of the
 * first generation away or whole: the next making begins with what is there. */
static int replace(struct sl_campaign *c, struct sl_recipe *recipe)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_input_files_renew(c->dir, recipe, -1)); /* they may have changed, too */
    for (int g = c->generations; g >= 1; g--) {
        SL_TRY(slot_path(path, c->dir, g, "tsv"));
        SL_CHECK(unlink(path) == 0, SL_EIO, "cannot remove %s: %s", path, strerror(errno));
    }
    SL_TRY(sl_disk_join(path, "%s/slots/settings", c->dir));
    sl_disk_remove(path);
    SL_TRY(write_generation(c->dir, 1, recipe, NULL, sl_recipe_count(recipe), 0));
    return journal_members(c->dir, SL_FACT_created, sl_recipe_count(recipe));
}

/* With the claims of those who run the campaign and who edit its table. */
static int replace_claimed(struct sl_campaign *c, struct sl_recipe *recipe)
{
    struct sl_claim run, edit;
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", c->dir));
    SL_TRY(sl_input_files_check(recipe));
    SL_TRY(sl_claim_take(slots, "run", NULL, NULL, &run));
    int code = edit_claim(c->dir, &edit);
    if (code == SL_OK) {
        if (untouched(c))
            code = replace(c, recipe);
        else
            code = SL_FAIL(SL_EAGAIN, "%s has just been begun by another process", c->name);
        int ended = sl_claim_end(&edit, NULL);
        if (code == SL_OK) code = ended;
    }
    int ended = sl_claim_end(&run, NULL);
    return code == SL_OK ? ended : code;
}

/* Puts the recipe in the place of that of a campaign of which nothing has begun. */
static int take_over(struct sl_campaign *c, struct sl_recipe *recipe)
{
    char dir[SL_PATH_MAX];
    SL_TRY(replace_claimed(c, recipe));
    sl_log(SL_LOG_NOTE, "%s: none of its members had begun: it has this recipe now", c->name);
    memcpy(dir, c->dir, sizeof dir);
    sl_campaign_release(c);
    return sl_campaign_open(dir, c);
}

/* Makes the campaign one of this recipe where nothing is lost by it, what `sluice set` changed
 * included; else the refusal of check_recipe stands. */
static int reconcile(struct sl_campaign *c, struct sl_recipe *recipe, sl_campaign_fits *fits,
                     const struct sl_order *order)
{
    char refusal[1024], other[SL_OTHER_MAX];
    bool same = false, begun = !untouched(c);
    snprintf(refusal, sizeof refusal, "%s", sl_error_text());
    SL_TRY(begun ? sl_campaign_check_recipes(c) : fits(recipe, order));
    int code = sl_settings_adopt(c, recipe, &same, other);
    if (code == SL_OK && same) {
        sl_input_files_log_changes(c->dir, recipe);
        return SL_OK;
    }
    /* SL_EGUARD: its members have other resources each, which settings cannot say */
    if (!begun && (code == SL_OK || code == SL_EGUARD)) return take_over(c, recipe);
    SL_TRY(code);
    return SL_FAIL(SL_EGUARD, "%s%s%s", refusal, *other ? "; " : "", other);
}

int sl_campaign_make(struct sl_recipe *recipe, const char *dir, sl_campaign_fits *fits,
                     const struct sl_order *order, struct sl_campaign *c)
{
    struct sl_config cfg;
    char place[SL_PATH_MAX];
    SL_TRY(sl_recipe_member(recipe, 0, &cfg));
    SL_TRY(sl_disk_join(place, "%s", dir ? dir : cfg.campaign));
    if (!sl_campaign_is(place)) {
        SL_TRY(fits(recipe, order));
        SL_TRY(make_new(recipe, place));
    }
    SL_TRY(sl_campaign_open(place, c));
    int code = check_recipe(c, recipe);
    if (code == SL_OK) sl_input_files_log_changes(c->dir, recipe);
    if (code == SL_EGUARD) code = reconcile(c, recipe, fits, order);
    if (code != SL_OK) sl_campaign_release(c);
    return code;
}

/* ---- extending ------------------------------------------------------------------------------- */

static int compare_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* What each member of the campaign is, sorted; the caller's to free. As the recipes were given,
 * like those that it is compared with: what was changed since does not make other members of
 * them. */
static int contents(const struct sl_campaign *c, char (**out)[SL_HASH_TEXT])
{
    struct sl_recipe *recipe = NULL;
    struct sl_config cfg;
    int code = SL_OK, generation = 0;
    char(*list)[SL_HASH_TEXT] = calloc((size_t)c->n, sizeof *list);
    SL_CHECK(list, SL_EMEM, "no memory for %d members", c->n);
    for (int i = 0; i < c->n && code == SL_OK; i++) {
        const struct sl_member *m = &c->member[i];
        if (m->generation != generation) {
            sl_recipe_close(recipe);
            recipe = NULL;
            generation = m->generation;
            code = open_given(c, generation, &recipe);
        }
        if (code == SL_OK) code = sl_recipe_member(recipe, m->index, &cfg);
        if (code == SL_OK) code = sl_config_content(&cfg, list[i]);
    }
    sl_recipe_close(recipe);
    if (code == SL_OK) qsort(list, (size_t)c->n, sizeof *list, compare_text);
    if (code == SL_OK)
        *out = list;
    else
        free(list);
    return code;
}

/* Indices of the members of grown that are not in the sorted list. */
static int find_new(struct sl_recipe *grown, char (*have)[SL_HASH_TEXT], int n, int64_t *list,
                    int64_t *count)
{
    struct sl_config cfg;
    char hash[SL_HASH_TEXT];
    *count = 0;
    for (int64_t i = 0; i < sl_recipe_count(grown); i++) {
        SL_TRY(sl_recipe_member(grown, i, &cfg));
        SL_TRY(sl_config_content(&cfg, hash));
        if (!bsearch(hash, have, (size_t)n, sizeof *have, compare_text)) list[(*count)++] = i;
    }
    return SL_OK;
}

static int extend_table(struct sl_campaign *c, struct sl_recipe *grown, bool same, int *added)
{
    char(*have)[SL_HASH_TEXT];
    SL_TRY(contents(c, &have));
    int64_t count = 0, all = sl_recipe_count(grown), *list = calloc((size_t)all, sizeof *list);
    int code = list ? find_new(grown, have, c->n, list, &count)
                    : SL_FAIL(SL_EMEM, "no memory for %" PRId64 " members", all);
    if (code == SL_OK && count == all && !same)
        code = SL_FAIL(SL_EGUARD,
                       "none of its %" PRId64 " members is in %s: this is another "
                       "campaign (all keys but the sweep must be the same)",
                       all, c->name);
    if (code == SL_OK && count > 0)
        code = write_generation(c->dir, c->generations + 1, grown, list, count, c->n);
    if (code == SL_OK && count > 0) code = journal_members(c->dir, SL_FACT_extended, c->n + count);
    free(have);
    free(list);
    *added = (int)count;
    return code;
}

int sl_campaign_extend(struct sl_campaign *c, struct sl_recipe *grown, bool same, int *added)
{
    struct sl_claim claim;
    char dir[SL_PATH_MAX];
    memcpy(dir, c->dir, sizeof dir);
    SL_TRY(edit_claim(c->dir, &claim));
    sl_campaign_release(c); /* another may have extended it since it was opened */
    int code = sl_campaign_open(dir, c);
    if (code == SL_OK) code = extend_table(c, grown, same, added);
    int ended = sl_claim_end(&claim, NULL);
    return code == SL_OK ? ended : code;
}

/* Is recipe.yaml that of generation g? */
static bool shows_generation(const struct sl_campaign *c, int g)
{
    char path[SL_PATH_MAX], *shown = NULL, *frozen = NULL;
    size_t n = 0, m = 0;
    bool same = sl_disk_join(path, "%s/recipe.yaml", c->dir) == SL_OK &&
                sl_file_read(path, TABLE_MAX, &shown, &n) == SL_OK &&
                slot_path(path, c->dir, g, "yaml") == SL_OK &&
                sl_file_read(path, TABLE_MAX, &frozen, &m) == SL_OK && n == m &&
                memcmp(shown, frozen, n) == 0;
    free(shown);
    free(frozen);
    return same;
}

/* ---- a table that is damaged or gone ---------------------------------------------------------*/

/* Whether slots/NNNN.yaml is the recipe of such a table: as its second line says, or as the copy
 * recipe.yaml does. */
static bool is_its_recipe(const struct sl_campaign *c, struct sl_recipe *recipe,
                          const char *damaged)
{
    char line[SL_HASH_TEXT + 16];
    snprintf(line, sizeof line, "# recipe %s\n", sl_recipe_hash(recipe));
    return strstr(damaged, line) || shows_generation(c, c->generations);
}

static int table_again(struct sl_campaign *c, struct sl_recipe *recipe, char **text, size_t *size)
{
    int64_t count = sl_recipe_count(recipe), *list = NULL;
    char(*have)[SL_HASH_TEXT] = NULL;
    if (c->generations == 1) return print_table(recipe, NULL, count, 0, text, size);
    int code = contents(c, &have);
    if (code == SL_OK && !(list = calloc((size_t)count, sizeof *list)))
        code = SL_FAIL(SL_EMEM, "no memory for %" PRId64 " members", count);
    if (code == SL_OK) code = find_new(recipe, have, c->n, list, &count);
    if (code == SL_OK) code = print_table(recipe, list, count, c->n, text, size);
    free(have);
    free(list);
    return code;
}

/* A table of a later sluice is whole, though this one cannot read it. */
static bool is_foreign(const char *text)
{
    return strncmp(text, head, sizeof head - 1) == 0 && text[sizeof head - 1] != '2';
}

/* Replaces the text of the last generation that was read; else the failure stays. */
static int remake_table(struct sl_campaign *c, char **text)
{
    char path[SL_PATH_MAX], *again, why[2000];
    size_t size;
    struct sl_recipe *recipe = NULL;
    snprintf(why, sizeof why, "%s", sl_error_text());
    const char *what = lost_table(c->dir, c->generations, c->n) ? "missing" : "damaged";
    int code = slot_path(path, c->dir, c->generations, "yaml");
    if (code == SL_OK) code = sl_recipe_open(path, NULL, 0, &recipe);
    if (code == SL_OK && (is_foreign(*text) || !is_its_recipe(c, recipe, *text))) code = SL_EINPUT;
    if (code == SL_OK) code = table_again(c, recipe, &again, &size);
    sl_recipe_close(recipe);
    if (code != SL_OK) {
        sl_error_set(why);
        return SL_EINPUT;
    }
    if (slot_path(path, c->dir, c->generations, "tsv") == SL_OK &&
        sl_file_replace(path, again, size, SL_DURABLE) == SL_OK)
        sl_log(SL_LOG_WARN, "%s was %s and is made again from the recipe in the same folder", path,
               what);
    else
        sl_log(SL_LOG_WARN, "%s is %s; the recipe in the same folder is used instead", path, what);
    free(*text);
    *text = again;
    return SL_OK;
}

/* `sluice extend` writes the next recipe.yaml before its members are there. */
void sl_campaign_log_edited(const struct sl_campaign *c)
{
    struct sl_recipe_lost lost;
    int g = c->generations;
    if (sl_campaign_recipe_lost(c, g, &lost) || shows_generation(c, g) ||
        shows_generation(c, g + 1))
        return;
    sl_log(
        SL_LOG_WARN,
        "%s/recipe.yaml was changed or removed by hand, which changes nothing: the members have "
        "the "
        "recipe slots/%04d.yaml. `sluice extend` adds members, another recipe is another campaign; "
        "`cp slots/%04d.yaml recipe.yaml` there puts it back",
        c->dir, g, g);
}

int sl_campaign_recipe(const struct sl_campaign *c, char path[SL_PATH_MAX])
{
    return sl_campaign_recipe_of(c, c->generations, path);
}

int sl_campaign_recipe_of(const struct sl_campaign *c, int g, char path[SL_PATH_MAX])
{
    return slot_path(path, c->dir, g, "yaml");
}

/* ---- members --------------------------------------------------------------------------------- */

int sl_campaign_home(char home[SL_PATH_MAX], const struct sl_campaign *c, int member)
{
    return sl_disk_join(home, "%s/members/%s", c->dir, c->member[member].id);
}

int sl_campaign_run_path(char path[SL_PATH_MAX], const struct sl_campaign *c, int member)
{
    SL_TRY(sl_disk_join(path, "members/%s/run.yaml", c->member[member].id));
    SL_TRY(sl_disk_own(c->dir, path));
    return sl_disk_join(path, "%s/%s", c->dir, path);
}

int sl_campaign_config_new(const struct sl_campaign *c, int member, struct sl_config *cfg)
{
    struct sl_recipe *recipe;
    const struct sl_member *m = &c->member[member];
    SL_TRY(open_recipe(c, m->generation, &recipe));
    int code = sl_recipe_member(recipe, m->index, cfg);
    sl_recipe_close(recipe);
    SL_TRY(code);
    snprintf(cfg->run_member, sizeof cfg->run_member, "%s", m->id);
    SL_TRY(sl_settings_keep_block(c, member, cfg));
    return sl_input_files_resolve(c->dir, cfg);
}

int sl_campaign_config(const struct sl_campaign *c, int member, struct sl_config *cfg)
{
    char path[SL_PATH_MAX];
    if (member < 0) return sl_campaign_config_new(c, 0, cfg);
    SL_TRY(sl_campaign_run_path(path, c, member));
    if (sl_disk_exists(path)) return sl_config_read(path, NULL, 0, cfg);
    return sl_campaign_config_new(c, member, cfg);
}

int sl_values_of(const struct sl_campaign *c, int member, struct sl_values *v,
                 struct sl_config *cfg)
{
    const struct sl_member *m = &c->member[member];
    if (v->generation != m->generation) {
        sl_values_release(v);
        SL_TRY(open_recipe(c, m->generation, &v->recipe));
        v->generation = m->generation;
    }
    return sl_recipe_member(v->recipe, m->index, cfg);
}

void sl_values_release(struct sl_values *v)
{
    sl_recipe_close(v->recipe);
    *v = (struct sl_values){.recipe = NULL};
}

/* The next line of a key that may not change. The hash is none: it says again what the other lines
 * say, and an older sluice made it of other keys. */
static const char *fixed_line(const char *line)
{
    static const char hash[] = "run.recipe_hash: ";
    while (*line && (sl_key_line_is_means(line) || strncmp(line, hash, sizeof hash - 1) == 0))
        line += strcspn(line, "\n"), line += *line == '\n';
    return line;
}

/* Both texts have the same keys in the same order, but for those that may change. */
static int check_lines(const char *path, const char *have, const char *want)
{
    for (have = fixed_line(have), want = fixed_line(want); *have && *want;
         have = fixed_line(have), want = fixed_line(want)) {
        size_t n = strcspn(have, "\n"), m = strcspn(want, "\n");
        SL_CHECK(n == m && strncmp(have, want, n) == 0, SL_EINPUT,
                 "%s says '%.*s', the recipe of the campaign '%.*s': delete that file, it is made "
                 "again",
                 path, (int)n, have, (int)m, want);
        have += n + (have[n] == '\n');
        want += m + (want[m] == '\n');
    }
    return SL_OK;
}

/* Keys that may change decide on products, too (output.sample, output.precision): whenever a stage
 * begins they are what the recipe and `sluice set` say, but for a member that was done before the
 * latter. */
static int restore_lines(const char *home, const char *path, const char *have, const char *want)
{
    if (strcmp(have, want) == 0 || sl_record_verify_settings(home) == SL_OK) return SL_OK;
    sl_log(SL_LOG_WARN, "%s is not what the recipe and `sluice set` say: made again", path);
    return sl_file_replace(path, want, strlen(want), SL_DURABLE);
}

/* A run.yaml that is not what the recipe says was changed or damaged since it was made. */
static int check_run(const char *home, const char *path, const char *want)
{
    struct sl_config cfg;
    char *have;
    SL_TRY(sl_config_read(path, NULL, 0, &cfg));
    SL_TRY(sl_config_print(&cfg, &have));
    int code = check_lines(path, have, want);
    if (code == SL_OK) code = restore_lines(home, path, have, want);
    free(have);
    return code;
}

/* The run.yaml that the recipe and `sluice set` want. */
static int make_run(const struct sl_campaign *c, int member, struct sl_config *cfg, char **text)
{
    SL_TRY(sl_campaign_config_new(c, member, cfg));
    return sl_config_print(cfg, text);
}

int sl_campaign_prepare(const struct sl_campaign *c, int member)
{
    char home[SL_PATH_MAX], path[SL_PATH_MAX], *text;
    struct sl_config cfg;
    SL_TRY(sl_campaign_home(home, c, member));
    SL_TRY(sl_campaign_run_path(path, c, member));
    SL_TRY(make_run(c, member, &cfg, &text));
    int code = SL_OK;
    if (sl_disk_exists(path))
        code = check_run(home, path, text);
    else if ((code = sl_mkdir_all(home)) == SL_OK)
        code = sl_file_replace(path, text, strlen(text), SL_DURABLE);
    free(text);
    return code == SL_OK ? sl_input_files_verify(home, &cfg) : code;
}

bool sl_campaign_run_is_current(const struct sl_campaign *c, int member)
{
    char path[SL_PATH_MAX], *want, *have = NULL;
    struct sl_config cfg;
    if (sl_campaign_run_path(path, c, member) != SL_OK || make_run(c, member, &cfg, &want) != SL_OK)
        return false;
    bool is = sl_config_read(path, NULL, 0, &cfg) == SL_OK &&
              sl_config_print(&cfg, &have) == SL_OK && strcmp(have, want) == 0;
    free(have);
    free(want);
    return is;
}

int sl_campaign_mend(const struct sl_campaign *c, int member)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_campaign_run_path(path, c, member));
    if (sl_campaign_prepare(c, member) == SL_OK) return SL_OK;
    unlink(path);
    return sl_campaign_prepare(c, member);
}
