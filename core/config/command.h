/* command.h - a command of stages.*: words that blanks part, and the paths that {snapshot},
 * {member} and {campaign} in them stand for. No shell reads it.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT that says what is wrong with the command
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/command.c, tests/cli/stages.sh
 */
#ifndef SL_CONFIG_COMMAND_H
#define SL_CONFIG_COMMAND_H

#include <stdbool.h>

#include "core/config/choices.h"

/* X(name, "what {name} stands for"): there is a key stages.name of what is run once for each of
 * these, whose command knows its own place and those that follow. */
#define SL_COMMAND_LIST(X)                                                                         \
    X(snapshot, "path of a snapshot")                                                              \
    X(member, "directory of a member")                                                             \
    X(campaign, "directory of the campaign")

#define SL_COMMAND_ENUM(name, about) SL_COMMAND_##name,
enum sl_command_kind { SL_COMMAND_LIST(SL_COMMAND_ENUM) SL_COMMAND_KINDS };

enum { SL_COMMAND_WORDS = 64 };

struct sl_command {
    char text[2 * SL_TEXT_MAX]; /* the words, each with its end */
    const char *word[SL_COMMAND_WORDS];
    int n;
};

/* Cuts a text at its blanks; '...' and "..." hold together what has some. */
int sl_command_split(const char *text, struct sl_command *command);
/* The text that sl_command_split cuts into these words. */
int sl_command_join(const char *const *word, int n, char text[SL_TEXT_MAX]);
/* Whether a command may be that of stages.<kind>: it can be cut, and names no other place than
 * those it knows. */
int sl_command_check(const char *text, enum sl_command_kind kind);
/* Replaces {snapshot}, {member} and {campaign} in a word; SL_EINPUT where the result does not
 * fit. */
int sl_command_fill(const char *word, const char *const path[SL_COMMAND_KINDS], char *out,
                    int size);
/* A text as one word of a shell, for messages; cut where it does not fit. */
void sl_command_quote(const char *text, char *out, int size);
/* Whether a word has a place in it. */
bool sl_command_has_place(const char *word);

#endif
