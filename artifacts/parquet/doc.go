// Package parquet reads and writes tables as Parquet files, which come from other programs and go
// to them; the store holds none. A program that imports it can read them: it registers with
// encoding.ReadTable.
package parquet
