package report

// viewerCode is the program of the viewer, or "" where it is not built in.
func viewerCode() (string, error) { return "", nil }
