/* forest3.c - the forest on p8est: forest2.c under other names. */
#include <p4est_to_p8est.h>

#include "core/mesh/forest2.c"
