// Package atlases lists the atlases of TemplateFlow that the program has pinned, and fetches them when it is asked to.
// No run imports it.
package atlases
