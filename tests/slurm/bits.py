#!/usr/bin/python3
"""bits.py CAMPAIGN - one hash of what a campaign computed, without provenance and times: histories, fields of all
snapshots, statistics of members and ensemble."""
import glob
import hashlib
import sys

import h5py
import numpy

top = sys.argv[1]
total = hashlib.sha256()
files = 0


def take(name, item):
    if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu":
        total.update(name.encode() + numpy.ascontiguousarray(item[...]).tobytes())


for path in sorted(glob.glob(top + "/members/*/history.tsv") + glob.glob(top + "/members/*/stats/*.csv") + glob.glob(top + "/ensemble/*.csv")):
    total.update("".join(x for x in open(path) if not x.startswith("#")).encode())
    files += 1
for path in sorted(glob.glob(top + "/members/*/stats.h5")):
    with h5py.File(path, "r") as f:
        f.visititems(take)
        files += 1
for path in sorted(glob.glob(top + "/members/*/snapshots/*_plt_cnt_????")):
    with h5py.File(path, "r") as f:
        for name in sorted(f):
            if len(name) == 4:  # fields have names of four letters
                take(name, f[name])
                files += 1
assert files > 0, "nothing found in " + top
print(files, total.hexdigest())
