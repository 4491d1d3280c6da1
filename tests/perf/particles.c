/* particles.c - particle-steps per second on the processor; see particles.h. ranks: any */
#include "tests/perf/particles.h"

static const char *const cases =
    "1 particles mesh.cells=[64,64,64] mesh.block=[32]\n"
    "1 particles mesh.cells=[128,128,128] mesh.block=[32] steps=5\n"
    "1 particles mesh.cells=[128,128,128] mesh.block=[32] particles=64 steps=5\n"
    "1 particles mesh.cells=[64,64,64] mesh.block=[32] gas=1\n"
    "1 particles mesh.cells=[64,64,64] mesh.block=[32] particles.kernel=tsc\n";

int main(int argc, char **argv)
{
    return swarm_main(cases, "resources.backend: cpu\n", argc, argv);
}
