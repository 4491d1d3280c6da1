/* json.c - see json.h. */
#include "pipeline/base/json.h"

#include <stdio.h>

#include "core/sys/status.h"

static int print(json_t *object, size_t how)
{
    SL_CHECK(object, SL_EMEM, "no memory for the answer");
    int bad = json_dumpf(object, stdout, how);
    json_decref(object);
    SL_CHECK(!bad, SL_EIO, "cannot write the answer");
    putchar('\n');
    return SL_OK;
}

int sl_json_print(json_t *object)
{
    return print(object, JSON_INDENT(1) | SL_JSON_SHOWN);
}

int sl_json_print_line(json_t *object)
{
    return print(object, JSON_COMPACT | SL_JSON_SHOWN);
}

json_t *sl_json_text(const char *text)
{
    json_t *o = json_string(text);
    return o ? o : json_string("(not UTF-8)");
}
