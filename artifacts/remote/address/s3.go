package address

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"prgnn/artifacts"
	"prgnn/artifacts/remote"
	"prgnn/internal/regular"
)

// A bucket is a remote in a bucket of a store that speaks S3.
type bucket struct {
	client *minio.Client
	name   string
	prefix string
}

func openS3(name, prefix string) (remote.Pruner, error) {
	b := bucket{name: name, prefix: prefix}
	if name == "" {
		return nil, fmt.Errorf("remote s3:///%s: the bucket is missing: write s3://bucket/prefix", prefix)
	}
	endpoint, err := url.Parse(cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com"))
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("remote %s: AWS_ENDPOINT_URL is not an address such as https://s3.example.org", b)
	}
	lookup, valid := minio.BucketLookupAuto, s3utils.CheckValidBucketNameStrict
	if endpoint.Hostname() != "s3.amazonaws.com" {
		lookup = minio.BucketLookupPath // servers of one's own have no name for each bucket
		valid = s3utils.CheckValidBucketName
	}
	if valid(name) != nil {
		return nil, fmt.Errorf("remote %s: %q is not a valid bucket name by the rules of S3: 3 to 63 lower-case letters, digits, - and ., "+
			"a letter or digit first and last, and no IP address", b, name)
	}
	b.client, err = minio.New(endpoint.Host, &minio.Options{
		Creds:        credentials.NewChainCredentials(chain()),
		Secure:       endpoint.Scheme == "https",
		Region:       cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Transport:    plainAnswers{transport()},
		BucketLookup: lookup,
		MaxRetries:   2,
	})
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", b, err)
	}
	return b, nil
}

// chain is where credentials are looked for, in this order.
func chain() []credentials.Provider {
	c := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		c = append(c, &credentials.IAM{Client: &http.Client{Transport: transport(), Timeout: 2 * time.Second}})
	}
	return c
}

// dialsAtOnce is how many connections are opened at once: small servers let few wait to be accepted, and drop others.
const dialsAtOnce = 4

// transport gives up on a server that does not answer; how long an object may take
// is for those who ask.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dialer := &net.Dialer{Timeout: 3 * time.Second, KeepAlive: 30 * time.Second}
	dials := make(chan struct{}, dialsAtOnce)
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		select {
		case dials <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-dials }()
		return dialer.DialContext(ctx, network, address)
	}
	t.TLSHandshakeTimeout = 5 * time.Second
	t.ResponseHeaderTimeout = answer
	t.MaxIdleConns = 0 // without limit
	t.MaxIdleConnsPerHost = 2 * remote.Lookups
	t.DisableCompression = true // bytes as they are
	return t
}

// plainAnswers bounds every answer that is not the content of an object: the client reads
// those into memory, and reads on to their end when it is done with them. It dates those at
// the epoch that have no date, which the client would refuse.
type plainAnswers struct{ http.RoundTripper }

const longestAnswer = 1 << 20 // bytes; an answer of S3 has some hundreds

func (p plainAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if _, err := http.ParseTime(resp.Header.Get("Last-Modified")); err != nil {
		resp.Header.Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
	}
	content := r.Method == http.MethodGet && r.URL.RawQuery == "" // of an object
	if !(content && resp.StatusCode < 300) {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, longestAnswer), resp.Body}
	}
	return resp, nil
}

func (b bucket) String() string { return "s3://" + path.Join(b.name, b.prefix) }

func (b bucket) Size(ctx context.Context, name string) (int64, error) {
	info, err := b.client.StatObject(ctx, b.name, path.Join(b.prefix, name), minio.StatObjectOptions{})
	return info.Size, understood(err)
}

func (b bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	// Core's call asks once; the object of the client's own asks again for each part.
	body, _, _, err := minio.Core{Client: b.client}.GetObject(ctx, b.name, path.Join(b.prefix, name),
		minio.GetObjectOptions{})
	return body, understood(err)
}

