package stages

import (
	"testing"

	"prgnn/artifacts/encoding"
)

func (c *chain) nodes(t *testing.T) *encoding.Table {
	c.load(t)
	return c.Nodes
}
