"""Softmax regression with soft labels and weights, which scikit-learn does not offer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp

from taxocom.numerics.arrays import Doubles
from taxocom.numerics.blas import one_blas_thread


@dataclass(frozen=True)
class Softmax:
    """A linear classifier: `weights` (n_features, n_classes) and `bias` (n_classes,)."""

    weights: Doubles
    bias: Doubles

    def log_probabilities(self, features: sparse.csr_array) -> Doubles:
        """Return the log probability of each class, shape (n, n_classes)."""
        scores = np.asarray(features @ self.weights) + self.bias
        return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))


def fit_softmax(
    features: sparse.csr_array,
    targets: Doubles,
    *,
    example_weights: Doubles | None = None,
    start: Softmax | None = None,
    penalty: float = 1e-4,
    iterations: int = 60,
) -> Softmax:
    """Minimise the weighted mean cross-entropy to `targets` (n, n_classes) plus half the penalty times |weights|²."""
    n_features, n_classes = features.shape[1], targets.shape[1]
    mass = np.ones(len(targets)) if example_weights is None else np.asarray(example_weights, dtype=np.float64)
    total = max(float(mass.sum()), 1e-12)
    transposed = sparse.csr_array(features.T)

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        model = _unpacked(flat, n_features, n_classes)
        logs = model.log_probabilities(features)
        slope = (np.exp(logs) * targets.sum(axis=1, keepdims=True) - targets) * (mass / total)[:, None]
        gradient = np.concatenate([np.asarray(transposed @ slope) + penalty * model.weights, slope.sum(axis=0)[None]])
        value = -float((mass / total) @ (targets * logs).sum(axis=1)) + 0.5 * penalty * float(np.sum(model.weights**2))
        return value, gradient.ravel()

    begin = np.zeros((n_features + 1) * n_classes)
    if start is not None:
        begin = np.concatenate([start.weights, start.bias[None]]).ravel()
    # The optimiser's many small products are a hundred times slower where threads wait for one another.
    with one_blas_thread():
        found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return _unpacked(found.x, n_features, n_classes)


def _unpacked(flat: Doubles, n_features: int, n_classes: int) -> Softmax:
    rows = flat.reshape(n_features + 1, n_classes)
    return Softmax(rows[:-1], rows[-1])
