import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintFiles, listFiles, readJson } from './fingerprint.mjs';
import { writeStamp } from './stamp.mjs';

const STAMP = 'dist/.build.json';
const BUILD_INFO = '.cache/tsconfig.build.tsbuildinfo';
/** A change of these makes every compiled file old. */
const GROUND = ['package-lock.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.client.json'];

/** The compiled entry of the server. */
export const ENTRY = 'dist/src/main.js';

/**
 * The present state of everything that a build is made from. Take it before the build, so that a
 * file which changes meanwhile makes the next one necessary.
 *
 * @param {string} root
 */
export function sourceState(root) {
  const sources = listFiles(join(root, 'src'), isSource).map((path) => `src/${path}`);
  return {
    ground: fingerprintFiles(root, GROUND),
    sources: fingerprintFiles(root, ['package.json', 'ormconfig.ts', ...sources]),
  };
}

/**
 * Why a build is needed, or undefined when the last one is of these sources.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function buildReason(root) {
  const stamp = readJson(join(root, STAMP));
  if (stamp === undefined || !existsSync(join(root, ENTRY))) return 'there is no build';
  const state = sourceState(root);
  return stamp.ground === state.ground && stamp.sources === state.sources ? undefined : 'the sources have changed';
}

/**
 * Makes the output folder ready for an incremental build: forgets the compiler's record when it does
 * not describe what is there, and removes the output of sources that are gone.
 *
 * @param {string} root
 */
export function prepareOutput(root) {
  const stamp = readJson(join(root, STAMP));
  // Without a stamp until the build has succeeded: a failed build is never taken for a good one.
  rmSync(join(root, STAMP), { force: true });
  if (stamp === undefined || stamp.ground !== sourceState(root).ground) {
    rmSync(join(root, BUILD_INFO), { force: true });
    rmSync(join(root, 'dist'), { recursive: true, force: true });
  }
  for (const path of staleOutput(root)) rmSync(join(root, 'dist/src', path), { force: true });
}

/**
 * Compiled files, relative to dist/src, that no source has.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function staleOutput(root) {
  const sources = new Set(listFiles(join(root, 'src'), isSource).map((path) => path.replace(/\.ts$/, '')));
  const compiled = listFiles(join(root, 'dist/src'), (path) => /\.(js|js\.map|d\.ts)$/.test(path));
  return compiled.filter((path) => !sources.has(path.replace(/\.(js|js\.map|d\.ts)$/, '')));
}

/**
 * Notes a successful build.
 *
 * @param {string} root
 * @param {ReturnType<typeof sourceState>} state as it was before the build
 */
export function writeBuildStamp(root, state) {
  writeStamp(join(root, STAMP), state);
}

/**
 * What tsconfig.build.json compiles: neither specs nor their helpers.
 *
 * @param {string} path relative to src/
 */
function isSource(path) {
  return path.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(path) && !/(^|\/)testing\//.test(path);
}
