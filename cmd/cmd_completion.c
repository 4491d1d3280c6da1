/* cmd_completion.c - sluice completion: a script that teaches bash or zsh the verbs and options.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/options.h"

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
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "    esac\n"
         "}\n"
         "complete -o filenames -F _sluice sluice");
}

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 1, 1, "completion bash|zsh", &words));
    bool zsh = strcmp(argv[1], "zsh") == 0;
    SL_CHECK(zsh || strcmp(argv[1], "bash") == 0, SL_EUSAGE,
             "completion knows bash and zsh, not %s", sl_quote(argv[1]).text);
    if (zsh) puts("autoload -Uz bashcompinit && bashcompinit");
    print_function();
    return SL_OK;
}

const struct sl_verb sl_verb_completion = {
    .name = "completion",
    .usage = "bash|zsh",
    .about = "a script for the shell that completes verbs and options",
    .help = "  source <(sluice completion bash)   in ~/.bashrc",
    .run = run};
