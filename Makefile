# Every target works from a fresh clone; tools are pinned here and in go.mod.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE    = golang.org/x/tools/cmd/deadcode@v0.52.0
VALE        = github.com/vale-cli/vale/v3/cmd/vale@v3.20.0
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0

# What stages of other modules call (examples/README.md), or tests of other packages, and no program here.
FOR_OTHERS  = unreachable func: (FromDense|Tensor|FromTensor|fromTensor|Data|FromRecord|Register|RegisterCohort|Digests.Known|(Shared)?Loops|Blocks)$$

.PHONY: build test check lint assembled prose links vulnerabilities ci race crash fuzz cross generate callgraph assembly bench web site

build: ## the program, as ./pipeline
	CGO_ENABLED=0 go build -o pipeline ./cmd/pipeline # as it is released: it starts sooner

test: ## all tests, those in Python too; what this machine lacks is skipped and listed
	go run ./test

check: lint test ## what to run before a commit

lint: assembled prose links ## format, vet, staticcheck, functions that no program calls, assembly, prose, links
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	go vet ./...
	cd examples/own-stage && go vet ./...
	cd examples/weather/go && go vet ./...
	go vet -tags torch,rarrow ./test/python
	go run $(STATICCHECK) ./...
	@dead=$$(go run $(DEADCODE) ./...) || exit 1; dead=$$(printf '%s' "$$dead" | grep -vE '^(internal/(forge|need|peak|remotetest|s3test|testdir)|dag/internal/sketch|stages/stagetest|artifacts/storetest|artifacts/encoding/(gonum|gorgonia))/|$(FOR_OTHERS)'); \
	  test -z "$$dead" || { echo "$$dead"; exit 1; } # those are for tests, and for stages of other modules

assembled: ## the assembly is what internal/asm writes
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && git ls-files go.mod go.sum internal/asm gnn nifti/inflate numeric | \
	  tar -c -T - | tar -x -C "$$copy" && $(MAKE) -s -C "$$copy" -f "$(CURDIR)/Makefile" assembly && \
	  for f in $$(git ls-files '*_amd64.*' '*_arm64.*'); do cmp "$$f" "$$copy/$$f" || { echo "make assembly writes another $$f"; exit 1; }; done

prose: ## terms in the README, the pages and the texts of the program (needs a C compiler once)
	@texts=$$(mktemp --suffix=.txt) && trap 'rm -f "$$texts"' EXIT && go run ./internal/words/review "$$texts" && \
	  go run $(VALE) --config .ci/vale.ini README.md CHANGELOG.md docs stages/wording "$$texts"

links: ## links between the pages, and to files of the repository
	@cd site && out=$$(GOFLAGS= go tool hugo --renderToMemory 2>&1) || { echo "$$out"; exit 1; }

vulnerabilities: ## known vulnerabilities in what the program calls; needs vuln.go.dev
	@out=$$(go run $(GOVULNCHECK) ./... 2>&1); code=$$?; echo "$$out"; case "$$out" in \
	  *"fetching vulnerabilities"*) echo "govulncheck: not checked, its database cannot be reached";; *) exit $$code;; esac

site: ## the pages as a site in site/public, with search and example reports; Python packages come by pip
	site/build

ci: ## the whole check, as root on Debian: installs what it needs; half an hour
	.ci/run

race: ## the concurrent packages under the race detector
	go test -race ./artifacts/... ./dag/...

crash: ## writers killed at 300 random moments, and 300 starts at once on a store that is not there
	PRGNN_KILLS=300 go test -timeout 30m -v -run '^Test(Crash|StartsAtOnce)$$' ./artifacts/disk

fuzz: ## every fuzz target for FUZZTIME (10m, 1000000x, or both: what comes first), as a table
	@test/fuzz.sh

cross: ## the types of all packages on every platform that is promised, and the assembly of arm64
	go run ./internal/platforms
	CGO_ENABLED=0 GOARCH=arm64 go vet ./numeric/dense ./gnn

generate: ## code identities of the stage kinds
	go run ./dag/codeid ./...
	cd examples/own-stage && go generate ./...
	cd examples/weather/go && go generate ./...

assembly: ## the assembly of numeric/dense, gnn, gnn/baseline and nifti/inflate, from internal/asm
	go generate ./numeric/dense ./gnn ./gnn/baseline ./nifti/inflate

callgraph: ## what code identities hold, against a call graph of the whole program
	PRGNN_CALLGRAPH=all go test -timeout 30m -v -run '^TestCallGraph$$' ./dag/codeid

bench: ## the table of docs/benchmarks.md, peers and us in one run; bench/run.sh NAME for one row
	./bench/run.sh

web: ## the viewer of the report, from npm (needs node)
	cd stages/report/web && npm ci --ignore-scripts && npm run build
