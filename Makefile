# List the targets with `make help`.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2
SWIFT ?= swift
BUILD = $(SWIFT) build -j $(JOBS)
# No library is looked up beside the program, and every function that it calls is resolved before it starts.
RELEASE = $(BUILD) -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now $(SAME_PATHS)
# The program does not contain the folder that it is built in.
MAP = -ffile-prefix-map=$(CURDIR)=.
SAME_PATHS = -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc $(MAP) -Xcxx $(MAP)

.PHONY: help mistakes deb dist rpm packages-test build release demo test check soak bench bench-instructions bench-org bench-many install clean setup setup-tests format

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## install the packages for building
	@Scripts/install-packages.sh build

setup-tests: setup ## install the packages for testing
	@Scripts/install-packages.sh test
	@Scripts/install-python.sh .build/wsgidav wsgidav || echo "*** cannot install wsgidav; its tests are skipped ***" >&2
	@Scripts/install-python.sh .build/s3-servers s3-servers || echo "*** cannot install the S3 servers; their tests are skipped ***" >&2
	@Scripts/install-python.sh .build/browser browser || echo "*** cannot install Playwright; the tests in a browser are skipped ***" >&2
	@Scripts/install-python.sh .build/box-sdk box-sdk || echo "*** cannot install the Box SDK; its tests are skipped ***" >&2
	@Scripts/install-python.sh .build/dropbox-sdk dropbox-sdk || echo "*** cannot install the Dropbox SDK; its tests are skipped ***" >&2
	@Scripts/install-python.sh .build/github-sdk github-sdk || echo "*** cannot install PyGithub; its tests are skipped ***" >&2
	@Scripts/install-python.sh .build/forgejo-sdk forgejo-sdk || echo "*** cannot install pyforgejo; its tests are skipped ***" >&2

build: setup ## build for development
	@$(BUILD)

release: setup ## build the optimized program
	@$(RELEASE) --product syncd

demo: release ## merge two edits of one file, as a demonstration
	@Scripts/demo.sh

test: setup-tests ## run the test suite
	@Scripts/test.sh

check: setup ## check format, prose, imports and warnings
	@Scripts/install-packages.sh check
	@Scripts/check.sh

soak: setup-tests ## run the test suite with the long sweeps
	@SYNCD_SOAK=1 Scripts/test.sh

mistakes: setup-tests ## plant mistakes, and report those that no test notices
	@Scripts/plant-mistakes.py

bench: release ## compare with Unison, rclone and rsync
	@Scripts/install-packages.sh bench
	@Benchmarks/run.sh

bench-instructions: release ## count instructions and system calls, and compare them with the table
	@Scripts/install-packages.sh bench
	@Benchmarks/instructions.py .build/release/syncd --check

bench-org: setup ## measure OrgKit: parsing, merging, extreme inputs
	@Benchmarks/org.sh

bench-many: release ## measure a million files; needs 10 GB of disk space
	@Benchmarks/run-many.sh

install: release ## install program, manual pages, completions and service file to PREFIX
	@Scripts/install.sh "$(PREFIX)" "$(DESTDIR)"

deb: release ## build Debian packages in .build/deb
	@Scripts/install-packages.sh deb torrent
	@Scripts/make-deb.sh .build/deb

dist: release ## make a release archive with checksums and a bill of materials in .build/dist
	@Scripts/install-packages.sh deb
	@Scripts/make-archive.sh .build/dist

rpm: release ## build RPM packages in .build/rpm
	@Scripts/install-packages.sh deb packages torrent
	@Scripts/make-rpm.sh .build/rpm

packages-test: release ## test the release archive and the packages
	@Scripts/install-packages.sh deb packages torrent
	@Scripts/install-python.sh .build/spdx-tools spdx-tools || echo "*** cannot install spdx-tools; its test is skipped ***" >&2
	@Scripts/install-python.sh .build/hadolint hadolint || echo "*** cannot install hadolint; its test is skipped ***" >&2
	@Scripts/test-packages.py

format: ## format the code
	@swift format -i -r Package.swift Sources Emulators Plugins Tests Examples Benchmarks/OrgBench/Sources/OrgBench

clean: ## remove the build
	@rm -rf .build .build-*
