#!/bin/bash
# mutants - ten changes of single lines of the physics (tests/mutants), drawn anew each time: a test fails with each. Here and not
# after the tests, so that it builds and runs while others wait.
# first: it builds for half a minute
exec make -s -C "$SLUICE_TOP" mutants M="--sample 10"
