// Makes the root file system of a base image from this Debian machine: the named packages with all that they depend on,
// and the Node.js of the image below /usr/local, where the official images have it. It stands in for the official images where no
// image registry can be reached.
//   node .ci/rootfs.mjs <empty folder> build|runtime
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NODE_OF_IMAGE, otherNode } from '../scripts/lib/other-nodes.mjs';

const RUNTIME = ['bash', 'base-files', 'coreutils', 'dash', 'libc-bin', 'libstdc++6'];
const BUILD = [...RUNTIME, 'ca-certificates', 'findutils', 'grep', 'gzip', 'sed', 'tar'];
const UNNEEDED = /^\/(usr\/share\/(doc|man|locale|info|lintian|bash-completion|common-licenses|zoneinfo)|var)\//;
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

const [target = '', kind = 'runtime'] = process.argv.slice(2);
const packages = closure(kind === 'build' ? BUILD : RUNTIME);
mkdirSync(join(target, 'usr'), { recursive: true });
for (const folder of MERGED) symlinkSync(`usr/${folder}`, join(target, folder));
for (const folder of ['tmp', 'proc', 'sys', 'dev', 'root', 'run', 'etc', 'var/tmp']) {
  mkdirSync(join(target, folder), { recursive: true });
}
const node = await otherNode(NODE_OF_IMAGE);
copy([...files(packages), ...libraries(node)]);
copyNode();
writeFileSync(join(target, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
writeFileSync(join(target, 'etc/group'), 'root:x:0:\n');
if (kind === 'build') copyTrust();

/**
 * Installed packages that the named ones need, directly or not.
 *
 * @param {readonly string[]} names
 */
function closure(names) {
  const format = '${binary:Package}\\t${Package}\\t${Pre-Depends}, ${Depends}\\t${Provides}\\n';
  const installed = new Map();
  for (const line of output('dpkg-query', ['-W', '-f', format]).split('\n')) {
    const [id, name = '', depends = '', provides = ''] = line.split('\t');
    const entry = { id, depends: depends.split(',').filter((part) => part.trim() !== '') };
    for (const provided of provides.split(',').map(plain)) {
      if (provided !== '' && !installed.has(provided)) installed.set(provided, entry);
    }
    installed.set(name, entry);
  }
  const found = new Set();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const entry = installed.get(name);
    if (entry === undefined) throw new Error(`The package ${name} is not installed`);
    if (found.has(entry.id)) continue;
    found.add(entry.id);
    for (const alternatives of entry.depends) {
      const chosen = alternatives
        .split('|')
        .map(plain)
        .find((candidate) => installed.has(candidate));
      if (chosen !== undefined) open.push(chosen);
    }
  }
  return [...found];
}

/** @param {string} dependency such as `libc6:any (>= 2.36)` */
function plain(dependency) {
  return dependency.trim().replace(/[\s(:].*$/, '');
}

/** @param {readonly string[]} ids */
function files(ids) {
  return output('dpkg-query', ['-L', ...ids])
    .split('\n')
    .filter((path) => path.startsWith('/') && path !== '/.' && !UNNEEDED.test(path));
}

/**
 * The shared libraries of a program.
 *
 * @param {string} program
 */
function libraries(program) {
  const paths = [...output('ldd', [program]).matchAll(/\/\S+/g)].map(([path]) => path);
  return paths.filter((path) => existsSync(path)).flatMap((path) => [path, realpathSync(path)]);
}

/**
 * Copies files, links and folders, each at its place in a merged /usr.
 *
 * @param {readonly string[]} paths
 */
function copy(paths) {
  const places = new Set();
  for (const path of paths) {
    if (existsSync(dirname(path)) && !MERGED.includes(path.slice(1))) {
      places.add(join(realpathSync(dirname(path)), basename(path)).slice(1));
    }
  }
  const list = [...places].sort().join('\n');
  const archive = execFileSync('tar', ['-C', '/', '--no-recursion', '--ignore-failed-read', '-cf', '-', '-T', '-'], {
    input: list,
    maxBuffer: 2 ** 31,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  execFileSync('tar', ['-C', target, '-xf', '-'], { input: archive });
}

/** Node.js, and for building npm. */
function copyNode() {
  const local = join(target, 'usr/local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(node, join(local, 'bin/node'));
  if (kind !== 'build') return;
  const npm = join(output('npm', ['root', '-g']).trim(), 'npm');
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
}

/** The certificates that this machine trusts, and npm's settings for the whole machine. */
function copyTrust() {
  mkdirSync(join(target, 'etc/ssl/certs'), { recursive: true });
  cpSync('/etc/ssl/certs/ca-certificates.crt', join(target, 'etc/ssl/certs/ca-certificates.crt'));
  const settings = output('npm', ['config', 'get', 'globalconfig']).trim();
  if (!existsSync(settings)) return;
  mkdirSync(join(target, 'usr/local/etc'), { recursive: true });
  cpSync(settings, join(target, 'usr/local/etc/npmrc'));
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function output(command, args) {
  return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
}
