#!/bin/sh
# Gives the participants of a BIDS dataset other names: links to its images under new names, and
# copies of its texts (JSON, TSV, CSV, 1D) with the new names in them.
#
#   sh pseudonyms.sh fmriprep key.txt named
#
# key.txt has a line for each participant, the old name and the new one, without sub-:
#
#   50003 p01
#   50004 p02
#
# Give new names of letters and digits none of which is an old one, in an order of their own: the
# order of the old names may tell them. Keep key.txt where the names may be known.
set -eu
[ $# -eq 3 ] || { echo "usage: pseudonyms.sh DATASET KEY NEW" >&2; exit 2; }
from=$(cd "$1" && pwd -P) to=$3
[ ! -e "$to" ] || { echo "$to is there already" >&2; exit 1; }
mkdir -p "$to"
rules=$(mktemp)
trap 'rm -f "$rules"' EXIT
awk 'NF == 2 { print "s/sub-" $1 "([^A-Za-z0-9]|$)/sub-" $2 "\\1/g" }
     NF != 0 && NF != 2 { print FILENAME ":" NR ": not two names" > "/dev/stderr"; exit 1 }' "$2" > "$rules"
(cd "$from" && find . ! -type d) | while IFS= read -r name; do
	new=$to/$(printf '%s\n' "$name" | sed -E -f "$rules")
	mkdir -p "$(dirname "$new")"
	case $name in
	*.json | *.tsv | *.csv | *.1D) sed -E -f "$rules" "$from/$name" > "$new" ;;
	*.nii.gz | *.nii | *.mgz | *.tsv.gz | *.npy | *.txt | *.h5) ln -s "$from/$name" "$new" ;;
	esac # reports, logs and figures stay behind: names stand in them
done
if left=$(cd "$to" && find . -name 'sub-*' -prune | sed 's,.*/sub-,,' | while IFS= read -r id; do
	awk -v id="$id" '{ new[$2] = 1 } END { if (!(id in new)) print id }' "$2"
done | sort -u) && [ -n "$left" ]; then
	echo "not in $2, and so under their old names:" $left >&2
	exit 1
fi
