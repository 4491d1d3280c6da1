/* gpu_particles.c - particle-steps per second on devices; see particles.h. ranks: any */
#include "tests/perf/particles.h"

#define CASE(program, more) "1 " program " mesh.block=[128] " more "\n"
#define CASES(program)                                                                             \
    CASE(program, "mesh.cells=[256,256,256]")                                                      \
    CASE(program, "mesh.cells=[512,512,512]")                                                      \
    CASE(program, "mesh.cells=[512,512,512] particles=256")                                        \
    CASE(program, "mesh.cells=[512,512,512] gas=1")                                                \
    CASE(program, "mesh.cells=[512,512,512] clump=1.5")                                            \
    CASE(program, "mesh.cells=[512,512,512] particles.kernel=tsc")

static const char *const cases = CASES("gpu_particles") CASES("gpu_particles-f32");

int main(int argc, char **argv)
{
    bool listed = argc == 2 && strcmp(argv[1], "--cases") == 0;
    if (listed && device_count() == 0) return 0;
    return swarm_main(cases, "resources.backend: cuda\n", argc, argv);
}
