package disk

import (
	"context"

	"prgnn/artifacts"
	"prgnn/artifacts/memo"
)

// HashFile digests a file outside the store, or takes the digest from the last time that it was read, unless its size,
// times or place have changed or rehash is set (see memo.Files.Hash). The Ref has no format. The error is
// artifacts.ErrChanged if the file changes while it is read.
func (s *Store) HashFile(ctx context.Context, path string, rehash bool) (artifacts.Ref, error) {
	d, n, err := s.files.Hash(ctx, path, rehash)
	return artifacts.Ref{Digest: d, Size: n}, err
}

func hashFile(ctx context.Context, path string) (artifacts.Ref, error) {
	d, n, err := memo.HashFile(ctx, path)
	return artifacts.Ref{Digest: d, Size: n}, err
}
