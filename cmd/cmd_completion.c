/* cmd_completion.c - sluice completion: a script that teaches bash, zsh or fish the verbs, options,
 * keys with their values, campaigns with their members, and suites.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/cli/install.sh
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/config/key_id.h"
#include "core/config/keys.h"
#include "core/config/names.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/suite/suite.h"

static void print_verbs(void)
{
    for (const struct sl_verb *const *v = sl_verbs; *v; v++)
        if (*(*v)->about) printf(" %s", (*v)->name);
}

/* Options as the texts for people name them: every "--word" of usage and help. */
static void print_options(const struct sl_verb *verb)
{
    const char *const texts[] = {verb->usage, verb->help};
    char seen[2048] = " ";
    for (int t = 0; t < 2; t++)
        for (const char *p = texts[t]; (p = strstr(p, "--")); p += 2) {
            char word[64];
            size_t n = 2;
            while (islower((unsigned char)p[n]) || p[n] == '-')
                n++;
            if (n == 2 || n > sizeof word - 3) continue;
            snprintf(word, sizeof word, " %.*s ", (int)n, p);
            if (strstr(seen, word) || strlen(seen) + n + 2 > sizeof seen) continue;
            strncat(seen, word + 1, sizeof seen - strlen(seen) - 1);
        }
    seen[strlen(seen) - 1] = '\0';
    printf("%s", seen);
}

static void print_cases(void)
{
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        if (!*(*v)->about) continue;
        printf("    %s) words='", (*v)->name);
        print_options(*v);
        puts(" --help' ;;");
    }
}

/* Verbs that take key=value. */
#define KEY_VERBS "check plan run set submit"

static void print_keys(void)
{
    for (int i = 0; i < SL_KEY_COUNT; i++)
        printf("%s%s", i ? " " : "", sl_keys[i].path);
}

static bool is_chosen(const struct sl_key *key)
{
    return key->type == SL_TYPE_BOOL || (key->choices && key->type != SL_TYPE_RULES);
}

/* What the key may be, each with a mark before it. */
static void print_choices(const struct sl_key *key, const char *mark, const char *before)
{
    static const struct sl_choice yes_no[] = {{.name = "true"}, {.name = "false"}, {.name = NULL}};
    const struct sl_choice *c = key->type == SL_TYPE_BOOL ? yes_no : key->choices;
    for (; c->name; c++)
        printf("%s%s%s", mark, before, c->name);
}

static void print_value_function(void)
{
    puts("_sluice_values() {\n    case ${1#sweep.} in");
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (!is_chosen(&sl_keys[i])) continue;
        printf("    %s) echo '", sl_keys[i].path);
        print_choices(&sl_keys[i], " ", "");
        puts("' ;;");
    }
    puts("    esac\n}");
}

/* Values behind "key=", which bash takes for a word of its own and zsh does not. */
static void print_value_case(void)
{
    puts("    [ \"$word\" != = ] || { key=$before && word=; }\n"
         "    [ \"$before\" != = ] || key=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    case $word in *=*) key=${word%%=*} start=$key= word=${word#*=} ;; esac\n"
         "    if [ -n \"$key\" ]; then\n"
         "        COMPREPLY=($(compgen -P \"$start\" -W \"$(_sluice_values \"$key\")\" -- "
         "\"$word\"))\n"
         "        return\n    fi\n"
         "    if [ \"$before\" = --explain ]; then\n"
         "        COMPREPLY=($(compgen -W \"$_sluice_keys\" -- \"$word\"))\n"
         "        return\n    fi");
}

static void print_key_case(void)
{
    puts("        check | plan | run | set | submit)\n            [ ${#word} -lt 2 ] || "
         "COMPREPLY+=($(compgen -S = -W \"$_sluice_keys\" -- \"$word\")) ;;");
}

/* Whether the usage of the verb begins with a campaign, that is a directory with a journal. */
static bool takes_campaign(const struct sl_verb *verb)
{
    const char *usage = verb->usage + (*verb->usage == '[');
    return *verb->about && strncmp(usage, "CAMPAIGN", 8) == 0;
}

/* ... and goes on with members of it. */
static bool takes_members(const struct sl_verb *verb)
{
    return takes_campaign(verb) && strstr(verb->usage, "MEMBER") != NULL;
}

/* Names of the verbs, with a mark between them. */
static void print_those(bool (*which)(const struct sl_verb *), const char *mark)
{
    const char *between = "";
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        if (!which(*v)) continue;
        printf("%s%s", between, (*v)->name);
        between = mark;
    }
}

#define CAMPAIGNS "$(for c in */journal.jsonl; do [ -e \"$c\" ] && echo \"${c%/*}\"; done)"

static void print_campaign_case(void)
{
    printf("        ");
    print_those(takes_campaign, " | ");
    puts(")\n            COMPREPLY=($(compgen -W \"" CAMPAIGNS "\" -- \"$word\"))\n"
         "            [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\")) ;;");
}

/* Members of the campaign that stands behind the verb. */
static void print_member_case(void)
{
    printf("    if [ \"$COMP_CWORD\" -gt 2 ] && [ -d \"${COMP_WORDS[2]}/members\" ]; then\n"
           "        case ${COMP_WORDS[1]} in\n        ");
    print_those(takes_members, " | ");
    puts(")\n            COMPREPLY=($(compgen -W \"$(ls \"${COMP_WORDS[2]}/members\")\" -- "
         "\"$word\"))\n"
         "            case $word in -*) ;; *) return ;; esac ;;\n        esac\n    fi");
}

