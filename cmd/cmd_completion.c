/* cmd_completion.c - sluice completion: a script that teaches bash, zsh or fish the verbs, options,
 * keys and campaigns.
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
#include "core/sys/keys.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"

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

static void print_key_case(void)
{
    printf("        check | plan | run | set | submit)\n            [ ${#word} -lt 2 ] || "
           "COMPREPLY+=($(compgen -W '");
    for (int i = 0; i < SL_KEY_COUNT; i++)
        printf("%s%s=", i ? " " : "", sl_keys[i].path);
    puts("' -- \"$word\")) ;;");
}

/* The verbs whose usage begins with a campaign: directories with a journal. */
static void print_campaign_case(void)
{
    const char *between = "        ";
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        const char *usage = (*v)->usage + (*(*v)->usage == '[');
        if (!*(*v)->about || strncmp(usage, "CAMPAIGN", 8) != 0) continue;
        printf("%s%s", between, (*v)->name);
        between = " | ";
    }
    puts(")\n            COMPREPLY=($(compgen -W \"$(for c in */journal.jsonl; do [ -e \"$c\" ] && "
         "echo \"${c%/*}\"; done)\" -- \"$word\"))\n"
         "            [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\")) ;;");
}

static void print_word_case(void)
{
    printf("        keys) COMPREPLY=($(compgen -W '");
    for (int i = 0; i < SL_KEY_COUNT; i++)
        printf("%s%s", i ? " " : "", sl_keys[i].path);
    puts("' -- \"$word\")) ;;");
    printf("        new) COMPREPLY=($(compgen -W '");
#define PROBLEM(name, ic, about) " " #name
    puts(SL_PROBLEM_NAMES(PROBLEM) "' -- \"$word\")) ;;");
#undef PROBLEM
}

static void print_function(void)
{
    puts("# made by `sluice completion`: verbs, their options, then files\n"
         "_sluice() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} words=");
    puts("    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        words='");
    print_verbs();
    puts("'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
         "    case ${COMP_WORDS[1]} in");
    print_cases();
    puts("    esac\n"
         "    case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *)\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "        case ${COMP_WORDS[1]} in");
    print_key_case();
    print_campaign_case();
    print_word_case();
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
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        const char *usage = (*v)->usage + (*(*v)->usage == '[');
        if (*(*v)->about && strncmp(usage, "CAMPAIGN", 8) == 0)
            printf("complete -c sluice -n '__fish_seen_subcommand_from %s' -a '(for f in "
                   "*/journal.jsonl; dirname $f; end)'\n",
                   (*v)->name);
    }
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
    .about = "a script for the shell that completes verbs, options, keys and campaigns",
    .help = "  source <(sluice completion bash)     in ~/.bashrc\n"
            "  sluice completion fish | source      in ~/.config/fish/config.fish",
    .run = run};
