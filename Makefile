# `make run` and `make test` install what is missing first, so that either is all the set-up there is. ARGS goes to the program:
# make run ARGS="--headless"

.DEFAULT_GOAL := help
.PHONY: help run test unit check build format lint realtime-check thread-check docs bench quality soak test-faults fuzz picture test-corpus
.PHONY: test-kernels test-quality test-intercom fuzz-graph fuzz-files dependencies clean install uninstall deb test-deb
.PHONY: test-debian train test-training behaviours portable test-portable apt-repository test-apt-repository deb-arm64 test-arm64

swift := Scripts/swift
sources := Sources Tests Training Package.swift

help: ## says what each target does
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

run: ## installs what is missing, builds, and starts the dashboard; without a daemon or devices it rehearses
	@Scripts/install-dependencies run
	@$(swift) build --configuration release --product nearend >&2
	@.build/release/nearend $(ARGS)

test: ## installs what is missing, runs every test and the realtime check, and ends with their count
	@Scripts/install-dependencies test
	@Scripts/test $(ARGS)

unit: ## builds and runs the tests that need no daemon, and nothing else: ARGS="--filter MuteTests"
	@Scripts/install-dependencies unit
	@Scripts/unit $(ARGS)

check: ## what to run before a commit: style and names, make unit, and the quick gate of make quality
	@Scripts/install-dependencies unit
	@Scripts/check $(sources)

build: dependencies ## builds the program for release: .build/release/nearend
	@$(swift) build --configuration release --product nearend

# PROGRAM and MANUAL, if given, are used in place of what would be built.
install uninstall: export PREFIX ?= /usr/local
install uninstall: export DESTDIR ?=
install deb portable: export PROGRAM ?=
install deb portable: export MANUAL ?=
deb portable: export OUTPUT ?=

install: ## builds for release, and installs program, manual pages, completions and systemd unit: PREFIX=/usr/local DESTDIR=
	@$(if $(PROGRAM),:,Scripts/install-dependencies build)
	@Scripts/install install

uninstall: ## takes away what make install has put there: PREFIX=/usr/local DESTDIR=
	@Scripts/install uninstall

deb: ## builds a Debian package for this Debian: .build-deb/nearend_*.deb
	@$(if $(PROGRAM),:,Scripts/install-dependencies deb)
	@Scripts/make-deb

test-deb: deb ## installs, tries and removes that package in a fresh Debian of the same release, below .build-debian
	@Scripts/install-dependencies debian
	@Scripts/test-deb .build-deb/nearend_*.deb

deb-arm64: ## cross-compiles a Debian 13 package for arm64 on x86-64: .build-deb-arm64/nearend_*_arm64.deb
	@Scripts/install-dependencies arm64
	@Scripts/arm64 deb

test-arm64: deb-arm64 ## installs it in an arm64 Debian under qemu, compares the voice with x86-64's, rehearses
	@Scripts/install-dependencies arm64
	@Scripts/arm64 test

portable: ## builds an archive for x86-64 with install.sh, for Debian 12 and everything newer: .build-portable/nearend-*.tar.gz
	@$(if $(PROGRAM),:,Scripts/install-dependencies build)
	@Scripts/portable

test-portable: portable ## installs, tries and removes it in fresh Debians without Swift: RELEASES="bookworm trixie sid"
	@Scripts/install-dependencies debian
	@Scripts/test-portable .build-portable/nearend-*.tar.gz $(RELEASES)

apt-repository: ## adds packages to a folder for any web server, signed: DEBS=".build-deb/*.deb" KEY=fingerprint|FILE OUTPUT=.build-apt
	@Scripts/install-dependencies apt
	@Scripts/apt-repository "$(KEY)" "$(or $(OUTPUT),.build-apt)" $(or $(DEBS),.build-deb/nearend_*.deb)

test-apt-repository: deb ## makes a signed one, and installs and upgrades from it in a fresh Debian, by a web server
	@Scripts/install-dependencies debian
	@Scripts/install-dependencies apt
	@Scripts/test-apt-repository .build-deb/nearend_*.deb

