#!/usr/bin/env bash
# Measures syncd beside Unison, rclone bisync and rsync on the same tree in one run, and prints a table of ratios; then
# beside rclone bisync on a WebDAV server, in a bucket of Ceph and on an sftp server, and beside Dropbox's SDK on an emulated
# Dropbox, with and without a long way to it; then beside a script of git commands; then beside rsync and Unison over ssh; then
# as a service, alone; then OrgKit by itself. After the first part: encrypted with age, beside unencrypted.
#
#   Benchmarks/run.sh [FILES]        10000 files by default; BENCH_RUNS repeats each figure (default 5)
#   BENCH_ONLY=webdav Benchmarks/run.sh     only one part: files, age, webdav, s3, sftp, dropbox, git, rsync,
#                                         service or org
#
# Wall and processor time are medians; memory is the largest peak of the process. Each tool has its own pair of folders and its
# own state, and all tools take turns in every step, so that a slow moment of the machine affects all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
syncd=$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd
work=$(mktemp -d "${BENCH_DIR:-/var/tmp}/syncd-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
only=${BENCH_ONLY:-files age webdav s3 sftp dropbox git rsync service org}
if [[ $only == *files* ]]; then
  python3 Benchmarks/measure.py --syncd "$syncd" --work "$work" --files "${1:-10000}" --runs "${BENCH_RUNS:-5}"
fi
if [[ $only == *age* ]]; then
  mkdir "$work/age"
  python3 Benchmarks/seal.py --syncd "$syncd" --work "$work/age" --runs "${BENCH_RUNS:-5}"
fi
if [[ $only == *webdav* ]]; then
  mkdir "$work/webdav"
  python3 Benchmarks/webdav.py --syncd "$syncd" --work "$work/webdav" --runs "${BENCH_RUNS:-5}"
fi
if [[ $only == *s3* ]]; then
  if command -v radosgw >/dev/null; then
    mkdir "$work/s3"
    python3 Benchmarks/s3.py --syncd "$syncd" --work "$work/s3" --runs "${BENCH_RUNS:-3}"
  else
    echo "*** Ceph is not installed (ceph-mon ceph-mgr ceph-osd radosgw); S3 is not measured ***" >&2
  fi
fi
if [[ $only == *sftp* ]]; then
  mkdir "$work/sftp"
  python3 Benchmarks/sftp.py --syncd "$syncd" --work "$work/sftp" --runs "${BENCH_RUNS:-3}"
fi
if [[ $only == *dropbox* ]]; then
  Scripts/install-python.sh .build/dropbox-sdk dropbox-sdk
  swift build -c release --static-swift-stdlib -j "${JOBS:-2}" --product dropbox-emulator >&2
  mkdir "$work/dropbox"
  python3 Benchmarks/measure_dropbox.py --syncd "$syncd" --emulator "$(dirname "$syncd")/dropbox-emulator" \
    --python .build/dropbox-sdk/bin/python --work "$work/dropbox" --runs "${BENCH_RUNS:-5}"
fi
if [[ $only == *git* ]]; then
  mkdir "$work/git"
  python3 Benchmarks/git.py --syncd "$syncd" --work "$work/git" --files "${1:-10000}" --runs "${BENCH_RUNS:-3}"
fi
if [[ $only == *rsync* ]]; then
  mkdir "$work/rsync"
  python3 Benchmarks/rsync.py --syncd "$syncd" --work "$work/rsync" --files "${1:-10000}" --runs "${BENCH_RUNS:-3}"
fi
if [[ $only == *service* ]]; then
  mkdir "$work/service"
  python3 Benchmarks/service.py --syncd "$syncd" --work "$work/service" --files "${1:-10000}"
fi
if [[ $only == *org* ]]; then Benchmarks/org.sh; fi
