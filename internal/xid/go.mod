module github.com/rs/xid

go 1.26.0