test-debian: RELEASE ?= trixie
test-debian: ## runs the suite and makes and tries a package in another Debian, with its own Swift: RELEASE=trixie|sid ARGS="--quick"
	@Scripts/install-dependencies debian
	@Scripts/test-debian $(RELEASE) $(ARGS)

format: ## rewrites the sources in the house style
	@$(swift) format --in-place --recursive --parallel $(sources)

behaviours: ## lists the tests that show each behaviour, in .build/behaviours.md
	@Scripts/behaviours

lint: ## checks style, file sizes, scripts and recipes, and that a debug build has no warning
	@Scripts/install-dependencies lint
	@Scripts/lint $(sources)

realtime-check: dependencies ## runs everything that the audio thread runs under RealtimeSanitizer
	@Scripts/realtime-check

docs: dependencies ## builds the library's documentation as a static site, to be served at / or at BASE=path; a warning is a failure
	@Scripts/docs

picture: dependencies ## draws the dashboard of a rehearsal into README.md
	@Scripts/picture

thread-check: dependencies ## runs the session, its manager and calls from many threads under ThreadSanitizer
	@Scripts/thread-check

bench: dependencies ## measures latency, processor time, lost cycles, stages, sinks, dashboard, drift: ARGS="--parts cpu --quanta 256"
	@Scripts/bench $(ARGS)

quality: ## scores echo and speech beside other cancellers: ARGS="--kinds st,dt --rows", "--recordings FOLDER", --quick, a gate; --help
	@Scripts/quality $(ARGS)

test-quality: ## tests the quality measurement itself: that its cases are what they are said to be, and what is measured in them
	@Scripts/quality --test

soak: dependencies ## runs ten minutes of random events and faults at a simulated desk: ARGS="--seconds 600 --seed 1 --sanitize address"
	@Scripts/soak $(ARGS)

test-faults: dependencies ## stages every fault on a simulated desk, and measures what survives: ARGS="--faults sleep,phone --traffic both"
	@Scripts/test-faults $(ARGS)

test-intercom: dependencies ## lets two nearends talk over a lossy network between namespaces, and measures it: ARGS="--seconds 600"
	@Scripts/test-intercom $(ARGS)

test-corpus: ## spreads a corpus over two Dask workers on this machine, kills one in the middle, and looks for what is lost
	@Scripts/install-dependencies corpus
	@Scripts/test-corpus

train: ## trains the suppressor's network from a corpus, and puts its weights into the sources: ARGS="--corpus DIR --take 2000"
	@Scripts/train $(ARGS)

test-training: ## trains a toy network in about a minute, and runs it as the program does; 150 MB of Python packages
	@Scripts/train --test

test-kernels: ## compares the canceller's arithmetic on arm64, and on x86-64 with AVX2 and without, under qemu, with this processor's
	@Scripts/install-dependencies kernels
	@Scripts/test-kernels

fuzz: dependencies ## ten minutes of random requests at the control socket, under the address sanitizer: ARGS="--seconds 600 --seed 1"
	@Scripts/fuzz control $(ARGS)

fuzz-graph: dependencies ## ten minutes of hostile clients of the daemon, under the address sanitizer: ARGS="--seconds 600 --seed 1"
	@Scripts/fuzz graph $(ARGS)

fuzz-files: dependencies ## ten minutes of cut, joined and mutated sound files, with the address sanitizer: ARGS="--seconds 600 --seed 1"
	@Scripts/fuzz files $(ARGS)

dependencies: ## installs the packages, and Swift where the distribution has it, that a build needs
	@Scripts/install-dependencies build

clean: ## removes everything that was built
	@rm -rf .build .build-asan .build-strict .build-thread .build-pkgconfig .build-quality .build-corpus .build-install .build-deb
	@rm -rf .build-training .build-debian .build-debian-* .build-portable .build-apt .build-deb-arm64
