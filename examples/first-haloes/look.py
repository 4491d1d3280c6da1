"""The numbers of the walk-through: python3 look.py CAMPAIGN EXPORT, with sluice.py beside it or in PYTHONPATH."""
import sys

import h5py
import numpy as np
import sluice

campaign = sluice.open(sys.argv[1])
group, member = campaign.groups[0], campaign[0]

power = group.statistic("matter_particles")
for shell in (0, 2, 4):
    print(f"power_{shell + 1} {power['power_mean'][shell] / power['nonlinear_mean'][shell]:.3f}"
          f" +- {power['power_error'][shell] / power['nonlinear_mean'][shell]:.3f} of HALOFIT at k = {power['k'][shell]:.2f} h/Mpc")

mass = group.statistic("halo_mass_function")
for bin in (0, 2, 4):
    print(f"haloes_{bin + 1} {mass['dn_dlnm_mean'][bin] / mass['crocce_mean'][bin]:.3f}"
          f" +- {mass['dn_dlnm_error'][bin] / mass['crocce_mean'][bin]:.3f} of Crocce et al. at {mass['mass'][bin]:.1e} Msun/h")

haloes = member.statistic("haloes")
print(f"largest {haloes['particles'][0]:.0f} particles within friends of friends, of {len(haloes['particles'])} haloes")

# the export has the particles of the last snapshot, with their ids
with h5py.File(sys.argv[2]) as f:
    unit = f["Header"].attrs["BoxSize"] / member.parameters["mesh.box"][1]  # of a Mpc/h
    place, ids = f["PartType1/Coordinates"][...] / unit, f["PartType1/ParticleIDs"][...]
again = member.snapshots[-1].particles(ids)
off = np.abs(place - np.array([again[axis] for axis in "xyz"]).T).max()
print(f"exported {len(place)} particles, at most {off:.0e} Mpc/h from those of the snapshot")
