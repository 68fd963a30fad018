// npm start: makes a fresh clone ready, then runs the server in this very process, so that signals,
// the exit code and the terminal are its own. When nothing changed, neither npm nor the compiler runs.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeVersionProblem } from './lib/node-version.mjs';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { ensureInstalled, ensureBuilt } = await import('./lib/project.mjs');
const failed = (await ensureInstalled(root)) || (await ensureBuilt(root));
if (failed !== 0) process.exit(failed);

if (existsSync('.env')) process.loadEnvFile('.env');
if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
await import(pathToFileURL('dist/src/main.js').href);

/**
 * npm that is killed cannot tell its child. The server would go on invisibly and keep its port; it
 * stops cleanly instead.
 */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}
