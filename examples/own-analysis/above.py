"""above.py SNAPSHOT - how much of the volume and of the mass is denser than what, into above.csv."""
import sys

import numpy as np
import sluice

density = np.asarray(sluice.Snapshot(sys.argv[1])["dens"])
density /= density.mean()
threshold = np.logspace(-1, 1, 21)
volume = [(density > x).mean() for x in threshold]
mass = [density[density > x].sum() / density.sum() for x in threshold]
np.savetxt("above.csv", np.c_[threshold, volume, mass], delimiter=",", header="threshold,volume,mass")
