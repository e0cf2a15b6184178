# What you can do here: `make help`.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2
SWIFT ?= swift
BUILD = $(SWIFT) build -j $(JOBS)
# No library is looked for beside the program, and each function that it calls is resolved before it starts.
RELEASE = $(BUILD) -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now

.PHONY: help deb build release demo test check soak bench bench-org bench-many install clean setup setup-tests format

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install what building needs
	@Scripts/install-packages.sh build

setup-tests: setup ## install what the tests need besides
	@Scripts/install-packages.sh test
	@Scripts/install-wsgidav.sh .build/wsgidav || echo "*** wsgidav cannot be had; its tests are skipped ***" >&2
	@Scripts/install-dropbox-sdk.sh .build/dropbox-sdk || echo "*** the Dropbox SDK cannot be had; its tests are skipped ***" >&2

build: setup ## build for development
	@$(BUILD)

release: setup ## build the program that is installed
	@$(RELEASE) --product syncd

demo: release ## two edits of one file become one right file
	@Scripts/demo.sh

test: setup-tests ## run the whole test suite
	@Scripts/test.sh

check: setup ## everything that must hold besides the tests: format, imports, warnings
	@Scripts/check.sh

soak: setup-tests ## the long sweeps
	@SYNCD_SOAK=1 Scripts/test.sh

bench: release ## measure against Unison, rclone and rsync in one run
	@Scripts/install-packages.sh bench
	@Benchmarks/run.sh

bench-org: setup ## measure OrgKit alone: reading, merging beside git, inputs nobody writes
	@Benchmarks/org.sh

bench-many: release ## measure the memory of a million files; takes some 10 GB of disk
	@Benchmarks/run-many.sh

install: release ## install program, manual pages, completions and service file below PREFIX
	@Scripts/install.sh "$(PREFIX)" "$(DESTDIR)"

deb: release ## make a Debian package in .build/deb
	@Scripts/install-packages.sh deb
	@Scripts/make-deb.sh .build/deb

format: ## put the code into its form
	@swift format -i -r Package.swift Sources Emulators Plugins Tests Examples Benchmarks/OrgBench/Sources/OrgBench

clean: ## remove what was built
	@rm -rf .build .build-*
