#!/usr/bin/env bash
# The official conformance suites of both protocol eras and the inspector's strict checks, against the
# product's own application with the suite's fixtures. Needs npm; downloads are kept in a cache folder.
#
#   tests/conformance/run.sh            exit code 0: every scenario that applies passed
#
# PYTHON names the interpreter, CONFORMANCE_CACHE the folder of the npm packages.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-$root/.venv/bin/python}
cache=${CONFORMANCE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/research-mcp-conformance}

install() { # folder, packages...
  local folder=$cache/$1
  shift
  if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --silent "$@"
    touch "$folder/complete"
  fi
}

install node node@22
install handshake @modelcontextprotocol/conformance@0.1.16
install modern @modelcontextprotocol/conformance@0.2.0-alpha.12
install inspector @modelcontextprotocol/inspector@2.12.0
node=$cache/node/node_modules/.bin/node
"$node" -e 'if (+process.versions.node.split(".")[0] < 22) { console.error("node 22 is needed"); process.exit(1) }'

work=$(mktemp -d)
port=$("$python" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/mcp
(cd "$root" && exec "$python" -m tests.conformance.fixture_server "$port") >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$work"' EXIT

for _ in $(seq 300); do
  "$python" -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null && break
  kill -0 $server 2>/dev/null || { cat "$work/server.log"; exit 1; }
  sleep 0.2
done

failed=0
suite() { # title, command...
  local title=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    echo "ok      $title"
  else
    failed=1
    echo "FAILED  $title"
    sed -n '/=== SUMMARY/,$p' "$work/out" | grep . || tail -40 "$work/out"
  fi
}

conformance() { # folder, arguments...
  local cli=$cache/$1/node_modules/.bin/conformance
  shift
  "$node" "$cli" server --url "$url" -o "$work/results" "$@"
}

inspector() {
  PATH=$(dirname "$node"):$PATH "$cache/inspector/node_modules/.bin/mcp-inspector" --cli "$url" \
    --transport http "$@"
}

suite "conformance 0.1.16, handshake era" \
  conformance handshake --expected-failures "$here/baseline-handshake.yml"
suite "conformance 0.2.0-alpha.12, 2026-07-28" \
  conformance modern --requirements 2026-07-28 --expected-failures "$here/baseline-2026-07-28.yml"
for era in legacy modern; do
  suite "inspector --strict, tools/list, $era era" \
    inspector --method tools/list --strict --protocol-era $era
  suite "inspector, tools/call, $era era" inspector --method tools/call --tool-name web_search \
    --tool-arg query=asyncio --protocol-era $era
done
exit $failed
