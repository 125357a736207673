// Inside tells what a program sees in a container: inside INPUT OUTPUT PATH-OF-THE-HOST.
package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

func main() {
	in, out, host := os.Args[1], os.Args[2], os.Args[3]
	text, err := os.ReadFile(in)
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	var b strings.Builder
	say := func(what string, yes bool) { fmt.Fprintf(&b, "%s: %v\n", what, yes) }
	fmt.Fprintf(&b, "input: %s\n", text)
	say("writes its input", os.WriteFile(in, []byte("x"), 0o644) == nil)
	say("writes beside its input", os.WriteFile("inputs/x", []byte("x"), 0o644) == nil)
	say("writes into the image", os.WriteFile("/bin/x", []byte("x"), 0o644) == nil)
	say("writes where it starts", os.WriteFile("x", []byte("x"), 0o644) == nil)
	say("has a directory for temporary files", os.WriteFile(os.TempDir()+"/x", []byte("x"), 0o644) == nil)
	_, err = os.Stat(host)
	say("sees a file of the machine", err == nil)
	interfaces, err := net.Interfaces()
	other := 0
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 {
			other++
		}
	}
	say("has a network", err != nil || other > 0)
	for _, name := range []string{"TZ", "SET", "PASSED", "HIDDEN"} {
		fmt.Fprintf(&b, "%s=%s\n", name, os.Getenv(name))
	}
	dir, _ := os.Getwd()
	name, _ := os.Hostname()
	fmt.Fprintf(&b, "%s on %s\n", dir, name)
	fmt.Println("said")
	if err := os.WriteFile(out, []byte(b.String()), 0o644); err != nil {
		fmt.Println(err)
		os.Exit(4)
	}
	if len(os.Args) > 4 {
		time.Sleep(time.Hour) // until it is stopped; select {} would be a deadlock to Go, and end at once
	}
}
