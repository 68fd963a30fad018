// Installs the dependencies when they are not as package-lock.json says.
import { fileURLToPath } from 'node:url';
import { nodeVersionProblem } from './lib/node-version.mjs';
import { ALL_PARTS, ensureInstalled } from './lib/project.mjs';

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) console.error(problem);
process.exitCode =
  problem !== undefined
    ? 1
    : await ensureInstalled(fileURLToPath(new URL('..', import.meta.url)), { parts: ALL_PARTS });
