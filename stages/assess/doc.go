// Package assess has the kinds that judge trained models.
package assess
