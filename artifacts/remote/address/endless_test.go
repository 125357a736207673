package address

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"prgnn/internal/need"
)

// An answer without end, as an error or as the place of a bucket, is read to a limit.
func TestEndlessAnswers(t *testing.T) {
	var sent atomic.Int64
	chunk := make([]byte, 1<<16)
	for i := range chunk {
		chunk[i] = 'x'
	}
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		for _, region := range []string{"us-east-1", ""} {
			sent.Store(0)
			endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Last-Modified", "Sun, 01 Mar 2026 12:00:00 GMT")
				w.WriteHeader(status)
				w.Write([]byte("<Error><Message>"))
				for n, err := 0, error(nil); err == nil; n, err = w.Write(chunk) {
					sent.Add(int64(n))
				}
			}))
			for name, value := range map[string]string{
				"AWS_ENDPOINT_URL": endless.URL, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": region, "AWS_DEFAULT_REGION": "",
				"AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": "testkey12345", "AWS_SECRET_ACCESS_KEY": "testsecret12345",
			} {
				t.Setenv(name, value)
			}
			r, err := Open("s3://lab/p")
			need.NoError(t, err)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			body, err := r.Get(ctx, "actions/ab/abcdef")
			if err == nil {
				body.Close()
			}
			if ctx.Err() != nil {
				t.Errorf("status %d, region %q: it reads to the end of time (%d MB were sent)", status, region, sent.Load()>>20)
			}
			cancel()
			endless.CloseClientConnections()
			endless.Close()
		}
	}
}