func (b bucket) Put(ctx context.Context, name, file string) error {
	f, err := regular.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	err = unstalled(ctx, func(ctx context.Context, alive func()) error {
		_, err := b.client.PutObject(ctx, b.name, path.Join(b.prefix, name), f, fi.Size(), minio.PutObjectOptions{
			ContentType: "application/octet-stream",
			Progress:    sentBytes{alive},
		})
		return err
	})
	if r := minio.ToErrorResponse(err); err != nil && r.StatusCode == http.StatusForbidden && r.Code == "AccessDenied" {
		return fmt.Errorf("%w: %w", artifacts.ErrReadOnly, err)
	}
	return understood(err)
}

// List asks for 500 objects at a time: an answer is bounded.
func (b bucket) List(ctx context.Context, part string, each func(remote.Object)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := ""
	if b.prefix != "" {
		prefix = b.prefix + "/"
	}
	options := minio.ListObjectsOptions{Prefix: prefix + part + "/", Recursive: true, MaxKeys: 500}
	for o := range b.client.ListObjects(ctx, b.name, options) {
		if o.Err != nil {
			return understood(o.Err)
		}
		each(remote.Object{Name: strings.TrimPrefix(o.Key, prefix), Size: o.Size, Changed: o.LastModified})
	}
	return ctx.Err()
}

func (b bucket) Remove(ctx context.Context, name string, after time.Time) error {
	name = path.Join(b.prefix, name)
	info, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	if err == nil && !info.LastModified.After(after) {
		err = b.client.RemoveObject(ctx, b.name, name, minio.RemoveObjectOptions{})
	}
	if err = understood(err); errors.Is(err, artifacts.ErrMiss) {
		return nil
	}
	return err
}

// Touch copies an object over itself, which the server does alone, and only where that changes something about it.
func (b bucket) Touch(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*answer) // of 5 GB the server makes a copy, too
	defer cancel()
	name = path.Join(b.prefix, name)
	info, err := b.client.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
	now := time.Now()
	if err != nil || now.Sub(info.LastModified) < remote.Grace/4 {
		return understood(err)
	}
	_, err = b.client.ComposeObject(ctx, minio.CopyDestOptions{
		Bucket: b.name, Object: name, ContentType: "application/octet-stream",
		ReplaceMetadata: true, UserMetadata: map[string]string{"used": now.UTC().Format(time.RFC3339Nano)},
	}, minio.CopySrcOptions{Bucket: b.name, Object: name})
	if err != nil {
		return artifacts.ErrMiss // not every server and not every user can copy
	}
	return nil
}

// sentBytes hears of the bytes that were sent.
type sentBytes struct{ alive func() }

func (s sentBytes) Read(p []byte) (int, error) { // as S3's client tells it
	s.alive()
	return len(p), nil
}

// unstalled ends what sends bytes when none has been taken for as long as an answer may take: a server
// that stops reading would hold us for ever.
func unstalled(ctx context.Context, send func(ctx context.Context, alive func()) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stalled := time.AfterFunc(answer, cancel)
	defer stalled.Stop()
	err := send(ctx, func() { stalled.Reset(answer) })
	if err != nil && ctx.Err() != nil && !stalled.Stop() {
		return fmt.Errorf("no answer for %v: %w", answer, os.ErrDeadlineExceeded)
	}
	return err
}

// answer is how long a server may take to say something.
const answer = 20 * time.Second

// understood says what an answer of the server means for a store.
func understood(err error) error {
	if err == nil {
		return nil
	}
	switch r := minio.ToErrorResponse(err); {
	case r.Code == "NoSuchBucket":
		return fmt.Errorf("%w: no such bucket", remote.ErrRefused)
	case r.StatusCode == http.StatusNotFound:
		return artifacts.ErrMiss
	case r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%w: %w: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile AWS_PROFILE, must be allowed to list, read and write there", remote.ErrRefused, err)
	}
	return err
}
