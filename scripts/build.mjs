// npm run build: installs when needed and compiles into dist/. Fast when little has changed.
import { fileURLToPath } from 'node:url';
import { ensureBuilt, ensureConsole, ensureInstalled } from './lib/project.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode =
  (await ensureInstalled(root)) ||
  (await ensureBuilt(root, { force: true })) ||
  (await ensureConsole(root, { force: true }));
