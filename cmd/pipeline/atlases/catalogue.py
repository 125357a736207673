"""Writes catalogue.txt from clones of TemplateFlow's repositories, without their annexed files:

    git clone https://github.com/templateflow/tpl-MNI152NLin2009cAsym
    git clone https://github.com/templateflow/tpl-MNI152NLin6Asym
    python catalogue.py tpl-MNI152NLin2009cAsym tpl-MNI152NLin6Asym > catalogue.txt

A line "TEMPLATE COMMIT" begins a template. A line "FILE SIZE DIGEST" is one of its files, without
the template's name; the digest of an annexed file is the MD5 that its link names, of another file
the SHA-1 of its git blob.
"""
import os
import re
import subprocess
import sys

for repository in sys.argv[1:]:
    def git(*words):
        return subprocess.run(["git", "-C", repository, *words], check=True, capture_output=True, text=True).stdout

    template = os.path.basename(os.path.abspath(repository))
    print(template, git("rev-parse", "HEAD").strip())
    for line in git("ls-tree", "-r", "HEAD").splitlines():
        meta, name = line.split("\t")
        mode, _, blob = meta.split()
        if not re.fullmatch(template + r"_.*(atlas|seg)-.*(dseg|probseg)\.(nii\.gz|tsv)", name):
            continue
        if "probseg.nii" in name and "DiFuMo" not in name:
            continue
        size, digest = git("cat-file", "-s", blob).strip(), blob
        if mode == "120000":
            size, digest = re.search(r"MD5E-s(\d+)--([0-9a-f]{32})", git("show", blob)).groups()
        print(name.removeprefix(template + "_"), size, digest)
