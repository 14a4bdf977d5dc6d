"""NumPy, HDF5, netCDF and other scientific files: tables where they are, descriptions else."""
