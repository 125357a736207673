package prepare

import (
	"context"
	"fmt"

	"prgnn/connectivity"
	"prgnn/dag"
	"prgnn/numeric/random"
	"prgnn/stages/column"
	"prgnn/stages/region"
)

// resample appends random draws of the volumes to the one denoised series of a run, and returns the length of their
// blocks; 0 without draws.
func (s *Denoise) resample(ctx context.Context, in dag.Input, c *connectivity.Cleaner, cleaned []connectivity.Matrix,
	status []connectivity.Status) ([]connectivity.Matrix, int, error) {
	if s.Draws == 0 {
		return cleaned, 0, nil
	}
	if len(cleaned) > 1 {
		return nil, 0, fmt.Errorf("%s has %d random draws already (of voxels), and draws: %d asks for draws of volumes: set draws: 0 in one of the two stages", in.Name, len(cleaned)-1, s.Draws)
	}
	length := s.Block
	if length == 0 {
		length = connectivity.BlockLength(cleaned[0], status, c.Segments())
	}
	if kept := cleaned[0].Rows; length > kept || s.Block > 0 && 2*s.Block > kept {
		return nil, 0, fmt.Errorf("%s: block is %d, but only %d volumes are kept, and a draw of fewer than two blocks is the series itself, shifted: set a smaller block, or block: 0%s", in.Name, length, kept, column.OrExclude)
	}
	who := region.StreamOf("blocks", s.Subject, s.ScanRun, s.Session)
	for d := range s.Draws {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		stream := random.New(s.Seed, append(who, d+1)...)
		cleaned = append(cleaned, c.Resample(cleaned[0], status, length, stream.IntN))
	}
	return cleaned, length, nil
}
