// Package version holds the version of the program.
package version

// Number is the version by semver.org 2.0.0; docs/versions.md says what it promises.
// It stands in the source, so that a build from an archive without git tells it too.
const Number = "1.0.0"
