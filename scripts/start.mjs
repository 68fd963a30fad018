// npm start: makes a fresh clone ready, then runs the server in this very process, so that signals,
// the exit code and the terminal are its own. When nothing changed, neither npm nor the compiler runs.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nodeVersionProblem } from './lib/node-version.mjs';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { ensureInstalled, ensureBuilt, consoleNeeded } = await import('./lib/project.mjs');
const failed = (await ensureInstalled(root)) || (await ensureBuilt(root));
if (failed !== 0) process.exit(failed);

if (existsSync('.env')) process.loadEnvFile('.env');
if (process.env.CONSOLE !== 'off' && consoleNeeded(root)) buildConsoleMeanwhile();
if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
await import(pathToFileURL('dist/src/main.js').href);

/** The server need not wait for its console, which has packages of its own and takes as long as the server. */
function buildConsoleMeanwhile() {
  mkdirSync('dist/console', { recursive: true });
  const child = spawn(process.execPath, ['scripts/console.mjs'], { stdio: ['ignore', 'inherit', 'inherit'] });
  child.once('error', (error) => console.error(`The console cannot be built: ${error.message}`));
  child.unref();
  process.once('exit', () => child.kill());
}

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
