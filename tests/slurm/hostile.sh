#!/bin/bash
# hostile.sh - the matrix of tests/slurm/hostile.py: every text of a recipe, a site, a command line and an environment x 60
# payloads that would like to be commands. An eighth of it, drawn at random; all with SLUICE_LONG.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
export PATH=$here/fake:$PATH FAKE_SLURM=$work/slurm XDG_CONFIG_HOME=$work/home SLUICE_PROGRAMS=$here/../cli/fake FAKE_STEPS=1 FAKE_NAP=0
mkdir -p "$work/slurm"
/usr/bin/python3 "$here/hostile.py" "$work"
