// Package address has the places that stores of many machines share: a directory, and a bucket of any store that
// speaks S3.
//
// A place holds what a store holds, under the same names: blobs/ab/<sha256>,
// actions/ab/<key> and version; and signed/ab/<key>.<id>, the record of an action in
// a DSSE envelope, signed by the key with that id; and uses/<random>, which actions somebody fetched.
// Nothing else is ever read or written there, only package prune deletes, and nothing there has to
// be locked: equal names mean equal bytes.
package address

import (
	"fmt"
	"net/url"
	"strings"

	"prgnn/artifacts/remote"
)

// Open makes a remote of its address, file:///a/directory or s3://bucket/prefix. It does not go there yet.
//
// An address holds no secret. The credentials of S3 come from the usual chain: the
// environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN), the
// file of shared credentials and its profile (AWS_SHARED_CREDENTIALS_FILE,
// AWS_PROFILE), the role of the machine. AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and
// AWS_REGION say where the server is, when it is not Amazon's.
func Open(address string) (remote.Pruner, error) {
	const forms = "write s3://bucket/prefix or file:///a/directory"
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("remote: the address cannot be read; %s", forms)
	case u.User != nil:
		return nil, fmt.Errorf("remote %s: credentials do not belong in an address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", bare(u))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("remote %s: an address ends with its path; set the server of s3:// by AWS_ENDPOINT_URL and AWS_REGION", bare(u))
	}
	switch u.Scheme {
	case "file":
		return openDir(u)
	case "s3":
		return openS3(u.Host, strings.Trim(u.Path, "/"))
	case "http", "https":
		return nil, fmt.Errorf("remote %s: a remote is a bucket or a directory: %s; AWS_ENDPOINT_URL is the address of a server that speaks S3", bare(u), forms)
	}
	return nil, fmt.Errorf("remote %s: %s", bare(u), forms)
}

// bare is an address without what may hide a secret.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
