#!/usr/bin/env bash
# Builds the image of the Dockerfile, all stages, and starts it as an operator would who allows it nothing: another user
# than root, no capabilities, a read-only root. Needs buildah, podman, runc, and no registry of
# images: the base images are made from this machine (rootfs.mjs). Exit code 0 also if this machine does not allow
# containers; it then says so.
set -u
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d "${TMPDIR:-/tmp}/parley-image.XXXXXX")
driver=overlay name=parley-ci-$$ image=localhost/parley:ci

store() {
  local tool=$1
  shift
  "$tool" --root "$work/store" --runroot "$work/run" --storage-driver "$driver" "$@"
}
podman_run() {
  # Limits above the machine's own would need a capability.
  store podman --cgroup-manager cgroupfs --runtime runc run --network host \
    --ulimit nofile=4096:4096 --ulimit nproc=2048:2048 "$@"
}
finish() {
  store podman --cgroup-manager cgroupfs rm -f -t 0 "$name" >/dev/null 2>&1
  umount "$work/store/overlay" 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT

skip() { echo "Skipped: $1"; exit 0; }
fail() {
  echo "$1"
  store podman logs "$name" 2>&1 | tail -n 20
  exit 1
}
# expect <what> <wanted> <found>
expect() { [ "$2" = "$3" ] || fail "$1: expected $2, found $3"; echo "$1: $3"; }

for tool in buildah podman runc dpkg-query; do
  command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || skip "there is no $tool"
done

# Base images under the names that the Dockerfile has, and a first container that shows whether any can run.
import_base() {
  local reference
  reference=$(sed -n "s/^ARG $2=//p" Dockerfile)
  tar -C "$work/$1" -cf - . | store podman import - "$reference" >"$work/import.log" 2>&1
}
for kind in build runtime; do
  node .ci/rootfs.mjs "$work/$kind" "$kind" 2>"$work/rootfs.log" || { tail -n 5 "$work/rootfs.log"; skip 'no base image could be made'; }
done
if ! import_base runtime RUNTIME_IMAGE; then
  driver=vfs
  import_base runtime RUNTIME_IMAGE || { tail -n 5 "$work/import.log"; skip 'this machine cannot store images'; }
fi
import_base build BUILD_IMAGE || fail "$(tail -n 5 "$work/import.log")"
podman_run --rm --read-only --cap-drop ALL --user 10001 "$(sed -n 's/^ARG RUNTIME_IMAGE=//p' Dockerfile)" node -e 0 >"$work/probe.log" 2>&1 ||
  { tail -n 2 "$work/probe.log"; skip 'this machine cannot start containers'; }

cache=$(npm config get cache 2>/dev/null)
options=(--isolation chroot --format docker --volume "$cache:/root/.npm" --build-arg VERSION=ci --build-arg REVISION=ci)
[ -f "$HOME/.npmrc" ] && options+=(--secret "id=npmrc,src=$HOME/.npmrc")
started=$SECONDS
store buildah bud "${options[@]}" -t "$image" . >"$work/build.log" 2>&1 || { tail -n 30 "$work/build.log"; exit 1; }
echo "Built in $((SECONDS - started)) s"

inside() { podman_run --rm --read-only --cap-drop ALL "$image" "$@"; }
expect 'user' '10001:10001' "$(store podman image inspect -f '{{.Config.User}}' "$image")"
expect 'label' 'Parley ci' "$(store podman image inspect -f '{{index .Labels "org.opencontainers.image.title"}} {{index .Labels "org.opencontainers.image.version"}}' "$image")"
expect 'bill of materials' 'CycloneDX parley' "$(inside node -p "const { bomFormat, metadata } = JSON.parse(fs.readFileSync('sbom.cdx.json')); bomFormat + ' ' + metadata.component.name")"
expect 'development packages and sources' 'none' "$(inside sh -c 'ls -d src node_modules/typescript node_modules/jest 2>/dev/null || echo none')"
expect 'packages of model providers' '9' "$(inside node -e "import('./scripts/image-packages.mjs').then(({ PROVIDER_PACKAGES: all }) => console.log(all.filter((name) => require.resolve(name)).length))")"
expect 'a start that does not say who may call' '1' "$(inside >/dev/null 2>&1; echo $?)"

port=$(node .ci/postgres.mjs free-port)
podman_run -d --name "$name" --read-only --tmpfs /tmp --user 10001 --cap-drop ALL --security-opt no-new-privileges \
  -e PORT="$port" -e ALLOW_UNAUTHENTICATED=true -e PUBLIC_BASE_URL="http://127.0.0.1:$port" "$image" >/dev/null || fail 'The container does not start'
for ((tries = 0; tries < 300; tries++)); do
  curl -fs "http://127.0.0.1:$port/readiness" >/dev/null && break
  [ "$(store podman inspect -f '{{.State.Running}}' "$name")" = true ] || fail 'The server ended'
  sleep 0.2
done
in_server() { store podman --runtime runc exec "$name" "$@"; }
expect 'capabilities' '0000000000000000' "$(in_server sed -n 's/^CapEff:\s*//p' /proc/1/status 2>/dev/null || in_server node -p "/CapEff:\s*(\w+)/.exec(fs.readFileSync('/proc/1/status','utf8'))[1]")"
expect 'write to the root' 'EROFS' "$(in_server node -p "try { fs.writeFileSync('/opt/parley/x', ''); 'written' } catch (error) { error.code }")"
expect 'health check' '0' "$(in_server node scripts/healthcheck.mjs; echo $?)"
answer=$(curl -fsS --max-time 20 "http://127.0.0.1:$port/process" -H 'content-type: application/json' \
  -d '{"stream":false,"input":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}' | node -p "JSON.parse(fs.readFileSync(0)).status")
expect 'a run' 'completed' "$answer"
in_server node scripts/manage.mjs tenant list >/dev/null || fail 'Administration in the container fails'
store podman --cgroup-manager cgroupfs stop -t 20 "$name" >/dev/null 2>&1
expect 'exit code after SIGTERM' '0' "$(store podman inspect -f '{{.State.ExitCode}}' "$name")"
