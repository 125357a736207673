// Package prgnn embeds the sources of the stage kinds: the program compares them with the listing of
// their code identities. See docs/decisions/0013-sources.md.
package prgnn
