package echo

import (
	"context"
	"fmt"
	"testing"

	"prgnn/artifacts/encoding"
	"prgnn/dag"
	"prgnn/internal/need"
)

func TestEcho(t *testing.T) {
	for _, c := range []struct {
		value string
		dtype string
		shape int
	}{{"3", "<f8", 0}, {"0.5", "<f8", 0}, {"héllo", "|u1", 1}, {"", "|u1", 1}} {
		e := &Echo{Value: c.value}
		out := need.Value(e.Run(context.Background(), dag.NewTask(nil)))(t)
		a := out["value"].(*encoding.Array)
		if a.DType() != c.dtype || len(a.Shape) != c.shape {
			t.Errorf("echo %q: %s %v", c.value, a.DType(), a.Shape)
		}
		if c.shape == 1 {
			if text, _ := encoding.Data[uint8](a); string(text) != c.value {
				t.Errorf("echo %q gives %q", c.value, text)
			}
		} else if x, _ := encoding.Data[float64](a); fmt.Sprint(x[0]) != c.value {
			t.Errorf("echo %q gives %v", c.value, x)
		}
	}
}
