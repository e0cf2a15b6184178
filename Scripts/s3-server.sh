#!/usr/bin/env bash
# Starts a real S3 server on a loopback port, for tests and benchmarks.
#
#   s3-server.sh start KIND --run-dir DIR [options]
#   s3-server.sh stop --run-dir DIR
#   s3-server.sh kill NAME --run-dir DIR    end one process abruptly (ceph: rgw1, osd0, mon)
#   s3-server.sh again NAME --run-dir DIR   start that process again with its files
#
# KIND: ceph       Ceph: a monitor, OSDs and gateways; a distributed engine
#       swift      OpenStack Swift with its S3 middleware, which refuses conditions
#       moto       moto's server: one process, in memory; does not check signatures
#       pys3local  a small server that checks signatures and ignores conditions
#
# Options of start:
#   --port N             default: a free one
#   --owner PID          stop when this process has ended
#   --bucket NAME        bucket to create (default: syncd)
#   --second-user        ceph: a second key without access to the bucket
#   --osds N             ceph: the number of OSDs (default: 1)
#   --store memstore|bluestore      ceph: in memory (default), or in files that survive `kill`
#   --gateways N         ceph: gateways on consecutive ports (default: 1)
#   --plain-copies       moto: copies ignore conditions, as moto's own do
#   --timeout S          seconds to wait for the server (default: 300)
#
# `start` prints KEY=VALUE lines: ENDPOINT, REGION, ACCESS_KEY, SECRET_KEY, BUCKET, KIND, VERSION, and for Ceph ENDPOINT_2 and
# so on. It installs nothing, and names the missing package (exit status 3). S3_PYTHON is a Python with moto and pys3local.
set -u
umask 077

me=$(basename "$0")
SELF=$(cd "$(dirname "$0")" && pwd -P)/$me
die()   { echo "$me: $*" >&2; exit 1; }
usage() { awk 'NR==1{next} /^#/{sub(/^# ?/,"");print;next} {exit}' "$0" >&2; exit "${1:-2}"; }
need()  { echo "$me: $1 is not installed: $2" >&2; exit 3; }
have()  { command -v "$1" >/dev/null 2>&1; }
now_ms() { date +%s%3N; }

