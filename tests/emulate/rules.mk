# rules.mk - kernels on a processor that emulates a device: neither a device nor nvcc is needed. The Makefile includes it,
# and it uses the names of the Makefile.
# Emulated are the tests of tests/gpu but stats.c, which needs cuFFT, and the solver, with transforms and messages of tests/emulate.
E := $(B)/emulate
EMULATE_OPT ?= -O2
CXX := $(patsubst gcc%,g++%,$(patsubst clang%,clang++%,$(CC)))
# fibers jump from stack to stack, which hardened jumps refuse
CXX_FLAGS = -std=c++17 -D_GNU_SOURCE -U_FORTIFY_SOURCE $(EMULATE_OPT) -g1 $(MARCH) $(MATH) -fPIE
EMULATED := $(filter-out %/stats,$(DEVICE:$(B)/%=$(E)/%))
STAND_INS := emulate fft nccl
EMULATED_KERNELS := $(KERNELS:%=$(E)/%)
BACKEND := $(call objs,f64,$(filter-out gpu/fft.c gpu/nccl.c,$(wildcard gpu/*.c))) $(STAND_INS:%=$(E)/tests/emulate/%.o)
# kernels of near.c: divisions and square roots in their short forms
SHORT := $(patsubst $(E)/%.cu,$(E)/short/%.o,$(EMULATED_KERNELS))
TRANSLATED := $(EMULATED_KERNELS) $(patsubst %,$(E)/%,$(wildcard gpu/*.cuh) core/cell/short.h)
TRANSLATE = perl tests/emulate/translate $< > $@.new && mv $@.new $@
$(filter-out $(STAGES:%=$(E)/%),$(TRANSLATED)): $(E)/%: % tests/emulate/translate
	@mkdir -p $(@D)
	$(Q)$(TRANSLATE)
$(STAGES:%=$(E)/%): $(E)/%: $(B)/gen/% tests/emulate/translate
	@mkdir -p $(@D)
	$(Q)$(TRANSLATE)
CXX_KERNEL = $(CXX) -x c++ $(CXX_FLAGS) -w -include tests/emulate/cuda_runtime.h -I$(E) -Itests/emulate $(INCLUDE) -MMD -MP
$(EMULATED_KERNELS:.cu=.o): %.o: %.cu $(TRANSLATED) $(B)/obj/flags | $(GEN)
	$(call say,CXX,$<)
	$(Q)$(CXX_KERNEL) -c $< -o $@
$(SHORT): $(E)/short/%.o: $(E)/%.cu $(TRANSLATED) $(B)/obj/flags | $(GEN)
	$(call say,CXX,$< [short])
	@mkdir -p $(@D)
	$(Q)$(CXX_KERNEL) -D__CUDA_ARCH__=900 -c $< -o $@
$(E)/%.o: %.cpp $(B)/obj/flags
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) -Wall -Wextra -Werror -I. -MMD -MP -c $< -o $@
$(E)/tests/gpu/%.o: tests/gpu/%.c $(B)/obj/flags | $(GEN)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(HARDEN) -Itests/emulate $(INCLUDE) $(MPI_CFLAGS) $(HDF5_CFLAGS) -MMD -MP -c $< -o $@
$(E)/tests/emulate/%.o: tests/emulate/%.c $(B)/obj/flags | $(GEN)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(HARDEN) $(INCLUDE) $(MPI_CFLAGS) -MMD -MP -c $< -o $@
$(E)/tests/gpu/near: $(SHORT)
$(filter-out %/near,$(EMULATED)) $(E)/sluice-sim: $(EMULATED_KERNELS:.cu=.o)
$(EMULATED): $(E)/%: $(E)/%.o $(BACKEND) $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $^ -lcmocka $(LIBS_MPI) -Wl,--export-dynamic-symbol=MPIX_Query_cuda_support -lstdc++ -ldl -o $@
$(E)/sluice-sim: $(B)/obj/f64/cmd/sluice-sim.o $(BACKEND) $(B)/lib/core-f64.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(FLAGS) -pie $^ $(LIBS_MPI) -lstdc++ -ldl -o $@
# of these what a plain check runs, as their heads say
emulated: $(patsubst %.c,$(E)/%,$(shell grep -l '^ \* emulated:' tests/gpu/*.c)) $(E)/sluice-sim
emulated-long: emulated $(EMULATED)
