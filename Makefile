# sluice - one Makefile, not recursive. Everything generated goes to build/.
#   make            programs          make demo     from a bare machine to a campaign's report
#   make check      all tests         make check T=name   those whose path holds name
#   make help       all targets       V=1 shows commands, CC=gcc chooses the compiler, ARCH=x86-64-v3 the instruction set

B := build
V ?= 0
comma := ,
Q := $(if $(filter 0,$(V)),@)
say = @printf '  %-6s %s\n' '$(1)' '$(2)'

# ---- what is here ----------------------------------------------------------------------------------------------------
ifeq ($(origin CC),default)
CC := $(shell for c in clang-19 clang-18 clang-17 clang-16 gcc clang; do command -v $$c >/dev/null && { echo $$c; break; }; done)
endif
# ARCH= : as the compiler is set up, which Spack's wrapper does
ARCH ?= native
# clang 19 finds half of AVX10 on processors that have all of it, and tells of that in each file; older ones do not know this warning
MARCH := $(if $(ARCH),-march=$(ARCH)) $(if $(findstring clang,$(CC)),-Wno-unknown-warning-option -Wno-invalid-feature-combination)
OPT ?= -O3
MPICC ?= mpicc
MPI_CFLAGS := $(shell .ci/mpi compile '$(MPICC)')
MPI_LIBS := $(shell .ci/mpi link '$(MPICC)')
# Libraries that are not where compilers look: HDF5_DIR=/opt/hdf5 and the like. Of HDF5 also what pkg-config knows, parallel or not.
DIRS := $(foreach l,HDF5 FFTW P4EST YAML JANSSON SQLITE MD RANDOM123,$($(l)_DIR))
DIR_CFLAGS := $(foreach d,$(DIRS),-isystem $(d)/include)
DIR_LIBS := $(foreach d,$(DIRS),$(foreach l,$(wildcard $(d)/lib $(d)/lib64),-L$(l) -Wl,-rpath,$(l)))
HDF5_NAME := $(if $(HDF5_DIR),,$(shell for p in hdf5-openmpi hdf5-mpich hdf5; do pkg-config --exists $$p 2>/dev/null && { echo $$p; break; }; done))
HDF5_CFLAGS := $(if $(HDF5_NAME),$(shell pkg-config --cflags $(HDF5_NAME)))
HDF5_LIBS := $(if $(HDF5_NAME),$(shell pkg-config --libs $(HDF5_NAME)),-lhdf5)
FFTW_LIBS := -lfftw3
# CUDA: .ci/cuda finds the compiler and the run-time library. Kernels take minutes for each architecture: without a word they are
# built for the devices of this machine, and left out where there are none. CUDA=yes: for all architectures below, each of which
# serves those up to the next (newer toolkits begin at 75); CUDA_ARCH: for these numbers, or last, the newest of them; CUDA=no: for
# none. Of the last one there is PTX too, for newer devices.
CUDA_FOUND := $(if $(filter no,$(CUDA)),,$(shell .ci/cuda))
CUDA_ALL := $(if $(CUDA_FOUND),$(shell $(word 1,$(CUDA_FOUND)) --list-gpu-arch | sed 's/compute_//'))
CUDA_KNOWN := $(filter $(if $(filter 70,$(CUDA_ALL)),70,75) 80 90,$(CUDA_ALL))
ifeq ($(origin CUDA_ARCH),undefined)
CUDA_ARCH := $(if $(CUDA),$(CUDA_KNOWN),$(if $(CUDA_FOUND),$(shell .ci/cuda devices $(CUDA_KNOWN))))
endif
override CUDA_ARCH := $(if $(filter last,$(CUDA_ARCH)),$(lastword $(CUDA_KNOWN)),$(CUDA_ARCH))
NVCC := $(if $(strip $(CUDA_ARCH)),$(word 1,$(CUDA_FOUND)))
CUDART := $(if $(NVCC),$(word 2,$(CUDA_FOUND)))
CUDA_VERSION := $(if $(NVCC),$(shell $(NVCC) --version | sed -n 's/^Cuda compilation tools, release \([0-9.]*\).*/\1/p'))
VERSION := $(shell cat .dist/version)
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Wvla
# gcc 12 invents reads past the end of small arrays when it unrolls (-Wmaybe-uninitialized); clang tells of loops that it
# could not vectorise as it was told to (-Wpass-failed), which tests/perf judges better
WARN += $(if $(findstring clang,$(CC)),-Wno-pass-failed,-Wno-maybe-uninitialized)
# warnings end the build of those who develop: make check and .ci/run; WERROR=yes asks for it
STRICT := $(if $(filter yes,$(WERROR)),-Werror)
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
MATH := -fno-math-errno -fno-trapping-math -ffp-contract=off
# Where there are vectors of 512 bits they are faster by a tenth than the halves that compilers prefer (128^3 hydro, Sapphire Rapids)
LANES := $(if $(filter x86_64,$(shell uname -m)),-mprefer-vector-width=512)
# of what a debugger reads names and lines, which a backtrace needs: all of it (CFLAGS=-g) takes an eighth more time
FLAGS := -std=c11 -D_GNU_SOURCE $(OPT) -g1 $(MARCH) $(LANES) $(MATH) $(WARN) $(STRICT) $(CFLAGS)
INCLUDE := -I. -I$(B)/gen $(DIR_CFLAGS)
# Kernels take divisions, square roots and the smaller of two in short forms (core/cell/short.h), which is a fifth faster and does not
# depend on the kernel; CUDA_EXACT=yes gives the processor's bits, as the tests that compare the two have them
CUDA_MATH_f64 := $(if $(CUDA_EXACT),-DSL_EXACT)
CUDA_MATH_f32 := $(if $(CUDA_EXACT),-DSL_EXACT,-prec-div=false -prec-sqrt=false -ftz=true)
# CUDA_QUICK=yes: for kernels that are compiled to see that they compile, in a tenth of the time; older compilers know only part of it
# (-D: libstdc++ comes without its special functions, which every unit would read)
CUDA_OPT := -O3 $(if $(filter yes,$(CUDA_QUICK)),-D_GLIBCXX_BITS_SPECFUN_H=1 $(if $(NVCC),$(shell $(NVCC) --help | sed -n 's/^\(--Ofast-compile\) .*/\1=max/p')))
NVCC_FLAGS = -std=c++17 $(CUDA_OPT) -fmad=false $(foreach a,$(CUDA_ARCH),-gencode=arch=compute_$(a),code=sm_$(a)) \
        -gencode=arch=compute_$(lastword $(CUDA_ARCH)),code=compute_$(lastword $(CUDA_ARCH)) $(if $(STRICT),-Werror all-warnings) \
        -Xcompiler -Wall,-Wextra$(if $(STRICT),$(comma)-Werror),-fPIE
