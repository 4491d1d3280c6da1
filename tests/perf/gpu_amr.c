/* gpu_amr.c - updates per second of adaptive meshes on devices; see amr.h. ranks: any */
#include "tests/perf/amr.h"

#define BLAST                                                                                      \
    "mesh.cells=[128,128,128] mesh.levels=2 "                                                      \
    "mesh.refine=[{\"by\":gradient,\"of\":pressure,\"above\":0.1}] "
#define CT                "fluid.mhd=ct fluid.riemann=hlld "
#define CASE(block, more) "1 gpu_amr " BLAST "mesh.block=[" block "] " more "\n"

static const char *const cases = CASE("16", "time.levels=one") CASE("16", "time.levels=each") CASE(
    "32", "time.levels=one") CASE("32", "time.levels=each") CASE("16", CT "time.levels=one")
    CASE("32", CT "time.levels=one") CASE("16", "time.levels=one gravity.four_pi_g=1") CASE(
        "32",
        "time.levels=one gravity.four_pi_g=1") "1 gpu_amr mesh.cells=[128,128,128] mesh.block=[16] "
                                               "turbulence=3 mesh.levels=1 "
                                               "mesh.refine=[{\"by\":gradient,\"of\":density,"
                                               "\"above\":0.5}]\n"
                                               "1 gpu_amr mesh.cells=[256,256,256] "
                                               "mesh.block=[16]\n"
                                               "1 gpu_amr mesh.cells=[256,256,256] "
                                               "mesh.block=[32]\n";

int main(int argc, char **argv)
{
    return amr_main(cases, "resources.backend: cuda\n", argc, argv);
}
