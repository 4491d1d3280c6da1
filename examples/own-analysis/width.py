"""width.py MEMBER - the width of the logarithm of the density by volume, at each snapshot, into width.csv."""
import os
import sys

import numpy as np
import sluice

campaign, name = os.path.split(os.path.dirname(sys.argv[1]))[0], os.path.basename(sys.argv[1])
member = sluice.open(campaign)[name]
rows = [(s.time, np.log(np.asarray(s["dens"])).std()) for s in member.snapshots]
np.savetxt("width.csv", rows, delimiter=",", header="time,width")