RPATH := -Wl,-rpath,
LIBS_CUDA := $(if $(NVCC),$(CUDART) $(RPATH)$(dir $(CUDART)) -lstdc++ -ldl -lrt -lpthread)
LIBS_CLI := $(DIR_LIBS) -lyaml -ljansson -lmd -lm -ldl
LIBS_PIPELINE := $(DIR_LIBS) -lsqlite3
LIBS_MPI := $(DIR_LIBS) $(HDF5_LIBS) $(FFTW_LIBS) -lp4est -lsc $(MPI_LIBS) $(LIBS_CLI) -lpthread

# ---- sources: found, not listed --------------------------------------------------------------------------------------
CORE := $(wildcard core/*/*.c)
PIPELINE := $(wildcard pipeline/*/*.c)
# kernels of a stage: gpu/kernels.def, in units that are compiled beside each other
STAGES := $(patsubst %,gpu/stage_%.cu,$(or $(shell .ci/generate kernel-units $(if $(filter yes,$(CUDA_QUICK)),few)),$(error gpu/kernels.def)))
KERNELS := $(wildcard gpu/*.cu) $(STAGES)
GPU := $(if $(NVCC),$(wildcard gpu/*.c) $(KERNELS))
CLI := $(wildcard cmd/sluice.c cmd/cmd_*.c)
PROBLEMS := $(sort $(wildcard core/problem/*.c))
SOURCES := $(sort $(wildcard core/source/*.c))
KEYED := $(PROBLEMS) $(SOURCES)
FIGURES := $(sort $(wildcard pipeline/report/*.c))
GEN := $(addprefix $(B)/gen/,problem_names.h problem_keys.def problem_rules.def problem_shows.def source_rules.def source_words.def source_costs.def source_withs.def figures.def problems.c sources.c source_bodies.h verbs.c \
       build_info.h report_css.h kernel_lists.h recipes.def)
PROGRAMS := $(B)/sluice $(B)/sluice-ic $(B)/sluice-sim $(B)/sluice-sim-f32 $(B)/sluice-stats

.PHONY: deb doc all help generated tests mutants install uninstall bench check check-slurm check-long check-gpu devices emulated emulated-long other demo examples format lint clean packages found
all: $(PROGRAMS)

help:
	@sed -n '2,4s/^# *//p' Makefile
	@echo "CUDA=yes       builds kernels for all devices, CUDA_ARCH=\"80 90\" or last for these architectures, CUDA=no none; else they"
	@echo "                are built for the devices of this machine. CUDA_HOME in the environment: where CUDA is when nvcc is not"
	@echo "                on PATH"
	@echo "make packages   install what is missing (Debian, as root or with sudo)"
	@echo "make found      what was found: compiler, MPI, HDF5, FFTW, p4est, CUDA; what is missing"
	@echo "HDF5_DIR=/opt/hdf5 and likewise FFTW, P4EST, YAML, JANSSON, SQLITE, MD, RANDOM123: where a library is; MPICC=... whose MPI"
	@echo "                (.dist/cluster.md: building on a cluster)"
	@echo "make doc        all guides and the reference as one site, in build/doc (needs pandoc)"
	@echo "make deb        a Debian package, in build/deb"
	@echo "make install    programs, manual pages, completions, guides, recipes to PREFIX (/usr/local), below DESTDIR"
	@echo "make uninstall  removes them, with the same PREFIX and DESTDIR"
	@echo "WERROR=yes      a warning ends the build, as in make check"
	@echo "make check-gpu  the tests that need a CUDA device"
	@echo "make check-slurm  the tests on a private Slurm alone; check-long: their long form, and other tests of an hour"
	@echo "make lint       format, headers alone, include arrows, banned calls"
	@echo "make format     clang-format on all sources"
	@echo "make examples   the campaigns of examples/decay-of-turbulence, with their reports, in build/examples"
	@echo "make bench      cell updates per second and the other figures of tests/perf"

# ---- generated -------------------------------------------------------------------------------------------------------
# by .ci/generate, which refuses rows that are not as they should be
generated: $(GEN)
GENERATE = @mkdir -p $(@D); .ci/generate $(1) > $@.new && mv $@.new $@
VERBS := $(sort $(wildcard cmd/cmd_*.c))
RECIPES := $(sort $(wildcard recipes/*.yaml))
# what is made of a list of files follows the list: a file that goes is no change of any that is there
$(B)/gen/names/%: FORCE
	@mkdir -p $(@D); echo '$($*)' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# file, what, and the variable with the files that it is made of; a list that comes out as it was stays, with all that reads it
define listed
$(B)/gen/made/$(1): $$($(3)) $(B)/gen/names/$(3) .ci/generate
	@mkdir -p $$(@D); .ci/generate $(2) $$($(3)) > $$@.new && { cmp -s $$@.new $(B)/gen/$(1) || cp $$@.new $(B)/gen/$(1); } && mv $$@.new $$@
$(B)/gen/$(1): $(B)/gen/made/$(1)
	@[ -e $$@ ] || cp $$< $$@
endef
$(eval $(call listed,problem_names.h,problem-names,KEYED))
$(eval $(call listed,problem_keys.def,problem-keys,KEYED))
$(eval $(call listed,problem_rules.def,problem-rules,PROBLEMS))
$(eval $(call listed,problem_shows.def,problem-shows,KEYED))
$(eval $(call listed,problems.c,problems,PROBLEMS))
$(eval $(call listed,sources.c,sources,SOURCES))
$(eval $(call listed,source_rules.def,source-rules,SOURCES))
$(eval $(call listed,source_words.def,source-words,SOURCES))
$(eval $(call listed,source_costs.def,source-costs,SOURCES))
$(eval $(call listed,source_withs.def,source-withs,SOURCES))
$(eval $(call listed,source_bodies.h,source-bodies,SOURCES))
$(eval $(call listed,figures.def,figures,FIGURES))
$(eval $(call listed,verbs.c,verbs,VERBS))
$(eval $(call listed,recipes.def,recipes,RECIPES))
$(B)/gen/report_css.h: pipeline/report/report.css .ci/generate
	$(call GENERATE,report-css $<)
$(B)/gen/kernel_lists.h: gpu/kernels.def .ci/generate
	$(call GENERATE,kernel-lists)
$(STAGES:%=$(B)/gen/%): $(B)/gen/gpu/stage_%.cu: gpu/kernels.def .ci/generate
	@mkdir -p $(@D)
	@.ci/generate kernels $* > $@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

$(B)/gen/build_info.h: FORCE
	@mkdir -p $(@D)
	@{ echo '/* generated: how this was built */'; \
	   echo '#define SL_BUILD_VERSION "$(VERSION)"'; \
	   echo '#define SL_BUILD_COMMIT "$(COMMIT)"'; \
	   echo '#define SL_BUILD_COMPILER "$(shell $(CC) --version 2>/dev/null | head -1)"'; \
	   echo '#define SL_BUILD_CUDA "$(if $(NVCC),$(CUDA_VERSION) for sm_$(strip $(CUDA_ARCH))$(if $(filter yes,$(CUDA_QUICK)), compiled quickly),none: built without it)"'; \
	   echo '#define SL_BUILD_FLAGS "$(strip $(OPT) $(MARCH) $(LANES) $(MATH) $(CFLAGS))"'; } > $@.new; \
	   cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE

# ---- variants: f64 and f32 for use, san for tests (address and undefined-behaviour sanitizers), exact and exact32: kernels
# for tests ------------------------------------------------------------------------------------------------------------
VARIANT_f64 :=
VARIANT_f32 := -DSL_REAL=float
VARIANT_exact := -DSL_EXACT
VARIANT_exact32 := $(VARIANT_exact) $(VARIANT_f32)
# without those checks of pointers that on x86-64 find nothing which the address sanitizer does not: tests take a quarter more with them
UNCHECKED := pointer-overflow,alignment,null,object-size
VARIANT_san := -O1 -fsanitize=address,undefined -fno-sanitize=$(UNCHECKED) -fno-sanitize-recover=undefined -fno-omit-frame-pointer

# variant source -> object
obj = $(B)/obj/$(1)/$(basename $(2)).o
objs = $(foreach s,$(2),$(call obj,$(1),$(s)))

# shell: whether no header of an object of f64 knows the precision; then that of f32 is the same, and becomes a copy
SAME = ! grep -q ' core/cell/fn\.h' $(1:.o=.d) && cp $(1) $(2) && sed 's,/obj/f64/,/obj/f32/,' $(1:.o=.d) >$(2:.o=.d)
define variant_rules
$(B)/obj/$(1)/%.o: %.c $(B)/obj/flags $(if $(filter f32,$(1)),$(B)/obj/f64/%.o) | $(GEN)
	$$(call say,CC,$$< [$(1)])
	@mkdir -p $$(@D)
	$(Q)$(if $(filter f32,$(1)),$$(call SAME,$(B)/obj/f64/$$*.o,$$@) ||) $(CC) $(FLAGS) $(HARDEN) $(VARIANT_$(1)) $$(INCLUDE) $(MPI_CFLAGS) $(HDF5_CFLAGS) -MMD -MP -c $$< -o $$@
$(B)/obj/$(1)/problems.o $(B)/obj/$(1)/sources.o: $(B)/obj/$(1)/%.o: $(B)/gen/%.c $(B)/obj/flags | $(GEN)
	@mkdir -p $$(@D)
	$(Q)$(CC) $(FLAGS) $(HARDEN) $(VARIANT_$(1)) $(INCLUDE) $(MPI_CFLAGS) -MMD -MP -c $$< -o $$@
$(B)/lib/core-$(1).a: $(call objs,$(1),$(CORE)) $(B)/obj/$(1)/problems.o $(B)/obj/$(1)/sources.o $(B)/gen/names/CORE
	@mkdir -p $$(@D); rm -f $$@
	$(Q)ar rcs $$@ $$(filter %.o,$$^)
$(B)/obj/$(1)/%.o: %.cu $(B)/obj/nvcc | $(GEN)
	$$(call say,NVCC,$$< [$(1)])
	@mkdir -p $$(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) $(CUDA_MATH_$(1)) $(VARIANT_$(1)) $(INCLUDE) -MMD -MP -c $$< -o $$@
$(call objs,$(1),$(STAGES)): $(B)/obj/$(1)/%.o: $(B)/gen/%.cu $(B)/obj/nvcc | $(GEN)
	$$(call say,NVCC,$$< [$(1)])
	@mkdir -p $$(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) $(CUDA_MATH_$(1)) $(VARIANT_$(1)) $(INCLUDE) -MMD -MP -c $$< -o $$@
$(B)/lib/pipeline-$(1).a: $(call objs,$(1),$(PIPELINE)) $(B)/gen/names/PIPELINE
	@mkdir -p $$(@D); rm -f $$@
	$(Q)ar rcs $$@ $$(filter %.o,$$^)
endef
$(foreach v,f64 f32 san exact exact32,$(eval $(call variant_rules,$(v))))

$(B)/obj/f64/verbs.o: $(B)/gen/verbs.c $(B)/obj/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(HARDEN) $(INCLUDE) -MMD -MP -c $< -o $@

$(B)/obj/flags: FORCE
	@mkdir -p $(@D); echo '$(CC) $(filter-out -Werror,$(FLAGS)) $(HARDEN)' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/obj/nvcc: FORCE
	@mkdir -p $(@D); echo '$(NVCC) $(CUDA_OPT) $(CUDA_ARCH) $(CUDA_MATH_f64) $(CUDA_MATH_f32)' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# ---- programs --------------------------------------------------------------------------------------------------------
$(B)/sluice: $(call objs,f64,$(CLI)) $(B)/obj/f64/verbs.o $(B)/lib/pipeline-f64.a $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie -Wl,-z,relro,-z,now $^ $(LIBS_PIPELINE) $(LIBS_CLI) -o $@
# the solver and what measures it: with the backends of devices
$(B)/sluice-sim: $(call obj,f64,cmd/sluice-sim.c) $(call objs,f64,$(GPU)) $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_MPI) $(LIBS_CUDA) -o $@
$(B)/sluice-sim-f32: $(call obj,f32,cmd/sluice-sim.c) $(call objs,f32,$(GPU)) $(B)/lib/core-f32.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_MPI) $(LIBS_CUDA) -o $@
# of gpu/ only what statistics need
$(B)/lib/gpu-f64.a: $(call objs,f64,$(GPU)) $(B)/gen/names/GPU
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
$(B)/sluice-stats: $(B)/obj/f64/cmd/sluice-stats.o $(if $(GPU),$(B)/lib/gpu-f64.a) $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $(if $(GPU),-Wl$(comma)-u$(comma)sl_stats_cuda_open) $^ $(LIBS_MPI) $(LIBS_CUDA) -o $@
$(B)/sluice-%: $(B)/obj/f64/cmd/sluice-%.o $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_MPI) -o $@

