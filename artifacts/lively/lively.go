// Package lively copies what comes from far away for as long as bytes keep coming.
package lively

import (
	"context"
	"errors"
	"io"
	"time"
)

var errStalled = errors.New("no data arrived for several seconds")

// Copy copies at most so many bytes, and fails when none arrives for longer than patience.
func Copy(ctx context.Context, w io.Writer, open func(context.Context) (io.ReadCloser, error), most int64,
	patience time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(patience, func() { cancel(errStalled) })
	defer stalled.Stop()
	body, err := open(ctx)
	if err == nil {
		defer body.Close()
		_, err = io.Copy(w, &reader{io.LimitReader(body, most), func() { stalled.Reset(patience) }})
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStalled) {
		return cause
	}
	return err
}

// A reader reports that bytes come.
type reader struct {
	io.Reader
	alive func()
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.alive()
	}
	return n, err
}
