#!/bin/sh
# Gives the participants of a BIDS dataset other names: links to its images under new names, and
# copies of its texts (JSON, TSV, CSV, 1D) with the new names in them.
#
#   sh pseudonyms.sh fmriprep key.txt named
#
# key.txt has a line for each participant, the old name and the new one:
#
#   sub-50003 sub-p01
#   sub-50004 sub-p02
#
# sub- may be omitted. Give new names of letters and digits none of which is an old one, in an order
# of their own: the order of the old names may identify them. Keep key.txt where the names may be
# known. Nothing is written when a participant of the dataset is not in key.txt.
set -eu
[ $# -eq 3 ] || { echo "usage: pseudonyms.sh DATASET KEY NEW" >&2; exit 2; }
from=$(cd "$1" && pwd -P) to=$3
[ ! -e "$to" ] || { echo "$to is there already" >&2; exit 1; }
key=$(mktemp) rules=$(mktemp)
part=$to.part
trap 'rm -rf "$key" "$rules" "$part"' EXIT
awk 'function wrong(why) { print FILENAME ":" NR ": " why > "/dev/stderr"; bad = 1 }
     { sub(/\r$/, "") }
     NF == 0 { next }
     NF != 2 { wrong("not two names"); next }
     { sub(/^sub-/, "", $1); sub(/^sub-/, "", $2)
       if ($1 $2 !~ /^[A-Za-z0-9]+$/) wrong("a name has other characters than letters and digits")
       if ($1 in old) wrong("sub-" $1 " is there twice")
       if ($2 in new) wrong("sub-" $2 " is the new name of two participants")
       old[$1] = new[$2] = NR; print $1, $2 }
     END { for (name in new) if (name in old) { NR = new[name]; wrong("the new name sub-" name " is an old one, too") }
       exit bad }' "$2" > "$key"
missing=$({ find "$from" -name 'sub-*' | sed -n 's,.*/sub-\([A-Za-z0-9]*\)[^/]*$,\1,p'
	for table in "$from"/*participants.tsv; do
		[ ! -e "$table" ] || awk -F '\t' 'NR > 1 { sub(/\r$/, ""); sub(/^sub-/, "", $1); print $1 }' "$table"
	done; } | sort -u | awk 'NR == FNR { old[$1]; next } $1 != "" && !($1 in old) { print "sub-" $1 }' "$key" -)
[ -z "$missing" ] || { echo "$2 has no line for" $missing >&2; exit 1; }
awk '{ print "s/sub-" $1 "([^A-Za-z0-9]|$)/sub-" $2 "\\1/g" }' "$key" > "$rules"
mkdir -p "$part"
(cd "$from" && find . ! -type d) | while IFS= read -r name; do
	new=$part/$(printf '%s\n' "$name" | sed -E -f "$rules")
	mkdir -p "$(dirname "$new")"
	case $name in
	./*participants.tsv)
		awk -F '\t' -v OFS='\t' 'NR == FNR { split($0, of, " "); new[of[1]] = of[2]; next }
			FNR > 1 && $1 in new { $1 = new[$1] } { print }' "$key" "$from/$name" | sed -E -f "$rules" > "$new" ;;
	*.json | *.tsv | *.csv | *.1D) sed -E -f "$rules" "$from/$name" > "$new" ;;
	*.nii.gz | *.nii | *.mgz | *.tsv.gz | *.npy | *.txt | *.h5) ln -s "$from/$name" "$new" ;;
	esac # reports, logs and figures are left out: names stand in them
done
mv "$part" "$to"