# ---- tests: adding one is adding a file ------------------------------------------------------------------------------
UNIT := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*.c tests/law/*.c tests/problem/*.c tests/fuzz/*.c))
PERF := $(patsubst %.c,$(B)/%,$(wildcard tests/perf/*.c))
# linked by lld where clang has it: a quarter of the time
LLD := $(if $(findstring clang,$(CC)),$(if $(filter /%,$(shell $(CC) -print-prog-name=ld.lld)),-fuse-ld=lld))
# those whose head says "optimised:", or "optimised at length:", also with the libraries of the programs
OPTIMISED := $(patsubst %.c,$(B)/optimised/%,$(shell grep -lE '^ \* optimised( at length)?:' tests/law/*.c))
tests: $(UNIT) $(OPTIMISED) $(B)/tests/yield.so emulated
$(B)/tests/yield.so: tests/yield.c $(B)/obj/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -fPIC -shared $< -o $@
$(UNIT): $(B)/%: $(B)/obj/san/%.o $(B)/obj/san/tests/leaks.o $(B)/lib/pipeline-san.a $(B)/lib/core-san.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(VARIANT_san) $(LLD) -pie $^ -lcmocka $(LIBS_PIPELINE) $(LIBS_MPI) -o $@
$(OPTIMISED): $(B)/optimised/%: $(B)/obj/f64/%.o $(B)/lib/pipeline-f64.a $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(LLD) -pie $^ -lcmocka $(LIBS_PIPELINE) $(LIBS_MPI) -o $@
$(PERF:%=%-f32): $(B)/%-f32: $(B)/obj/f32/%.o $(call objs,f32,$(GPU)) $(B)/lib/core-f32.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_MPI) $(LIBS_CUDA) -o $@
$(PERF): $(B)/%: $(B)/obj/f64/%.o $(call objs,f64,$(GPU)) $(B)/lib/pipeline-f64.a $(B)/lib/core-f64.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_PIPELINE) $(LIBS_MPI) $(LIBS_CUDA) -o $@

# tests that need a device: with kernels that give the processor's bits; near.c and flux_register.c have those of the programs
DEVICE := $(patsubst %.c,$(B)/%,$(wildcard tests/gpu/*.c))
NEAR := $(B)/tests/gpu/near $(B)/tests/gpu/flux_register
$(filter-out $(NEAR),$(DEVICE)): $(B)/%: $(B)/obj/f64/%.o $(call objs,exact,$(GPU)) $(B)/lib/core-f64.a
$(NEAR): $(B)/%: $(B)/obj/f64/%.o $(call objs,f64,$(GPU)) $(B)/lib/core-f64.a
$(filter-out $(NEAR:%=%-f32),$(DEVICE:%=%-f32)): $(B)/%-f32: $(B)/obj/f32/%.o $(call objs,exact32,$(GPU)) $(B)/lib/core-f32.a
$(NEAR:%=%-f32): $(B)/%-f32: $(B)/obj/f32/%.o $(call objs,f32,$(GPU)) $(B)/lib/core-f32.a
$(DEVICE) $(DEVICE:%=%-f32):
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) -pie $^ -lcmocka $(LIBS_MPI) $(LIBS_CUDA) -o $@
# those that ask CUDA itself; what direct.c says for MPI is looked up by name, as that of a library
DIRECT := $(B)/tests/gpu/direct $(B)/tests/gpu/direct-f32
$(foreach v,f64 f32,$(call objs,$(v),tests/gpu/direct.c tests/gpu/deposit.c)): INCLUDE += $(if $(CUDART),-isystem $(dir $(CUDART))../include)
$(DIRECT): LIBS_CUDA += -Wl,--export-dynamic-symbol=MPIX_Query_cuda_support
check-gpu: $(DEVICE) $(DEVICE:%=%-f32)
	@SLUICE_TESTS=gpu tests/run $(T)

include tests/emulate/rules.mk

# all tests; a whole check also builds with the other compiler, and without CUDA. Each step is a make of its own: what it chooses may have
# been installed by the one before.
check:
	@.ci/packages check
	@$(MAKE) --no-print-directory found
	@$(MAKE) --no-print-directory -j$$(nproc) WERROR=yes lint all tests $(if $(T),,other devices)
	@tests/run $(T)

# what needs a device to run, as far as it needs no kernels of its own
devices: $(PERF) $(PERF:%=%-f32) $(if $(NVCC),$(NEAR) $(NEAR:%=%-f32) $(DEVICE:$(B)/%=$(B)/obj/f64/%.o) $(DEVICE:$(B)/%=$(B)/obj/f32/%.o))

# -O1 has most of the analyses that warnings come from, in three quarters of the time of -O2; -ftree-vrp adds gcc's of the ranges of
# values. Nothing runs what is made here. In single precision nothing more would be found: no warning of those above looks at widths of reals
OTHER := $(if $(findstring clang,$(CC)),gcc,clang-19)
OTHER_OPT := '-O1 $(if $(findstring clang,$(CC)),-ftree-vrp)'
other:
	@$(MAKE) --no-print-directory B=$(B)/$(OTHER) CC=$(OTHER) CUDA=no OPT=$(OTHER_OPT) CFLAGS=-g0 $(patsubst %,$(B)/$(OTHER)/%,sluice sluice-ic sluice-sim sluice-stats)

# on a private Slurm of four nodes (as root); check-long: with accounting, fifty nodes die instead of one, NFS, levels
# for a thousand steps, and starts of 256^3
check-slurm:
	@.ci/packages check
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@SLUICE_LONG=1 tests/run tests/slurm/
check-long:
	@.ci/packages long
	@$(MAKE) --no-print-directory -j$$(nproc) all tests emulated-long
	@SLUICE_LONG=1 SLUICE_KILLS=50 SLUICE_BUDGETS=50 SLUICE_WALLS=200 SLUICE_MEMBERS=1000 SLUICE_TEST_TIMEOUT=14400 \
		tests/run tests/slurm/
	@SLUICE_LONG=1 SLUICE_TEST_TIMEOUT=3600 tests/run cli/nfs
	@SLUICE_LONG=1 tests/run law/stop
	@SLUICE_LONG=1 tests/run law/calls
	@SLUICE_LONG=1 tests/run law/dual
	@SLUICE_LONG=1 SLUICE_TEST_TIMEOUT=3600 tests/run law/level
	@$(MAKE) --no-print-directory mutants M="--random 20"
	@SLUICE_LONG=1 SLUICE_TEST_TIMEOUT=10800 tests/run law/damage.sh
	@SLUICE_LONG=1 SLUICE_FAULT_SECONDS=9000 SLUICE_TEST_TIMEOUT=10800 tests/run law/faults.sh
	@SLUICE_LONG=1 tests/run gpu/
	@SLUICE_LONG=1 SLUICE_TEST_TIMEOUT=3600 tests/run law/cosmology_tables

# changes one line of the physics at a time: the quick tests of its file must fail (tests/mutants). M: words for run.py
mutants: $(B)/lib/pipeline-f64.a $(B)/lib/core-f64.a
	@SLUICE_COMPILE='$(filter-out ccache,$(CC)) $(filter-out -Werror -Wall -Wextra,$(FLAGS)) $(HARDEN) $(MPI_CFLAGS) $(HDF5_CFLAGS)' SLUICE_LINK='$(CC) -pie' \
	   SLUICE_LIBS='-lcmocka $(LIBS_PIPELINE) $(LIBS_MPI)' tests/mutants/run.py $(M)

lint: $(GEN)
	+@.ci/lint
format:
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format -i --style=file:.ci/clang-format

packages:
	@.ci/packages check
found:
	@.ci/found '$(CC)' '$(CUDA)' '$(if $(NVCC),$(CUDA_ARCH:%=sm_%))' '$(DIR_CFLAGS) $(MPI_CFLAGS) $(HDF5_CFLAGS)' '$(LIBS_MPI)'

demo:
	@.ci/packages build
	@$(MAKE) --no-print-directory found
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(B)/sluice run recipes/decaying-turbulence.yaml --dir $(B)/demo

# the campaigns of examples that keep their curves; their reports are build/examples/*/report/index.html
examples: $(PROGRAMS)
	@mkdir -p $(B)/examples
	@for r in examples/decay-of-turbulence/*.yaml; do $(B)/sluice run $$r --dir $(B)/examples/$$(basename $$r .yaml) || exit; done

# ---- installing: DESTDIR is put before every path, for those who make packages ---------------------------------------------
PREFIX ?= /usr/local
BIN := $(DESTDIR)$(PREFIX)/bin
SHARE := $(DESTDIR)$(PREFIX)/share
# beside recipes and examples, so that the links among them hold
GUIDES := $(wildcard *.md */*.md tests/perf/*.md .dist/*.md)
install: $(PROGRAMS)
	$(Q)install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/bash-completion/completions \
	   $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d $(SHARE)/doc/sluice $(SHARE)/sluice
	$(Q)install -m 755 $(PROGRAMS) $(BIN)
	$(Q)$(B)/sluice man > $(SHARE)/man/man1/sluice.1
	$(Q)$(B)/sluice man recipe > $(SHARE)/man/man5/sluice-recipe.5
	$(Q)$(B)/sluice completion bash > $(SHARE)/bash-completion/completions/sluice
	$(Q)$(B)/sluice completion zsh > $(SHARE)/zsh/site-functions/_sluice
	$(Q)$(B)/sluice completion fish > $(SHARE)/fish/vendor_completions.d/sluice.fish
	$(Q)install -m 644 LICENSE CHANGELOG.md CITATION.cff $(SHARE)/doc/sluice
	$(Q)cp --parents LICENSE CITATION.cff $(GUIDES) $(SHARE)/sluice
	$(Q)cp -r recipes examples $(SHARE)/sluice && chmod -R a+rX $(SHARE)/sluice
	$(Q)install -D -m 644 examples/python/sluice.py $(SHARE)/sluice/python/sluice.py
	$(Q).ci/document $(SHARE)/doc/sluice/html $(B)/sluice || { rm -rf $(SHARE)/doc/sluice/html; echo "the pages of \`make doc\` are left out"; }
	@echo "installed below $(DESTDIR)$(PREFIX)"

uninstall:
	rm -f $(PROGRAMS:$(B)/%=$(BIN)/%) $(SHARE)/man/man1/sluice.1 $(SHARE)/man/man5/sluice-recipe.5 \
	   $(SHARE)/bash-completion/completions/sluice $(SHARE)/zsh/site-functions/_sluice $(SHARE)/fish/vendor_completions.d/sluice.fish
	rm -rf $(SHARE)/doc/sluice $(SHARE)/sluice

# the source as in git with .dist/debian beside it: dpkg-buildpackage wants it there
deb:
	@rm -rf $(B)/deb && mkdir -p $(B)/deb/sluice
	@git ls-files -co --exclude-standard -z | xargs -0 cp -p --parents -t $(B)/deb/sluice
	@cp -r .dist/debian $(B)/deb/sluice/debian
	@cd $(B)/deb/sluice && dpkg-buildpackage -b -us -uc -d >../log 2>&1 || { tail -n 20 ../log; exit 1; }
	@ls $(B)/deb/*.deb

# one site: the guides, and pages made of the tables and heads of the headers and of what small runs write (pandoc)
doc: $(B)/sluice $(B)/sluice-ic $(B)/sluice-sim $(B)/sluice-stats
	@.ci/document $(B)/doc $(B)/sluice
	@echo "$(B)/doc/index.html"

bench: $(PROGRAMS) $(PERF) $(PERF:%=%-f32)
	@$(B)/sluice bench

clean:
	rm -rf $(B)

.SECONDARY:
-include $(shell [ -d $(B)/obj ] && find $(B)/obj $(wildcard $(E)) -name '*.d')
