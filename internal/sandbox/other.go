//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os"
)

// Available reports why this machine cannot confine commands.
func Available() error { return errors.New("only Linux has the namespaces that it needs") }

// Run refuses.
func Run(context.Context, *Command, *os.File) (*os.ProcessState, error) { return nil, Available() }