# ---------------------------------------------------------------- processes
# RUN/procs has a line "NAME PID STAMP" for each process; the stamp distinguishes it from a later process with the same id.
proc_stamp() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }
proc_alive() { # PID STAMP: running, the same one, and no zombie
    local st
    kill -0 "$1" 2>/dev/null && [ -n "$2" ] && [ "$(proc_stamp "$1")" = "$2" ] || return 1
    st=$(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f1)
    [ "$st" != Z ]
}
launch() { # NAME COMMAND…: in a session of its own, output to RUN/log/NAME.out
    local name=$1 pid; shift
    setsid "$@" >>"$RUN/log/$name.out" 2>&1 </dev/null &
    pid=$!
    disown "$pid" 2>/dev/null || true
    sed -i "/^$name /d" "$RUN/procs" 2>/dev/null
    echo "$name $pid $(proc_stamp "$pid")" >>"$RUN/procs"
    printf '%q ' "$@" >"$RUN/$name.cmd"
}
proc_of() { awk -v n="$1" '$1 == n {print $2, $3}' "$RUN/procs" 2>/dev/null; }
end_proc() { # SIGNAL NAME
    local pid stamp i
    read -r pid stamp <<<"$(proc_of "$2")"
    [ -n "${pid:-}" ] && proc_alive "$pid" "$stamp" || return 0
    kill "-$1" "$pid" 2>/dev/null
    for i in $(seq 100); do proc_alive "$pid" "$stamp" || break; sleep 0.05; done
    proc_alive "$pid" "$stamp" && kill -KILL "$pid" 2>/dev/null
    kill -KILL -- "-$pid" 2>/dev/null   # children of the same session that outlived it
    return 0
}
stop_all() { # the gateway first, the monitor last
    local names n
    [ -f "$RUN/procs" ] || { echo "stopped: nothing was running"; return 0; }
    names=$(awk '{print $1}' "$RUN/procs" | tac)
    for n in $names; do
        case $n in osd*|mon) continue ;; esac
        end_proc TERM "$n"
    done
    for n in $names; do case $n in osd*) end_proc "$([ "$(cat "$RUN/store" 2>/dev/null)" = bluestore ] && echo TERM || echo KILL)" "$n" ;; esac; done
    end_proc TERM mon
    echo "stopped: $(echo $names)"
    rm -f "$RUN/procs" "$RUN"/*.asok
}
rss() { # KiB of all processes of this run dir and their children
    local n pid stamp sum=0 one p
    while read -r n pid stamp; do
        for p in $pid $(pgrep -s "$pid" 2>/dev/null); do
            [ "$p" = "$pid" ] || [ -d "/proc/$p" ] || continue
            one=$(awk '/^VmRSS/{print $2}' "/proc/$p/status" 2>/dev/null || echo 0); echo "$p ${one:-0}"
        done
    done <"$RUN/procs" | sort -u | awk '{s += $2} END {print s + 0}'
}
free_port() { python3 "$(dirname "$SELF")/free-port.py"; }
stop_with_owner() {
    [ -n "$OWNER" ] || return 0
    # The folder, with its list of processes, may be removed together with the owner.
    setsid bash -c '
        trap "" HUP INT TERM
        while kill -0 "$1" 2>/dev/null && [ -f "$2/procs" ]; do procs=$(cat "$2/procs"); sleep 1; done
        "$3" stop --run-dir "$2"
        while read -r name pid stamp; do
            [ "$(sed "s/^.*) //" "/proc/$pid/stat" | cut -d" " -f20)" = "$stamp" ] && kill -KILL -- "-$pid" "$pid"
        done <<<"${procs:-}"' _ "$OWNER" "$RUN" "$SELF" >/dev/null 2>&1 </dev/null &
    disown $! 2>/dev/null || true
}
free_ports() { # COUNT: unused ports
    python3 - "$1" <<'PY'
import socket, sys
held = []
for _ in range(int(sys.argv[1])):
    s = socket.socket(); s.bind(("127.0.0.1", 0)); held.append(s)
print(*[s.getsockname()[1] for s in held])
PY
}
wait_http() { # URL NAME
    local i code pid stamp
    read -r pid stamp <<<"$(proc_of "$2")"
    for i in $(seq $((TIMEOUT * 20))); do
        proc_alive "$pid" "$stamp" || { tail -20 "$RUN/log/$2.out" >&2; stop_all >/dev/null; die "$2 ended while starting (log: $RUN/log)"; }
        code=$(curl -q -s -o /dev/null -k --noproxy '*' --max-time 5 -w '%{http_code}' "$1" 2>/dev/null || true)
        case $code in 000|'') ;; *) return 0 ;; esac
        sleep 0.05
    done
    tail -20 "$RUN/log/$2.out" >&2; stop_all >/dev/null
    die "$2 did not answer at $1 within $TIMEOUT s"
}
make_cert() {
    have openssl || need openssl "apt-get install openssl"
    openssl req -x509 -newkey rsa:2048 -nodes -days 7 -subj "/CN=s3-test throwaway CA" \
        -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
        -keyout "$RUN/ca.key" -out "$RUN/ca.pem" >/dev/null 2>&1 || die "openssl could not make a CA"
    openssl req -newkey rsa:2048 -nodes -subj "/CN=127.0.0.1" -keyout "$RUN/key.pem" -out "$RUN/leaf.csr" >/dev/null 2>&1
    printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' >"$RUN/leaf.ext"
    openssl x509 -req -in "$RUN/leaf.csr" -CA "$RUN/ca.pem" -CAkey "$RUN/ca.key" -CAcreateserial -days 7 \
        -extfile "$RUN/leaf.ext" -out "$RUN/cert.pem" >/dev/null 2>&1 || die "openssl could not sign"
}
s3_make_bucket() { # ENDPOINT KEY SECRET BUCKET: one signed PUT (curl before 8.x signs no port, see spec/s3.md)
    S3_KEY=$2 S3_SECRET=$3 S3_REGION=$REGION python3 - "$1" "$4" <<'PY' || { stop_all >/dev/null; die "could not make the bucket $4"; }
import datetime, hashlib, hmac, os, ssl, sys, urllib.error, urllib.parse, urllib.request
url, path = sys.argv[1], "/" + sys.argv[2]
day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
scope = f"{day[:8]}/{os.environ['S3_REGION']}/s3/aws4_request"
empty = hashlib.sha256(b"").hexdigest()
head = {"host": urllib.parse.urlsplit(url).netloc, "x-amz-content-sha256": empty, "x-amz-date": day}
names = ";".join(sorted(head))
request = "\n".join(["PUT", path, ""] + [f"{k}:{head[k]}" for k in sorted(head)] + ["", names, empty])
text = "\n".join(["AWS4-HMAC-SHA256", day, scope, hashlib.sha256(request.encode()).hexdigest()])
key = b"AWS4" + os.environ["S3_SECRET"].encode()
for part in scope.split("/"): key = hmac.new(key, part.encode(), "sha256").digest()
head["authorization"] = (f"AWS4-HMAC-SHA256 Credential={os.environ['S3_KEY']}/{scope}, SignedHeaders={names}, "
                         f"Signature={hmac.new(key, text.encode(), 'sha256').hexdigest()}")
context = ssl._create_unverified_context() if url.startswith("https") else None
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
try: opener.open(urllib.request.Request(url + path, method="PUT", headers=head), timeout=60).read()
except urllib.error.HTTPError as e: sys.exit(f"HTTP {e.code}: {e.read().decode(errors='replace')}")
PY
}

# --------------------------------------------------------------------- ceph
ceph_conf() {
    local i copies=$OSDS; [ "$copies" -gt 3 ] && copies=3
    cat <<CONF
[global]
fsid = $FSID
mon host = [v2:127.0.0.1:$MON2,v1:127.0.0.1:$MON1]
mon initial members = a
# loopback only, without authentication inside the cluster
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon cluster mode = crc
ms mon service mode = crc
public addr = 127.0.0.1
cluster addr = 127.0.0.1
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
run dir = $RUN
admin socket = \$run_dir/\$name.asok
pid file =
log file = $RUN/log/\$name.log
crash dir = $RUN/log
keyring = $RUN/keyring
# without this the making of each pool waits a second for the monitor: 13 s to start instead of 3
paxos propose interval = 0.02
paxos min wait = 0.01
mon data = $RUN/mon
mon allow pool size one = true
mon warn on pool no redundancy = false
mon warn on insecure global id reclaim allowed = false
mon max pg per osd = 2000
mon data avail warn = 1
mon data avail crit = 0
osd pool default size = $copies
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd data = $RUN/osd\$id
osd objectstore = $STORE
osd memory target = 939524096
osd heartbeat interval = 1
osd heartbeat grace = 5
mon osd min down reporters = 1
mon osd min in ratio = 0
memstore device bytes = 2147483648
memstore page set = false
bluestore block create = true
bluestore block size = 4294967296
bluestore block db create = false
bluestore block wal create = false
bdev enable discard = false
CONF
    for i in $(seq "$GATEWAYS"); do
        echo "[client.rgw.$i]"
        echo "rgw data = $RUN"
        # without tcp_nodelay each answer waits 40 ms for an acknowledgement
        if [ "$TLS" = 1 ]; then
            echo "rgw frontends = beast ssl_endpoint=127.0.0.1:$((PORT + i - 1)) ssl_certificate=$RUN/cert.pem ssl_private_key=$RUN/key.pem tcp_nodelay=1"
        else
            echo "rgw frontends = beast endpoint=127.0.0.1:$((PORT + i - 1)) tcp_nodelay=1"
        fi
        echo "rgw thread pool size = 64"
        echo "rgw dynamic resharding = false"
        echo "rgw enable quota threads = false"
    done
}
ceph_user() { # UID KEY SECRET
    radosgw-admin -c "$RUN/ceph.conf" user create --uid "$1" --display-name "$1" --access-key "$2" --secret-key "$3" \
        >"$RUN/log/user-$1.json" 2>"$RUN/log/user-$1.err" || { cat "$RUN/log/user-$1.err" >&2; stop_all >/dev/null; die "radosgw-admin could not make a user"; }
}
start_ceph() {
    local p i u pids=""
    for p in ceph-mon:ceph-mon ceph-osd:ceph-osd radosgw:radosgw radosgw-admin:radosgw ceph:ceph-common monmaptool:ceph-common; do
        have "${p%%:*}" || need "${p%%:*}" "apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-common"
    done
    [ -n "${CHECK:-}" ] && return 0
    # a Unix socket's name has room for 107 bytes
    [ ${#RUN} -le 80 ] || die "ceph wants a --run-dir of at most 80 bytes: $RUN"
    read -r MON1 MON2 <<<"$(free_ports 2)"
    FSID=$(cat /proc/sys/kernel/random/uuid)
    : >"$RUN/keyring"; mkdir -p "$RUN/mon"
    ceph_conf >"$RUN/ceph.conf"
    monmaptool --create --fsid "$FSID" --addv a "[v2:127.0.0.1:$MON2,v1:127.0.0.1:$MON1]" "$RUN/monmap" >"$RUN/log/monmap.out" 2>&1 || die "monmaptool failed"
    ceph-mon -c "$RUN/ceph.conf" -i a --mkfs --monmap "$RUN/monmap" --keyring "$RUN/keyring" >"$RUN/log/mon-mkfs.out" 2>&1 || { cat "$RUN/log/mon-mkfs.out" >&2; die "ceph-mon --mkfs failed"; }
    launch mon ceph-mon -c "$RUN/ceph.conf" -i a -f
    for i in $(seq 0 $((OSDS - 1))); do
        u=$(cat /proc/sys/kernel/random/uuid)
        ceph -c "$RUN/ceph.conf" --connect-timeout "$TIMEOUT" osd new "$u" >"$RUN/log/osd-new.out" 2>&1 || { cat "$RUN/log/osd-new.out" >&2; stop_all >/dev/null; die "the monitor does not answer"; }
        mkdir -p "$RUN/osd$i"
        ceph-osd -c "$RUN/ceph.conf" -i "$i" --mkfs --osd-uuid "$u" >"$RUN/log/osd$i-mkfs.out" 2>&1 || { cat "$RUN/log/osd$i-mkfs.out" >&2; stop_all >/dev/null; die "ceph-osd --mkfs failed"; }
        launch "osd$i" ceph-osd -c "$RUN/ceph.conf" -i "$i" -f
    done
    for i in $(seq "$GATEWAYS"); do
        launch "rgw$i" radosgw -c "$RUN/ceph.conf" -n "client.rgw.$i" -f
        wait_http "$SCHEME://127.0.0.1:$((PORT + i - 1))/" "rgw$i"
    done
    ceph_user test "$ACCESS" "$SECRET"
    [ "$SECOND" = 1 ] && ceph_user other "$ACCESS2" "$SECRET2"
    VERSION=$(radosgw --version | awk '{print $3}')
}

# -------------------------------------------------------------------- swift
start_swift() {
    local p t a c o s
    for p in swift-proxy-server:swift-proxy swift-account-server:swift-account swift-container-server:swift-container \
             swift-object-server:swift-object swift-ring-builder:swift; do
        have "${p%%:*}" || need "${p%%:*}" "apt-get install --no-install-recommends swift swift-proxy swift-account swift-container swift-object"
    done
    [ -n "${CHECK:-}" ] && return 0
    [ "$TLS" = 0 ] || die "swift: no TLS here"
    mkdir -p "$RUN/srv/d1" "$RUN/etc" "$RUN/cache"
    touch "$RUN/srv/d1/.probe" && python3 -c 'import os,sys; os.setxattr(sys.argv[1], b"user.t", b"1")' "$RUN/srv/d1/.probe" 2>/dev/null \
        || die "swift needs extended attributes, and $RUN has none"
    rm -f "$RUN/srv/d1/.probe"
    read -r a c o <<<"$(free_ports 3)"
    printf '[swift-hash]\nswift_hash_path_suffix = test\nswift_hash_path_prefix = test\n[storage-policy:0]\nname = Policy-0\ndefault = yes\n' >"$RUN/etc/swift.conf"
    for t in "account $a" "container $c" "object $o"; do
        set -- $t
        ( cd "$RUN/etc" && swift-ring-builder "$1.builder" create 4 1 0 && swift-ring-builder "$1.builder" add --region 1 --zone 1 --ip 127.0.0.1 --port "$2" --device d1 --weight 1 && swift-ring-builder "$1.builder" rebalance ) >"$RUN/log/ring-$1.out" 2>&1
        [ -f "$RUN/etc/$1.ring.gz" ] || { cat "$RUN/log/ring-$1.out" >&2; die "swift-ring-builder failed"; }
        cat >"$RUN/etc/$1.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $2
workers = 0
user = $(id -un)
swift_dir = $RUN/etc
devices = $RUN/srv
mount_check = false
log_level = WARNING
log_address = $RUN/no-syslog
[pipeline:main]
pipeline = $1-server
[app:$1-server]
use = egg:swift#$1
replication_server = false
CONF
        launch "$1" "$(command -v "swift-$1-server")" "$RUN/etc/$1.conf"
    done
    cat >"$RUN/etc/proxy.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $PORT
workers = 0
user = $(id -un)
swift_dir = $RUN/etc
log_level = WARNING
log_address = $RUN/no-syslog
[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats s3api tempauth bulk slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = $REGION
dns_compliant_bucket_names = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_${ACCESS} = $SECRET .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:symlink]
use = egg:swift#symlink
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
CONF
    ACCESS="test:$ACCESS"
    launch proxy "$(command -v swift-proxy-server)" "$RUN/etc/proxy.conf"
    wait_http "http://127.0.0.1:$PORT/" proxy
    VERSION=$(python3 -c 'import importlib.metadata as m; print(m.version("swift"))' 2>/dev/null || /usr/bin/python3 -c 'import importlib.metadata as m; print(m.version("swift"))')
}

# --------------------------------------------------------------------- moto
find_python() { # MODULE… -> a python that can import them all
    local p
    for p in "${S3_PYTHON:-}" python3 /usr/bin/python3; do
        [ -n "$p" ] && have "$p" || continue
        "$p" -c "import $(echo "$*" | tr ' ' ,)" >/dev/null 2>&1 && { command -v "$p"; return 0; }
    done
    return 1
}
start_moto() {
    local py
    py=$(find_python moto flask boto3) || need moto "pip install 'moto[server,s3]' boto3 (then S3_PYTHON=VENV/bin/python)"
    [ -n "${CHECK:-}" ] && return 0
    local args=(-H 127.0.0.1 -p "$PORT")
    [ "$TLS" = 1 ] && args+=(-s -c "$RUN/cert.pem" -k "$RUN/key.pem")
    # moto compares a condition and stores in two steps; a lock makes them one, as in a real engine. It ignores the conditions of
    # copies, which AWS keeps (API reference, CopyObject: If-None-Match, x-amz-copy-source-if-match).
    launch moto env PLAIN_COPIES="$PLAIN_COPIES" "$py" -c '
import functools, os, sys, threading
from urllib.parse import unquote
from moto.s3.exceptions import PreconditionFailed
from moto.s3.responses import S3Response
from moto.server import main
lock = threading.RLock()
copy_object = S3Response.copy_object
def copy_under_conditions(self):
    bucket, key = unquote(self.headers["x-amz-copy-source"]).lstrip("/").split("/", 1)
    source, tag = self.backend.get_object(bucket, key), self.headers.get("x-amz-copy-source-if-match")
    if tag and source is not None and tag.strip("\"") != source.etag.strip("\""):
        raise PreconditionFailed("x-amz-copy-source-If-Match")
    if self.headers.get("If-None-Match") == "*" and self.backend.get_object(self.bucket_name, self.parse_key_name()):
        raise PreconditionFailed("If-None-Match")
    return copy_object(self)
if not os.environ["PLAIN_COPIES"]: S3Response.copy_object = copy_under_conditions
def alone(method):
    @functools.wraps(method)
    def locked(*arguments, **named):
        with lock: return method(*arguments, **named)
    return locked
for name in ("put_object", "copy_object", "delete_object"): setattr(S3Response, name, alone(getattr(S3Response, name)))
main(sys.argv[1:])' "${args[@]}"
    wait_http "$SCHEME://127.0.0.1:$PORT/moto-api/" moto
    VERSION=$("$py" -c 'import moto; print(moto.__version__)')
}

# ---------------------------------------------------------------- pys3local
start_pys3local() {
    local py
    py=$(find_python pys3local) || need pys3local "pip install pys3local (then S3_PYTHON=VENV/bin/python)"
    [ -n "${CHECK:-}" ] && return 0
    [ "$TLS" = 0 ] || die "pys3local has no TLS"
    mkdir -p "$RUN/srv"
    HOME="$RUN" launch pys3local "$py" -c 'import sys; from pys3local.cli import main; sys.exit(main())' serve --path "$RUN/srv" \
        --listen "127.0.0.1:$PORT" --access-key-id "$ACCESS" --secret-access-key "$SECRET" --region "$REGION" --allow-bucket-creation
    wait_http "http://127.0.0.1:$PORT/" pys3local
    VERSION=$("$py" -c 'import importlib.metadata as m; print(m.version("pys3local"))')
}

# --------------------------------------------------------------------- main
[ $# -ge 1 ] || usage
VERB=$1; shift
case $VERB in -h|--help|help) usage 0 ;; esac
RUN="" PORT="" ACCESS="" SECRET="" BUCKET=syncd OSDS=1 STORE=memstore GATEWAYS=1 REGION=us-east-1 TLS=0 TIMEOUT=300 SECOND=0 OWNER="" PLAIN_COPIES=""
WORDS=()
while [ $# -gt 0 ]; do
    case $1 in
        --port|--run-dir|--access-key|--secret-key|--bucket|--osds|--store|--gateways|--region|--timeout|--owner)
            [ $# -ge 2 ] || usage
            case $1 in
                --port) PORT=$2 ;; --run-dir) RUN=$2 ;; --access-key) ACCESS=$2 ;; --secret-key) SECRET=$2 ;;
                --bucket) BUCKET=$2 ;; --osds) OSDS=$2 ;; --store) STORE=$2 ;; --gateways) GATEWAYS=$2 ;;
                --region) REGION=$2 ;; --timeout) TIMEOUT=$2 ;; --owner) OWNER=$2 ;;
            esac; shift 2 ;;
        --tls) TLS=1; shift ;;
        --second-user) SECOND=1; shift ;;
        --plain-copies) PLAIN_COPIES=1; shift ;;
        --) shift; WORDS+=("$@"); break ;;
        *) [ "$VERB" = admin ] || case $1 in -*) usage ;; esac; WORDS+=("$1"); shift ;;
    esac
done
case $VERB in
check)
    [ ${#WORDS[@]} -gt 0 ] || WORDS=(ceph swift moto pys3local)
    rc=0
    for k in "${WORDS[@]}"; do
        case $k in ceph|swift|moto|pys3local) ;; *) echo "$k: no such kind"; rc=2; continue ;; esac
        if out=$( (CHECK=1; KIND=$k; "start_$k") 2>&1 ); then echo "$k: ready"; else echo "$k: $out"; rc=3; fi
    done
    exit $rc ;;
stop|status|admin|kill|again)
    [ -n "$RUN" ] && [ -d "$RUN" ] || { [ "$VERB" = stop ] && { echo "stopped: nothing was running"; exit 0; }; usage; }
    RUN=$(cd "$RUN" && pwd -P)
    case $VERB in
    stop) stop_all; exit 0 ;;
    admin) exec radosgw-admin -c "$RUN/ceph.conf" ${WORDS[@]+"${WORDS[@]}"} ;;
    kill) [ ${#WORDS[@]} = 1 ] && [ -n "$(proc_of "${WORDS[0]}")" ] || usage; end_proc KILL "${WORDS[0]}"; exit 0 ;;
    again)
        [ ${#WORDS[@]} = 1 ] && [ -f "$RUN/${WORDS[0]}.cmd" ] || usage
        eval "launch ${WORDS[0]} $(cat "$RUN/${WORDS[0]}.cmd")"; exit 0 ;;
    status)
        up=0
        [ -f "$RUN/procs" ] && while read -r n pid stamp; do
            if proc_alive "$pid" "$stamp"; then up=1; echo "$n $pid $(awk '/^VmRSS/{print $2}' "/proc/$pid/status")"; else echo "$n gone"; fi
        done <"$RUN/procs"
        [ $up = 1 ] || { echo "not running"; exit 1; }; exit 0 ;;
    esac ;;
start)
    [ ${#WORDS[@]} -eq 1 ] || usage
    KIND=${WORDS[0]}
    case $KIND in ceph|swift|moto|pys3local) ;; *) echo "$me: no such kind: $KIND" >&2; usage ;; esac
    case $STORE in memstore|bluestore) ;; *) usage ;; esac
    [ -n "$PORT" ] || PORT=$(free_port)
    for n in "$PORT" "$OSDS" "$GATEWAYS" "$TIMEOUT"; do case $n in ''|*[!0-9]*) usage ;; esac; done
    [ -n "$RUN" ] && [ "$OSDS" -ge 1 ] && [ "$GATEWAYS" -ge 1 ] || usage
    case $ACCESS$SECRET$REGION$BUCKET in *[!A-Za-z0-9/+=._-]*) die "keys, region and bucket may hold A-Za-z0-9/+=._- only" ;; esac
    have curl || need curl "apt-get install curl"
    have python3 || need python3 "apt-get install python3"
    mkdir -p "$RUN/log" || die "cannot make $RUN"
    RUN=$(cd "$RUN" && pwd -P)
    case $RUN in *[!A-Za-z0-9/._+-]*) die "--run-dir may hold A-Za-z0-9/._+- only: $RUN" ;; esac
    if [ -f "$RUN/procs" ]; then
        while read -r n pid stamp; do proc_alive "$pid" "$stamp" && die "a server of this run dir is running already: stop it first"; done <"$RUN/procs"
    fi
    for i in $(seq "$GATEWAYS"); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$((PORT + i - 1))") 2>/dev/null; then die "port $((PORT + i - 1)) is taken"; fi
    done
    rm -rf "$RUN/procs" "$RUN/server.env" "$RUN/mon" "$RUN/monmap" "$RUN"/osd[0-9]* "$RUN/srv" "$RUN/etc" "$RUN/log"; mkdir -p "$RUN/log"; : >"$RUN/procs"
    echo "$STORE" >"$RUN/store"
    rnd() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n' | tr a-f A-F; }
    [ -n "$ACCESS" ] || ACCESS=AKTEST$(rnd 7)
    [ -n "$SECRET" ] || SECRET=$(od -An -N30 -tx1 /dev/urandom | tr -d ' \n' | head -c 40)
    ACCESS2=AKTEST$(rnd 7); SECRET2=$(od -An -N30 -tx1 /dev/urandom | tr -d ' \n' | head -c 40)
    SCHEME=http VERSION=""
    [ "$TLS" = 1 ] && { make_cert; SCHEME=https; }
    T0=$(now_ms)
    trap 'stop_all >/dev/null 2>&1; exit 1' INT TERM
    "start_$KIND"
    [ -n "$BUCKET" ] && s3_make_bucket "$SCHEME://127.0.0.1:$PORT" "$ACCESS" "$SECRET" "$BUCKET"
    trap - INT TERM
    stop_with_owner
    {
        echo "ENDPOINT=$SCHEME://127.0.0.1:$PORT"
        for i in $(seq 2 "$GATEWAYS"); do echo "ENDPOINT_$i=$SCHEME://127.0.0.1:$((PORT + i - 1))"; done
        echo "REGION=$REGION"
        echo "ACCESS_KEY=$ACCESS"; echo "SECRET_KEY=$SECRET"
        [ "$SECOND" = 1 ] && [ "$KIND" = ceph ] && { echo "ACCESS_KEY_2=$ACCESS2"; echo "SECRET_KEY_2=$SECRET2"; }
        echo "BUCKET=$BUCKET"
        echo "PATH_STYLE=true"
        echo "KIND=$KIND"; echo "VERSION=$VERSION"
        echo "PIDS=$(awk '{printf "%s%s", s, $2; s = ","}' "$RUN/procs")"
        echo "LOG=$RUN/log"; echo "RUN_DIR=$RUN"
        [ "$TLS" = 1 ] && echo "CA=$RUN/ca.pem"
        echo "START_MS=$(($(now_ms) - T0))"
        echo "RSS_KIB=$(rss)"
    } | tee "$RUN/server.env"
    exit 0 ;;
*) usage ;;
esac
