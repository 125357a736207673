# Every target works from a fresh clone; tools are pinned in go.mod.

.PHONY: build check test crash cross bench generate web

build: ## the program, as ./pipeline
	go build -o pipeline ./cmd/pipeline

test: ## all tests, those in Python too
	go run ./test

check: ## what CI runs: format, vet, generated code, tests
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	go vet ./...
	go run ./test

race: ## the concurrent packages under the race detector
	go test -race ./artifacts/... ./dag/...

crash: ## writers killed at 300 random moments
	PRGNN_KILLS=300 go test -timeout 30m -v -run '^TestCrash$$' ./artifacts

cross: ## vet for every platform we promise
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "vet $$os/$$arch"; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go vet ./... || exit 1; done; done

generate: ## code identities of the stage kinds
	go generate ./...
	cd examples/own-stage && go generate ./...

bench: ## the table of docs/benchmarks.md, peers and us in one run
	./bench/run.sh

web: ## the viewer of the report, from npm (needs node)
	cd stages/report/web && npm ci --ignore-scripts && npm run build
