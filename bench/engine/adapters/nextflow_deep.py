"""Nextflow -resume, inputs by content (cache 'deep'); also looks at a lost file of its work directory."""
from adapters import nextflow
from adapters.values import held, os


class A(nextflow.A):
    cache = "deep"
    mid_mutable, root = True, None

    @property
    def name(self):
        return f"Nextflow -resume (cache {self.cache})"

    @property
    def inter(self):
        return held(self.root, "work")

    def gen(self, w):
        self.root = w.root
        os.environ["NF_CACHE"] = self.cache
        super().gen(w)

    def env(self, w):
        return super().env(w) | {"NXF_HOME": f"{w.root}.nextflow"}
