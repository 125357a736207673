package address

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"prgnn/artifacts"
	"prgnn/internal/need"
)

// A server that does not say when objects were changed is as good as any: nobody asks.
func TestS3WithoutDates(t *testing.T) {
	const content = "prgnn"
	for _, date := range []string{"", "yesterday"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if date != "" {
				w.Header().Set("Last-Modified", date)
			}
			w.Header().Set("ETag", `"0"`)
			if r.URL.Path != "/lab/p/there" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			io.WriteString(w, content)
		}))
		defer server.Close()
		for name, value := range map[string]string{
			"AWS_ENDPOINT_URL": server.URL, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1",
			"AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": "testkey12345", "AWS_SECRET_ACCESS_KEY": "testsecret12345",
		} {
			t.Setenv(name, value)
		}
		r := need.Value(Open("s3://lab/p"))(t)
		ctx := context.Background()
		if n, err := r.Size(ctx, "there"); n != int64(len(content)) || err != nil {
			t.Errorf("date %q: size %d, %v", date, n, err)
		}
		if body, err := r.Get(ctx, "there"); err != nil {
			t.Errorf("date %q: %v", date, err)
		} else if b, err := io.ReadAll(body); string(b) != content || err != nil {
			t.Errorf("date %q: %q, %v", date, b, err)
		}
		if _, err := r.Size(ctx, "absent"); !errors.Is(err, artifacts.ErrMiss) {
			t.Errorf("date %q: absent: %v", date, err)
		}
	}
}
