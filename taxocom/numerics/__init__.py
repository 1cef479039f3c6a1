"""Arrays in, arrays out: the sphere, the training kernels, clustering and vMF. The only importer of numba."""
