// Package command has the kinds that run commands.
package command
