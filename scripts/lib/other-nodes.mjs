import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The versions of Node.js that Parley is tried on beside the machine's own, oldest first.
 *
 * @type {readonly [string, string, string]}
 */
export const OTHER_NODES = ['22.23.3', '24.21.0', '26.10.0'];
/** The version that the image has. */
export const NODE_OF_IMAGE = OTHER_NODES[1];

/** How npm reaches its registry, such as through the proxy of a company. */
const OF_NETWORK = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no)_proxy|npm_config_(registry|cafile))$/i;
const FOLDER = fileURLToPath(new URL('../../.cache/nodes', import.meta.url));

/**
 * The program of a version of Node.js, from its package on npm for this machine; downloaded once per checkout.
 *
 * @param {string} version such as `24.21.0`
 * @returns {Promise<string>} its absolute path
 */
export async function otherNode(version) {
  const folder = join(FOLDER, version);
  const name = `node-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  const unfinished = join(FOLDER, `${version}-${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const options = ['--prefix', unfinished, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', ...options, `${name}@${version}`]);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(program)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return program;
}

/**
 * The environment in which a program finds this Node.js first, and no compiler of C++.
 *
 * @param {string} program of Node.js
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutCompiler(program) {
  const none = '/nonexistent/compiler';
  const network = Object.entries(process.env).filter(([name]) => OF_NETWORK.test(name));
  return {
    ...Object.fromEntries(network),
    PATH: `${dirname(program)}:${process.env.PATH}`,
    HOME: process.env.HOME,
    TMPDIR: process.env.TMPDIR,
    CC: none,
    CXX: none,
    npm_config_python: none,
  };
}
