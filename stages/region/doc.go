// Package region has what the kinds of scans and regions share: opening images, the nodes
// of parcels, draws, and the readers of series and matrices from other programs.
package region
