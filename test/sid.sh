#!/usr/bin/env bash
# Programs that Debian's stable release lacks, out of Debian sid: Apptainer and Python 3.14, as
# DIR/bin/apptainer and DIR/bin/python3.14. Run as root: test/sid.sh DIR. It takes a minute and 500 MB, once.
# "DIR/bin/in-sid COMMAND" runs a command in the root directory of sid, where there is no Go.
#
# Apptainer runs in a root directory of sid, with /tmp of this machine at its place. Python runs in
# this machine's root, with the C library of sid.
set -euo pipefail

dir=$(realpath -m "$1")
[ ! -x "$dir/bin/apptainer" ] || exit 0
rm -rf "$dir"
mkdir -p "$dir/bin" "$dir/python/bin" "$dir/python/lib" "$dir/python/libs"
root=$dir/root
# From where this machine takes its packages.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -1)
debootstrap --variant=minbase --include=apptainer,python3.14,python3.14-venv sid "$root" "$mirror" >"$dir/log" 2>&1 ||
	{ tail "$dir/log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb

# Within a container root lacks capabilities that Apptainer would ask for.
sed -i 's/^root default capabilities = .*/root default capabilities = no/' "$root/etc/apptainer/apptainer.conf"

python=$dir/python
cp "$root/usr/bin/python3.14" "$python/bin/"
cp -a "$root/usr/lib/python3.14" "$python/lib/"
for so in "$python/bin/python3.14" "$python"/lib/python3.14/lib-dynload/*.so; do
	chroot "$root" ldd "/usr${so#"$python"}" | grep -o '/[^ ]*\.so[^ ]*' || true
done | sort -u | while read -r so; do cp -L "$root$so" "$python/libs/"; done
sed -i "s|sysconfig.get_config_var('WHEEL_PKG_DIR')|'$root/usr/share/python-wheels'|" "$python/lib/python3.14/ensurepip/__init__.py"
loader=$(basename "$(patchelf --print-interpreter "$python/bin/python3.14")")
patchelf --set-interpreter "$python/libs/$loader" --force-rpath --set-rpath "$python/libs" "$python/bin/python3.14"
ln -s ../python/bin/python3.14 "$dir/bin/python3.14"

# The new root is mounted, since Apptainer looks for the mount that holds a path.
cat >"$dir/enter" <<'S'
set -e
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1 tmp=${TMPDIR:-/tmp} at=$PWD
shift
mount --make-rprivate /
mount --bind "$root" "$root"
for d in /proc /dev /sys /tmp "$tmp"; do
	mkdir -p "$root$d"
	mount --rbind "$d" "$root$d"
done
cd "$root"
mkdir -p old
pivot_root . old
umount -l /old
cd "$at" 2>/dev/null || cd /
exec "$@"
S
cat >"$dir/bin/in-sid" <<S
#!/bin/sh
exec /usr/bin/unshare --mount /bin/sh "$dir/enter" "$root" "\$@"
S
cat >"$dir/bin/apptainer" <<S
#!/bin/sh
exec "$dir/bin/in-sid" apptainer "\$@"
S
chmod +x "$dir/bin/in-sid" "$dir/bin/apptainer"
