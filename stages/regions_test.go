package stages

import (
	"testing"

	"prgnn/artifacts"
)

func (c *chain) nodes(t *testing.T) *artifacts.Table {
	c.load(t)
	return c.Nodes
}
