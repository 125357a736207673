"""Nextflow -resume as it is by default: inputs by path, size and time."""
from adapters import nextflow_deep


class A(nextflow_deep.A):
    cache, publish = "standard", "mode: 'copy'"
