// npm run bench: measures the server against a hand-written relay, node:http and Nest's own event streams.
// --quick runs the short set with its gates, --only=m1,replay some rows or scenarios (docs/performance.md).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, ensureInstalled, run } from './lib/project.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist');
/** What is compiled: a folder, and what the benchmark uses of the tests. */
const SOURCES = ['bench', 'test/support/free-port.ts'];

const failed = (await ensureInstalled(root)) || (await ensureBuilt(root));
if (failed === 0) await compile();
process.exitCode =
  failed || (await run(root, process.execPath, [join(output, 'bench/main.js'), ...process.argv.slice(2)]));

/** Beside the compiled server, so that the benchmark measures what `npm start` runs. */
async function compile() {
  const { transformFileSync } = await import('@swc/core');
  rmSync(join(output, 'bench'), { recursive: true, force: true });
  for (const path of SOURCES.flatMap(filesOf)) {
    const { code } = transformFileSync(join(root, path), {
      swcrc: false,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        target: 'es2022',
        keepClassNames: true,
      },
      module: { type: 'commonjs' },
    });
    const target = join(output, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
}

/** The TypeScript files at a path below the root. */
function filesOf(/** @type {string} */ path) {
  if (path.endsWith('.ts')) return [path];
  const found = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return found.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}
