/* amr.c - updates per second of adaptive meshes on the processor; see amr.h. ranks: any */
#include "tests/perf/amr.h"

#define BLAST "mesh.refine=[{\"by\":gradient,\"of\":pressure,\"above\":0.1}] "
#define CASE(cells, block, more)                                                                   \
    "1 amr mesh.cells=" cells " mesh.block=[" block "] " BLAST more "\n"

static const char *const cases = CASE("[64,64,64]", "16", "mesh.levels=2 time.levels=each")
    CASE("[64,64,64]", "16", "mesh.levels=2 time.levels=one") CASE("[64,64,64]", "8",
                                                                   "mesh.levels=2 time.levels=each")
        CASE("[64,64,64]", "16",
             "mesh.levels=2 time.levels=one gravity.four_pi_g=1") "1 amr mesh.cells=[32,32,32] "
                                                                  "mesh.block=[16] turbulence=3 "
                                                                  "mesh.levels=1 "
                                                                  "mesh.refine=[{\"by\":gradient,"
                                                                  "\"of\":density,\"above\":0.5}]\n"
                                                                  "1 amr mesh.cells=[128,128,128] "
                                                                  "mesh.block=[16]\n";

int main(int argc, char **argv)
{
    return amr_main(cases, "resources.backend: cpu\n", argc, argv);
}
