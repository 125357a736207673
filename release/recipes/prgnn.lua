-- Lmod: unpack the archive of the release as ROOT/prgnn/<<.Version>>, and put this file on
-- MODULEPATH as prgnn/<<.Version>>.lua. ROOT is $PRGNN_ROOT, or /opt.
whatis("Name: prgnn")
whatis("Version: <<.Version>>")
whatis("Description: from fMRI scans to the brain regions that distinguish two groups")
help([[pipeline --help lists the commands; pipeline bids-app is the BIDS App.]])

local base = pathJoin(os.getenv("PRGNN_ROOT") or "/opt", "prgnn", "<<.Version>>")
prepend_path("PATH", base)
conflict("prgnn")