static void print_word_case(void)
{
    puts("        keys) COMPREPLY=($(compgen -W \"$_sluice_keys\" -- \"$word\")) ;;");
    printf("        verify) COMPREPLY=($(compgen -W \"%s ", sl_suite_groups());
    puts(CAMPAIGNS "\" -- \"$word\")) ;;");
    printf("        new) COMPREPLY=($(compgen -W '");
#define PROBLEM(name, ic, about) " " #name
    puts(SL_PROBLEM_NAMES(PROBLEM) "' -- \"$word\")) ;;");
#undef PROBLEM
}

static void print_function(void)
{
    printf("# made by `sluice completion`: verbs, their options, keys and values, members, files\n"
           "_sluice_keys='");
    print_keys();
    puts("'");
    print_value_function();
    puts("_sluice() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} words= key= start=\n"
         "    local before=${COMP_WORDS[COMP_CWORD - 1]}");
    puts("    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        words='");
    print_verbs();
    puts("'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi");
    print_value_case();
    print_member_case();
    puts("    case ${COMP_WORDS[1]} in");
    print_cases();
    puts("    esac\n"
         "    case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *)\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "        case ${COMP_WORDS[1]} in");
    print_key_case();
    print_word_case();
    print_campaign_case();
    puts("        esac ;;\n"
         "    esac\n"
         "}\n"
         "complete -o filenames -F _sluice sluice");
}

/* A sentence within single quotes. */
static void put_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

/* A function that prints "key=value" for all values of the key of the word that is typed. */
static void print_fish_values(void)
{
    puts("function __sluice_values\n    set -l word (string split -m 1 = -- (commandline -ct))\n"
         "    set -q word[2]; or return\n    switch $word[1]");
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char before[128];
        if (!is_chosen(&sl_keys[i])) continue;
        snprintf(before, sizeof before, "%s=", sl_keys[i].path);
        printf("        case %s\n            printf '%%s\\n'", sl_keys[i].path);
        print_choices(&sl_keys[i], " ", before);
        puts("");
    }
    puts("    end\nend\ncomplete -c sluice -n '__fish_seen_subcommand_from " KEY_VERBS
         "' -a '(__sluice_values)'");
}

/* Verbs and their sentences, their options, and key= for the verbs that take recipes. */
static void print_fish(void)
{
    puts("# made by `sluice completion`: verbs, their options, keys, then files");
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        if (!*(*v)->about) continue;
        printf("complete -c sluice -n __fish_use_subcommand -f -a %s -d ", (*v)->name);
        put_quoted((*v)->about);
        printf("\nfor o in ");
        print_options(*v);
        printf(" --help; complete -c sluice -n '__fish_seen_subcommand_from %s' -l "
               "(string sub -s 3 -- $o); end\n",
               (*v)->name);
    }
    printf("complete -c sluice -n '__fish_seen_subcommand_from ");
    print_those(takes_campaign, " ");
    puts("' -a '(for f in */journal.jsonl; dirname $f; end)'");
    printf("complete -c sluice -n '__fish_seen_subcommand_from ");
    print_those(takes_members, " ");
    puts("' -a '(for c in (commandline -opc)[3]/members/*; basename $c; end)'");
    printf("complete -c sluice -n '__fish_seen_subcommand_from verify' -a '%s'\n",
           sl_suite_groups());
    printf("complete -c sluice -n '__fish_seen_subcommand_from check' -l explain -x -a '");
    print_keys();
    puts("'");
    print_fish_values();
    for (int i = 0; i < SL_KEY_COUNT; i++)
        printf("complete -c sluice -n '__fish_seen_subcommand_from " KEY_VERBS "' -a '%s='\n",
               sl_keys[i].path);
    for (int i = 0; i < SL_KEY_COUNT; i++)
        printf("complete -c sluice -n '__fish_seen_subcommand_from keys' -f -a %s\n",
               sl_keys[i].path);
#define PROBLEM(name, ic, about)                                                                   \
    puts("complete -c sluice -n '__fish_seen_subcommand_from new' -a " #name);
    SL_PROBLEM_NAMES(PROBLEM)
#undef PROBLEM
}

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 1, 1, "completion bash|zsh|fish", &words));
    const char *shell = argv[1];
    if (strcmp(shell, "fish") == 0) {
        print_fish();
        return SL_OK;
    }
    bool zsh = strcmp(shell, "zsh") == 0;
    SL_CHECK(zsh || strcmp(shell, "bash") == 0, SL_EUSAGE,
             "completion knows bash, zsh and fish, not %s", sl_quote(shell).text);
    if (zsh) puts("#compdef sluice\nautoload -Uz bashcompinit && bashcompinit");
    print_function();
    if (zsh) /* the first time, zsh reads the file in the middle of completing */
        puts("if (( $+compstate )); then _bash_complete -o filenames -F _sluice; fi");
    return SL_OK;
}

const struct sl_verb sl_verb_completion = {
    .name = "completion",
    .group = SL_VERB_other,
    .usage = "bash|zsh|fish",
    .about =
        "a script for the shell that completes verbs, options, keys, values, campaigns and members",
    .help = "  source <(sluice completion bash)     in ~/.bashrc\n"
            "  sluice completion fish | source      in ~/.config/fish/config.fish",
    .run = run};
