// Compiles the server with the command of Nest, too, and compares what comes out with the build of scripts/compile.mjs:
// nest-cli.json must stay true for everybody who uses that command.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALL_PARTS, ensureBuilt, ensureInstalled, run } from '../scripts/lib/project.mjs';
import { toolPath } from '../scripts/lib/tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, '.cache/nest-build');
const config = join(root, '.cache/tsconfig.nest.json');
process.exitCode =
  (await ensureInstalled(root, { parts: ALL_PARTS })) || (await ensureBuilt(root)) || (await build()) || compare();

/** @returns {Promise<number>} the exit code of `nest build` */
async function build() {
  rmSync(output, { recursive: true, force: true });
  const options = { rootDir: '..', outDir: output, tsBuildInfoFile: join(output, 'tsbuildinfo') };
  const { exclude } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  const apart = {
    extends: '../tsconfig.build.json',
    compilerOptions: options,
    include: ['../src', '../ormconfig.ts'],
    exclude: exclude.map((/** @type {string} */ path) => `../${path}`),
  };
  writeFileSync(config, JSON.stringify(apart));
  return run(root, process.execPath, [String(toolPath(root, 'nest')), 'build', '--path', '.cache/tsconfig.nest.json']);
}

/** @returns {number} 0 if both builds have the same files */
function compare() {
  const files = new Set([output, join(root, 'dist')].flatMap((folder) => compiled(join(folder, 'src'))));
  const different = [...files].filter((file) => read(output, file) !== read(join(root, 'dist'), file));
  if (files.size > 0 && different.length === 0) return 0;
  console.error(`Not as nest build makes them: ${different.slice(0, 10).join(', ')} (${different.length})`);
  return 1;
}

/** @param {string} folder */
function compiled(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|d\.ts)$/.test(file));
}

/**
 * @param {string} build
 * @param {string} file
 */
function read(build, file) {
  try {
    return readFileSync(join(build, 'src', file), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
  } catch {
    return undefined;
  }
}
