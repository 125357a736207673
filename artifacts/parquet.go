package artifacts

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// WriteParquet writes the table as a Parquet file, compressed by zstd. Units and
// docs are in the Arrow schema that it carries.
func (t *Table) WriteParquet(w io.Writer) error {
	rec, err := arrowRecord(t)
	if err != nil {
		return err
	}
	defer rec.Release()
	tab := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer tab.Release()
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("prgnn"))
	arrowProps := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	const rowGroup = 1 << 20
	if err := pqarrow.WriteTable(tab, struct{ io.Writer }{w}, rowGroup, props, arrowProps); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

const parquetMagic = "PAR1"

// readParquet reads a Parquet file of flat columns. Columns are read one after
// another in this goroutine, for a panic of the library on damaged bytes is caught
// here and would end the program in a goroutine of its own. Against all damage
// that does not help: bytes that are changed within a page (which have no
// checksum) can keep the library in a loop. Parquet is for files that come and go,
// never for artifacts.
func readParquet(b []byte) (t *Table, err error) {
	defer recoverDamage(&t, &err)
	mem := newBudget(len(b))
	f, err := file.NewParquetReader(bytes.NewReader(b), file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkParquet(f, mem.left); err != nil {
		return nil, err
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, mem)
	if err != nil {
		return nil, err
	}
	schema, err := r.Schema()
	if err != nil {
		return nil, err
	}
	groups := make([]int, f.NumRowGroups())
	for i := range groups {
		groups[i] = i
	}
	chunks := make([][]arrow.Array, schema.NumFields())
	for i, field := range schema.Fields() {
		if !readable(field.Type) {
			return nil, errType(field.Name, field.Type)
		}
		col, err := r.GetColumn(context.Background(), i)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", field.Name, err)
		}
		data, err := r.ReadColumn(groups, col)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", field.Name, err)
		}
		chunks[i] = data.Chunks()
	}
	return tableOf(schema, chunks)
}

// checkParquet refuses what the library would believe: more values than there is
// room for, and a damaged Arrow schema among the metadata.
func checkParquet(f *file.Reader, room int) error {
	rows, leaves := f.NumRows(), int64(f.MetaData().Schema.NumColumns())
	if rows < 0 || leaves > 0 && rows > int64(room)/leaves {
		return fmt.Errorf("it states %d rows of %d columns, more than its size allows", rows, leaves)
	}
	var sum int64
	for i := range f.NumRowGroups() {
		n := f.MetaData().RowGroup(i).NumRows()
		if n < 0 || n > math.MaxInt64-sum {
			return fmt.Errorf("row group %d states %d rows", i, n)
		}
		sum += n
	}
	if sum != rows {
		return fmt.Errorf("it states %d rows, and its row groups have %d", rows, sum)
	}
	if v := f.MetaData().KeyValueMetadata().FindValue("ARROW:schema"); v != nil {
		b, err := base64.StdEncoding.DecodeString(*v)
		if err != nil {
			return fmt.Errorf("its Arrow schema: %w", err)
		}
		return checkArrowSchema(b)
	}
	return nil
}
