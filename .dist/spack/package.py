# Spack recipe: `spack repo create` a repository of your own, put this file into packages/sluice/ and tell Spack where a clone of
# sluice is: `spack develop --path /path/to/clone sluice@main` in an environment, or SLUICE_GIT=/path/to/clone spack install sluice.
import os

try:  # Spack 1.0 and later; before, spack.package has both
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass
from spack.package import *


class Sluice(MakefilePackage, CudaPackage):
    """Campaigns of gas-dynamics simulations, of turbulence or of a universe, from one recipe: an ensemble of MPI runs, its
    statistics with error bars, and one page that shows them."""

    homepage = "file:///usr/share/doc/sluice"
    git = os.environ.get("SLUICE_GIT", "/usr/src/sluice")

    version("main", branch="main")

    license("BSD-3-Clause")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:")
    depends_on("fftw@3")
    depends_on("p4est+mpi")
    depends_on("libyaml")
    depends_on("jansson")
    depends_on("sqlite@3")
    depends_on("libmd")
    depends_on("random123")
    depends_on("gnuplot", type="run")

    @property
    def flags(self):
        spec = self.spec
        names = {"HDF5": "hdf5", "FFTW": "fftw", "P4EST": "p4est", "YAML": "libyaml", "JANSSON": "jansson", "SQLITE": "sqlite",
                 "MD": "libmd", "RANDOM123": "random123"}
        # compilers look into /usr by themselves, and must not be sent there before their own headers (externals of a system)
        where = [f"{name}_DIR={spec[package].prefix}" for name, package in names.items() if spec[package].prefix != "/usr"]
        arch = " ".join(spec.variants["cuda_arch"].value) if spec.satisfies("+cuda") else ""
        cuda = [f"CUDA_ARCH={arch}"] if arch and arch != "none" else ["CUDA=yes"] if spec.satisfies("+cuda") else ["CUDA=no"]
        # the wrapper of the compiler adds the flags of the target
        return where + cuda + [f"CC={spack_cc}", "ARCH=", f"MPICC={spec['mpi'].mpicc}", f"PREFIX={self.prefix}"]

    def build(self, spec, prefix):
        make("all", *self.flags)

    def install(self, spec, prefix):
        make("install", *self.flags)
