// node scripts/release-check.mjs v0.2.0: checks that a release has one version everywhere, and what would be published.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [tag] = process.argv.slice(2);
const problems = [];

const server = manifest('package.json');
const starter = manifest('packages/create-parley/package.json');
if (server.private || starter.private) problems.push('A package is private');
if (server.version !== starter.version)
  problems.push(`parley-server is ${server.version} and create-parley is ${starter.version}`);
if (tag !== undefined && tag !== `v${server.version}`)
  problems.push(`The tag is ${tag} and the version ${server.version}`);
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
if (tag !== undefined && !changelog.includes(`\n## ${server.version}`))
  problems.push(`CHANGELOG.md has no heading for ${server.version}`);
for (const folder of ['.', 'packages/create-parley']) problems.push(...npmComplaints(folder));

for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`${server.version} can be released`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @param {string} path */
function manifest(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/**
 * What npm would correct in a manifest, or refuse.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function npmComplaints(folder) {
  const args = ['publish', '--dry-run', '--ignore-scripts', '--access', 'public', '--tag', 'check'];
  try {
    const output = execFileSync('npm', args, { cwd: join(root, folder), encoding: 'utf8', stdio: 'pipe' });
    return output.includes('auto-corrected') ? [output] : [];
  } catch (error) {
    const { stderr = '' } = /** @type {{ stderr?: string }} */ (error);
    return [`npm publish --dry-run in ${folder} fails:\n${stderr}`];
  }
}
