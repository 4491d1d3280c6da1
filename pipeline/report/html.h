/* html.h - what the pages of the house have in common: a page is one HTML file with everything in
 * it, for screen, phone and paper.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM when the page is written (buffer.h)
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_HTML_H
#define SL_PIPELINE_REPORT_HTML_H

#include "pipeline/base/buffer.h"

/* From the first byte to <body>; the title is "TITLE – KIND". */
void sl_page_head(struct sl_buffer *html, const char *title, const char *kind);
/* From </main> to the last byte. */
void sl_page_foot(struct sl_buffer *html);

/* Appends value and error as people write them: 5.17 ± 0.12, 3.1 × 10^-13; "–" for NAN. error NAN:
 * none. */
void sl_page_number(struct sl_buffer *html, double value, double error);
/* The same as a cell of a table. */
void sl_page_cell(struct sl_buffer *html, double value, double error);
/* Appends a duration of that many seconds: 42 s, 3 min 20 s, 5 h 12 min. */
void sl_page_duration(struct sl_buffer *html, double seconds);
/* Appends the day and minute of seconds since 1970. */
void sl_page_date(struct sl_buffer *html, double seconds);

/* Appends what tells members apart, "key: value, ...", with its numbers to seven digits. */
void sl_page_label(struct sl_buffer *html, const char *text);

/* Opens a table that scrolls by itself on a narrow screen; closes its body and it. */
void sl_page_table(struct sl_buffer *html, const char *label);
void sl_page_table_end(struct sl_buffer *html);
/* Heads, ended by NULL: a leading '>' makes a column of numbers. */
void sl_page_heads(struct sl_buffer *html, const char *const *heads);

/* A fact of a list of facts: open leaves its value to the caller, who closes </dd>; the other
 * leaves out a fact without a value. */
void sl_page_fact_open(struct sl_buffer *html, const char *name);
void sl_page_fact(struct sl_buffer *html, const char *name, const char *value);

/* Appends the drawing <name>.svg of `folder`, which is figures/ beside the page, with title,
 * caption (both as text) and the links to its files. Nothing on error. */
int sl_page_figure(struct sl_buffer *html, const char *folder, const char *name, const char *title,
                   const char *about);

#endif
