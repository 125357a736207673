"""Kedro told to run only what has no output: it looks whether files exist, at nothing else."""
from adapters import kedro


class A(kedro.A):
    name = "Kedro --only-missing-outputs"

    def cmd(self, w, j=2, target=None):
        return super().cmd(w, j) + ["--only-missing-outputs"]
