/* room.h - the memory that a mesh with levels may take: what the recipe states (resources.memory),
 * or what the nodes have. A regrid that asks for more is refused; the run stops with a checkpoint,
 * and the regrid is done when it goes on with more.
 *
 * On devices the copy of the state that the host holds for output counts there, and the fields of
 * the levels on each device. Ranks that share a device reckon each with all that is free on it.
 *
 * Shapes  none
 * Units   bytes, of all ranks together
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective unless a function says local
 * Where   host
 * Refs    none
 * Tests   tests/cli/levels.sh, tests/law/device.sh, tests/law/dark_matter.sh
 */
#ifndef SL_STEP_ROOM_H
#define SL_STEP_ROOM_H

#include "core/step/sim.h"

struct sl_hierarchy;

/* Sets root->room from the recipe and from the nodes that the ranks are on. */
int sl_room_find(struct sl_sim *root);

/* Refuses (SL_EMEM) what takes more bytes of all ranks than there are; sets root->room. less: what
 * would take less. */
int sl_room_takes(struct sl_sim *root, double bytes, const char *what, const char *less);

/* local. What the states of such a mesh take, and what lies in its blocks beside them. */
double sl_room_of(const struct sl_sim *root, const struct sl_hierarchy *h);

/* local. As people say it: 1.958 MB. */
enum { SL_ROOM_TEXT = 32 };
void sl_room_text(double bytes, char text[SL_ROOM_TEXT]);

/* Whether there is room for the mesh h beside the present one, which stands until the state has
 * moved, and for the steps after that; if not, root->room_asked says what they would take. One that
 * is no larger always has. */
int sl_room_holds(struct sl_sim *root, const struct sl_hierarchy *h, bool *holds);

/* Of a run whose regrid was refused: SL_EMEM, with a text that names the rule which asks for most
 * of the new blocks, and what helps. */
int sl_room_refusal(struct sl_sim *root);

#endif
