"""Nextflow -resume set up to be right: inputs by content, published files replaced.

By default a resumed run leaves a published file that is there (overwrite: false).
"""
from adapters import nextflow
from adapters.values import held, os


class A(nextflow.A):
    cache, publish = "deep", "mode: 'copy', overwrite: true"
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
        main = w.root / "main.nf"
        main.write_text(main.read_text().replace("mode: 'copy'", self.publish))

    def env(self, w):
        return super().env(w) | {"NXF_HOME": f"{w.root}.nextflow"}
