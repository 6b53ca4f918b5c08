#!/usr/bin/env bash
# Run real programs, if they are installed, over "comch relay" on the emulated machine: Redis, PostgreSQL, OpenSSH, an
# HTTP server with curl, nc. Then inject faults: stop or kill the client, each relay and the target, read slowly, and
# take the target down and up. At the end, check that nothing is left behind.
#
#     scripts/dev/relay.sh [NAME...]     redis, postgres, ssh, http, halfclose, short, faults; without a name: all
#
#     scripts/dev/relay.sh speed       compare with two socat processes
#     scripts/dev/relay.sh streams     the same for one bulk stream, eight, and small requests beside eight
#
# Needs the tool's classes: mvn -DskipTests -DskipITs package, or another class path with them in COMCH4J_CLASSPATH.
# MIB=1024 is the size of the file for scp; SHORT=10000 the number of streams; ROUNDS=6 is for speed and streams.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
for each; do
  case $each in
    -h|--help) usage; exit 0 ;;
    redis|postgres|ssh|http|halfclose|short|faults|speed|streams) ;;
    -*) die "no such option: $each (--help lists them)" ;;
    *) die "no such program: $each (--help lists them)" ;;
  esac
done
cd "$COMCH4J_ROOT" || exit 1
need jdk
java=$JDK/bin/java
classpath=${COMCH4J_CLASSPATH:-target/classes:target/tool/lib/*}
work=$(mktemp -d /dev/shm/relay.XXXX)
export DOCA_EMU_DIR=$work/fabric
mkdir "$DOCA_EMU_DIR"
pids=()
failed=0
trap 'for pid in "${pids[@]}"; do kill -CONT "$pid"; kill "$pid"; done 2>/dev/null; sleep 1; rm -rf "$work"' EXIT

relay() { # SIDE LOG ARGUMENTS: its process in $last
  local side=$1 log=$2
  shift 2
  DOCA_EMU_SIDE=$side $java -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$classpath" \
    io.github.comch4j.cli.Comch relay -v -W 60 "$@" 2>"$work/$log" &
  last=$!
  pids+=("$last")
}

until_() { # WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
  echo "gave up waiting for $what"
  return 1
}

result() { # NAME STATUS TEXT
  if [ "$2" = 0 ]; then echo "ok      $1  $3"; else echo "FAILED  $1  $3"; failed=1; fi
}

lacks() { # NAME PROGRAM...
  local name=$1
  shift
  for program; do
    command -v "$program" >/dev/null || { echo "skipped $name  $program is not installed"; return 0; }
  done
  return 1
}

threads() { ls "/proc/$1/task" | wc -l; }
descriptors() { ls "/proc/$1/fd" | wc -l; }
maps() { grep -c . "/proc/$1/maps"; }
held() { echo "$(threads "$1") threads, $(descriptors "$1") descriptors"; }
freePort() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

# A pair of relays: $dpu, $host, the socket $work/NAME.sock and the port $port, to the target $2.
pair() {
  relay dpu "$1.dpu" "comch:$1" "$2"
  dpu=$last
  port=$(freePort)
  relay host "$1.host" "unix:$work/$1.sock" "comch:$1" "tcp:$port" "comch:$1"
  host=$last
  until_ "the relay of $1" listens "$port"
}

redis() {
  lacks redis redis-server redis-benchmark && return
  local target
  target=$(freePort)
  redis-server --port "$target" --save '' --appendonly no --dir "$work" >/dev/null &
  pids+=($!)
  until_ redis listens "$target" && pair redis "tcp:$target" || return
  for pipeline in 1 16; do
    out=$(timeout 300 redis-benchmark -s "$work/redis.sock" -c 50 -n 50000 -P $pipeline -t set,get --csv 2>&1)
    result "redis -c 50 -P $pipeline" $? "$(tail -1 <<<"$out")"
  done
}

postgres() {
  lacks postgres psql pgbench && return
  local bin target
  bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
  [ -n "$bin" ] || { echo "skipped postgres  the server is not installed"; return; }
  target=$(freePort)
  local as=()
  mkdir "$work/pg"
  if [ "$(id -u)" = 0 ]; then
    chmod 755 "$work"
    chown postgres "$work/pg"
    as=(setpriv --reuid postgres --regid postgres --clear-groups)
  fi
  "${as[@]}" "$bin/initdb" -D "$work/pg/data" -A trust -U tester >/dev/null || { result postgres 1 initdb; return; }
  "${as[@]}" "$bin/postgres" -D "$work/pg/data" -p "$target" -k "$work/pg" >"$work/pg.log" 2>&1 &
  pids+=($!)
  until_ postgres listens "$target" && pair postgres "tcp:$target" || return
  local at="-h 127.0.0.1 -p $port -U tester"
  result psql "$([ "$(psql $at -Atc 'select 6*7' postgres)" = 42 ]; echo $?)" "select"
  out=$(pgbench $at -i -s 1 -q postgres 2>&1 && timeout 120 pgbench $at -C -c 4 -t 50 postgres 2>&1)
  result "pgbench -C" $? "$(grep tps <<<"$out" | tail -1)"
}

ssh_() {
  lacks ssh sshd ssh scp ssh-keygen && return
  local target
  target=$(freePort)
  mkdir -p -m 755 /run/sshd 2>/dev/null
  ssh-keygen -q -t ed25519 -N '' -f "$work/hostkey"
  ssh-keygen -q -t ed25519 -N '' -f "$work/key"
  cp "$work/key.pub" "$work/authorized"
  "$(command -v sshd)" -D -e -p "$target" -f /dev/null -h "$work/hostkey" -o StrictModes=no -o UsePAM=no \
    -o "AuthorizedKeysFile=$work/authorized" -o "PidFile=$work/sshd.pid" -o PermitRootLogin=yes \
    -o "Subsystem=sftp internal-sftp" 2>"$work/sshd.log" &
  pids+=($!)
  until_ sshd listens "$target" && pair ssh "tcp:$target" || return
  local common=(-i "$work/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR
    -o BatchMode=yes)
  local proxy="env DOCA_EMU_SIDE=host $java -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED"
  proxy="$proxy -cp '$PWD/target/classes:$PWD/target/tool/lib/*' io.github.comch4j.cli.Comch relay - comch:ssh"
  result "ssh login by ProxyCommand" \
    "$([ "$(timeout 60 ssh "${common[@]}" -o "ProxyCommand=$proxy" "$(id -un)@dpu" echo here)" = here ]; echo $?)" ""
  head -c $((${MIB:-1024} << 20)) /dev/urandom >"$work/big"
  timeout 550 scp -q -P "$port" "${common[@]}" "$work/big" "$(id -un)@127.0.0.1:$work/copy" &&
    cmp "$work/big" "$work/copy"
  result "scp of ${MIB:-1024} MiB" $? "same bytes"
  rm -f "$work/big" "$work/copy"
}

http() {
  lacks http python3 curl && return
  local target
  target=$(freePort)
  mkdir "$work/www"
  head -c 3000000 /dev/urandom >"$work/www/file"
  python3 -c "
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory='$work/www')
handler.func.protocol_version = 'HTTP/1.1'
http.server.ThreadingHTTPServer(('127.0.0.1', $target), handler).serve_forever()" 2>/dev/null &
  pids+=($!)
  until_ "the HTTP server" listens "$target" && pair http "tcp:$target" || return
  url=http://localhost/file
  out=$(timeout 60 curl -sS --unix-socket "$work/http.sock" -w '%{num_connects} ' -o "$work/1" $url -o "$work/2" $url)
  cmp "$work/www/file" "$work/1" && cmp "$work/www/file" "$work/2" && [ "$out" = "1 0 " ]
  result "curl with keep-alive" $? "connections made: $out"
  timeout 60 curl -sS --unix-socket "$work/http.sock" $url 2>/dev/null | head -c 1000 >/dev/null
  timeout 60 curl -sS --unix-socket "$work/http.sock" -o "$work/1" $url && cmp "$work/www/file" "$work/1"
  result "a client that hangs up in the middle" $? "the next one is served"
}

halfclose() {
  lacks halfclose nc && return
  pair half "exec:sort -r"
  out=$(seq 100000 | timeout 60 nc -N -U "$work/half.sock" | sha256sum)
  [ "$out" = "$(seq 100000 | sort -r | sha256sum)" ]
  result "nc -N over a Unix socket" $? "sorted after the end of the input"
  out=$(seq 100000 | timeout 60 nc -N 127.0.0.1 "$port" | sha256sum)
  [ "$out" = "$(seq 100000 | sort -r | sha256sum)" ]
  result "nc -N over TCP" $? ""
}

# An echo server in Python, of its own process: $echo, at $target.
echoes() {
  target=$(freePort)
  echo_
}

echo_() {
  python3 -c "
import socketserver
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            while data := self.request.recv(65536): self.request.sendall(data)
        except OSError: pass
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True; request_queue_size = 512
Server(('127.0.0.1', $target), Echo).serve_forever()" &
  echo=$!
  pids+=($echo)
  until_ "the echo server" listens "$target"
}

# Runs a client in Python with the name s for a connection.
client() { timeout 120 python3 -c "
import socket, sys, threading, time
def connect():
    s = socket.create_connection(('127.0.0.1', $port)); s.settimeout(60); return s
def exactly(s, n):
    b = b''
    while len(b) < n:
        x = s.recv(min(65536, n - len(b)))
        if not x: raise EOFError(len(b))
        b += x
    return b
$1"; }

short() {
  lacks short python3 && return
  echoes && pair short "tcp:$target" || return
  one="
for i in range(COUNT):
    s = connect(); s.sendall(b'x' * 100); assert exactly(s, 100) == b'x' * 100; s.close()"
  client "${one/COUNT/500}" || return
  sleep 2
  local before after
  before="$(held $dpu), $(held $host)"
  local mapsBefore=$(($(maps $dpu) + $(maps $host)))
  client "${one/COUNT/${SHORT:-10000}}"
  result "${SHORT:-10000} short streams" $? ""
  sleep 2
  after="$(held $dpu), $(held $host)"
  [ "$before" = "$after" ]
  result "nothing is left" $? \
    "$before, then $after; maps $mapsBefore, then $(($(maps $dpu) + $(maps $host)))"
}

# NAME PID BEFORE: it has no more threads and descriptors than before; maps are told.
keeps() {
  sleep 2
  local after
  after=$(held "$2")
  [ "$after" = "$3" ]
  result "$1" $? "$3, then $after; $(maps "$2") maps"
}

faults() {
  lacks faults python3 && return
  echoes && pair faults "tcp:$target" || return
  alive="s = connect(); s.sendall(b'a'); assert exactly(s, 1) == b'a'"
  client "
for _ in range(200): s = connect(); s.sendall(b'a'); assert exactly(s, 1) == b'a'; s.close()"
  result "200 short streams" $? ""
  sleep 2
  local ofDpu ofHost
  ofDpu=$(held $dpu) ofHost=$(held $host)

  both="
s = connect(); s.settimeout(60); n = 0
t = threading.Thread(target=lambda: [s.sendall(b'y' * 1000) or time.sleep(0.001) for _ in range(8000)])
t.start(); HERE; assert exactly(s, 8000000 - n) == b'y' * (8000000 - n); t.join()"
  for name in dpu host echo; do
    (sleep 2; kill -STOP "${!name}"; sleep 10; kill -CONT "${!name}") &
    client "${both/HERE/pass}"
    result "$name stopped for 10 s" $? "all bytes arrive"
  done
  client "
import os, signal, subprocess
def stand():
    subprocess.Popen(['sh', '-c', 'sleep 10; kill -CONT %d' % os.getpid()]); os.kill(os.getpid(), signal.SIGSTOP)
${both/HERE/n = 100000; exactly(s, n); stand()}"
  result "client stopped for 10 s" $? "all bytes arrive"

  client "
slow = connect(); slow.setblocking(False); sent = 0
try:
    while sent < 64 << 20: sent += slow.send(b'z' * 65536); time.sleep(0.001)
except BlockingIOError: pass
errors = []
def fast():
    try:
        s = connect(); b = b'f' * 200000
        threading.Thread(target=lambda: s.sendall(b)).start()
        assert exactly(s, len(b)) == b
    except Exception as e: errors.append(e)
ts = [threading.Thread(target=fast) for _ in range(100)]
[t.start() for t in ts]; [t.join() for t in ts]
assert not errors, errors
print(sent >> 10, 'KiB were taken for the slow one')" >"$work/slow"
  result "a slow reader beside 100 fast streams" $? "$(cat "$work/slow")"

  client "s = connect(); time.sleep(3); s.close()"
  result "a client that says nothing" $? ""

  client "
import os, signal
all = [connect() for _ in range(20)]
for s in all: s.sendall(b'a' * 1000000)
os.kill(os.getpid(), signal.SIGKILL)" 2>/dev/null
  client "$alive"
  result "a client with 20 streams is killed" $? "the next one is served"

  client "
import os, signal
s = connect(); s.sendall(b'a'); exactly(s, 1); os.kill($echo, signal.SIGKILL)
try: assert s.recv(1) == b''
except ConnectionError: pass"
  result "the target is killed" $? "the stream ends"
  wait $echo 2>/dev/null
  client "
s = connect()
try: s.sendall(b'a'); assert s.recv(1) == b''
except ConnectionError: pass"
  result "the target is down" $? "the client is reset"
  echo_
  client "$alive"
  result "the target is up again" $? ""
  keeps "what the DPU's relay has after that" $dpu "$ofDpu"
  keeps "what the host's relay has after that" $host "$ofHost"

  client "
import os, signal
s = connect(); s.sendall(b'a'); exactly(s, 1); os.kill($dpu, signal.SIGKILL)
try: x = s.recv(1); sys.exit(1 if x else 0)
except ConnectionError: pass"
  result "the DPU's relay is killed" $? "the stream is reset"
  wait $dpu 2>/dev/null
  relay dpu again.dpu comch:faults "tcp:$target"
  dpu=$last
  client "$alive"
  result "and started again" $? ""
  keeps "what the host's relay has after that" $host "$ofHost"
  ofDpu=$(held $dpu)
  kill -9 "$host"
  wait "$host" 2>/dev/null
  relay host again.host "unix:$work/faults.sock" comch:faults "tcp:$port" comch:faults
  until_ "the relay" listens "$port"
  client "$alive"
  result "the host's relay is killed and started again" $? "its socket is replaced"
  keeps "what the DPU's relay has after that" $dpu "$ofDpu"
}

# Beside a chain of two socat over loop-back TCP, between the same Unix sockets, in turns. Says figures, judges nothing.
speed() {
  lacks speed socat redis-server redis-benchmark python3 && return
  local tcp way round clients
  redis-server --port 0 --unixsocket "$work/redis" --save '' --appendonly no --dir "$work" >/dev/null &
  pids+=($!)
  # -u: else it takes /dev/null's end for that of the other direction, and ends when nothing comes for half a second
  socat -u "UNIX-LISTEN:$work/sink,fork" OPEN:/dev/null,append &
  pids+=($!)
  until_ redis test -S "$work/redis" && until_ "the sink" test -S "$work/sink" || return
  relay dpu speed.dpu comch:redis "unix:$work/redis" comch:sink "unix:$work/sink"
  relay host speed.host "unix:$work/relay.redis" comch:redis "unix:$work/relay.sink" comch:sink
  for way in redis sink; do
    tcp=$(freePort)
    socat "TCP-LISTEN:$tcp,bind=127.0.0.1,fork,backlog=128,nodelay" "UNIX-CONNECT:$work/$way" &
    pids+=($!)
    socat "UNIX-LISTEN:$work/socat.$way,fork,backlog=128" "TCP:127.0.0.1:$tcp,nodelay" &
    pids+=($!)
  done
  until_ "the relay" test -S "$work/relay.sink" && until_ socat test -S "$work/socat.sink" || return
  for ((round = 1; round <= ${ROUNDS:-6}; round++)); do
    for way in relay socat; do
      for clients in 50 1; do
        echo "round $round  $way  GET -c $clients -P 1 (rps, average, min, p50, p95, p99, max in ms):" \
          "$(timeout 120 redis-benchmark -s "$work/$way.redis" -c $clients -n 30000 -t get --csv 2>/dev/null | tail -1)"
      done
      timeout 120 python3 -c "
import socket, time
s = socket.socket(socket.AF_UNIX); s.connect('$work/$way.sink'); b = b'x' * 65536; n = 8192; t = time.time()
for _ in range(n): s.sendall(b)
s.shutdown(socket.SHUT_WR)
while s.recv(65536): pass
print('round $round  $way  bulk %.0f MB/s' % (n * len(b) / 1e6 / (time.time() - t)))"
    done
  done
}

# Several streams at a time, of one relay and of a chain of socat. Says figures, judges nothing.
streams() {
  lacks streams socat python3 && return
  local way round
  local -A ports
  echoes || return
  socat -u "UNIX-LISTEN:$work/bulk,fork,backlog=128" OPEN:/dev/null,append &
  pids+=($!)
  until_ "the sink" test -S "$work/bulk" || return
  relay dpu streams.dpu comch:bulk "unix:$work/bulk" comch:echo "tcp:$target"
  relay host streams.host "unix:$work/relay.bulk" comch:bulk "unix:$work/relay.echo" comch:echo
  ports=([bulk]=$(freePort) [echo]=$(freePort))
  socat "TCP-LISTEN:${ports[bulk]},bind=127.0.0.1,fork,backlog=128,nodelay" "UNIX-CONNECT:$work/bulk" &
  pids+=($!)
  socat "TCP-LISTEN:${ports[echo]},bind=127.0.0.1,fork,backlog=128,nodelay" "TCP:127.0.0.1:$target,nodelay" &
  pids+=($!)
  for way in bulk echo; do
    socat "UNIX-LISTEN:$work/socat.$way,fork,backlog=128" "TCP:127.0.0.1:${ports[$way]},nodelay" &
    pids+=($!)
  done
  until_ "the relay" test -S "$work/relay.echo" && until_ socat test -S "$work/socat.echo" || return
  for ((round = 1; round <= ${ROUNDS:-6}; round++)); do
    for way in relay socat; do
      timeout 120 python3 -c "
import multiprocessing, socket, threading, time
def connect(name):
    s = socket.socket(socket.AF_UNIX); s.connect('$work/$way.' + name); s.settimeout(60); return s
def bulk(streams, total=512 << 20):
    def send():
        s = connect('bulk'); b = b'x' * 65536
        for _ in range(total // streams // len(b)): s.sendall(b)
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536): pass
    all = [threading.Thread(target=send) for _ in range(streams)]; t = time.time()
    [each.start() for each in all]; [each.join() for each in all]
    return total / 1e6 / (time.time() - t)
one, eight = bulk(1), bulk(8)
beside = multiprocessing.Process(target=bulk, args=(8, 1 << 30)); s = connect('echo'); waits = []
s.sendall(b'x' * 100); s.recv(100); beside.start(); time.sleep(0.1)
while beside.is_alive():
    t = time.time(); s.sendall(b'x' * 100); n = 0
    while n < 100: n += len(s.recv(100 - n))
    waits.append((time.time() - t) * 1e3); time.sleep(0.001)
waits.sort()
p50, p99 = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
print('round $round  $way  bulk MB/s: one stream %.0f, eight %.0f;' % (one, eight),
    'a small request beside eight, ms: median %.1f, p99 %.1f' % (p50, p99))"
    done
  done
}

[ $# -gt 0 ] || set -- redis postgres ssh http halfclose short faults
for each; do
  [ "$each" = ssh ] && each=ssh_
  "$each"
done
exit $failed
