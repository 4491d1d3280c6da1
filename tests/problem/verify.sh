#!/bin/bash
# verify.sh - the short rows of the verification suite (pipeline/suite/suite.def): problems with known answers, in 1D, 2D and 3D,
# each compared with its limit. `sluice verify --all` runs the long ones too.
# first: minutes
exec sluice verify
