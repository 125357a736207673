package stages

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"prgnn/stages/atlas"
)

func init() {
	RegisterCohort(Cohort{
		Name: "timeseries",
		Doc: "participants listed in a CSV or TSV file, with the series of their regions\n" +
			"For data that others have extracted (C-PAC, XCP-D, the ABIDE preprocessed connectomes): a file of series a participant as TSV, CSV, 1D or npy, perhaps gzipped, one row a volume. series is the name of a column that holds paths, or a path made from columns in braces (\"rois/{file_id}_rois_ho.1D.gz\").",
		New: func() CohortKind { return &TimeseriesCohort{listed: defaultListed()} },
	})
}

// TimeseriesCohort lists files of series in a table.
type TimeseriesCohort struct {
	listed
	Series string `param:"series" doc:"where each participant's series are: a column, or a path with {columns}"`
	Nodes  string `param:"nodes" doc:"the regions, in the order of the series: dk84, or a TSV with the columns index (or id) and name, or a list of names; the column names of the first participant's file when empty"`
}

// Load reads the table.
func (c *TimeseriesCohort) Load(dir string) (*Roster, error) {
	var missing error
	if c.Series == "" {
		missing = errors.New("series is not given: a column of the table, or a path with {columns}")
	}
	l, err := c.read(dir)
	if err := errors.Join(missing, err); err != nil {
		return nil, err
	}
	series, err := l.source("series", "series", c.Series)
	if err != nil {
		return nil, err
	}
	r := l.roster([]*fileSource{series})
	nodes, err := c.nodes(l, r.Subjects)
	if err != nil {
		return nil, err
	}
	r.Nodes = nodesTable(nodes)
	return r, nil
}

// nodes reads the node list, or takes the names that head the first file.
func (c *TimeseriesCohort) nodes(l *list, subjects []Subject) ([]atlas.Node, error) {
	if c.Nodes != "" {
		return findNodes(c.Nodes, l.root)
	}
	for _, s := range subjects {
		path, ok := s.Files["series"]
		if !ok {
			continue
		}
		names, err := seriesHeader(path)
		if err != nil {
			return nil, fmt.Errorf("nodes: %w", err)
		}
		nodes, err := atlas.Plain(names)
		if err != nil {
			return nil, fmt.Errorf("nodes: %s: %w", path, err)
		}
		return nodes, nil
	}
	return nil, fmt.Errorf("nodes is not given, and no participant of %s has a file to take the names from", l.path)
}

// maxHeader bounds the first line of a file of series: 20,000 long names.
const maxHeader = 4 << 20

// seriesHeader reads the names in the first line of a file of series.
func seriesHeader(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plainError(path, err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if magic, _ := r.(*bufio.Reader).Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	raw, err := bufio.NewReader(io.LimitReader(r, maxHeader)).ReadString('\n')
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if strings.ContainsRune(raw, 0) {
		return nil, fmt.Errorf("%s: not a text file, so it names no regions; set the parameter nodes", path)
	}
	raw = strings.TrimSpace(strings.TrimPrefix(raw, "\ufeff"))
	split := strings.Fields
	for _, sep := range []string{"\t", ",", ";"} {
		if strings.Contains(raw, sep) {
			split = func(s string) []string { return strings.Split(s, sep) }
			break
		}
	}
	names := split(raw)
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: the first line is empty, so it names no regions; set the parameter nodes", path)
	}
	numbers := 0
	for i, n := range names {
		names[i] = strings.Trim(strings.TrimSpace(n), `"`)
		if _, err := strconv.ParseFloat(names[i], 64); err == nil && strings.ContainsAny(names[i], ".eE") {
			numbers++
		}
	}
	if numbers > 0 {
		return nil, fmt.Errorf("%s: the first line holds numbers, not names of regions; set the parameter nodes", path)
	}
	return names, nil
}
