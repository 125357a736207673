package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "change nothing; say whether the generated file is up to date")
	units := flag.String("units", "", "print the declarations that the kind of this name reaches, and change nothing")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: codeid [-check | -units KIND] DIR\n\n"+
			"Writes DIR/"+generatedFile+": the code identities of the stage kinds that the package in DIR declares.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), *check, *units); err != nil {
		fmt.Fprintln(os.Stderr, "codeid:", err)
		os.Exit(1)
	}
}

// generatedFile is where the table stands, in the directory of the kinds.
const generatedFile = "code_gen.go"

func run(out io.Writer, dir string, check bool, units string) error {
	p, err := newLoader().load(dir)
	if err != nil {
		return err
	}
	kinds, err := p.kinds()
	if err != nil {
		return err
	}
	if units != "" {
		return printUnits(out, kinds, units)
	}
	want := generate(p.root.types.Name(), kinds)
	path := filepath.Join(dir, generatedFile)
	have, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(have, want):
		return nil
	case check:
		return fmt.Errorf("%s is not what the source says; to make it again: go generate %s", path, dir)
	}
	return os.WriteFile(path, want, 0o666)
}

func printUnits(out io.Writer, kinds []kind, name string) error {
	for _, k := range kinds {
		if k.name == name {
			for _, u := range k.units {
				fmt.Fprintf(out, "%.8x %s %s\n", u.digest, u.file, u.name)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no stage kind %q", name)
}
