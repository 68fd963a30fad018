#!/usr/bin/env node
// npm create parley FOLDER [-- --example NAME]: runs `parley init` of the server in the version of this package.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const args = process.argv.slice(2);

if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
  console.error('Usage: npm create parley FOLDER [-- --example NAME]');
  process.exitCode = args.length === 0 ? 2 : 0;
} else {
  const options = ['--yes', '--ignore-scripts', '--omit=optional', `--package=parley-server@${version}`];
  // The npm that runs this, whatever is called npm in the PATH.
  const npm = process.env['npm_execpath'];
  const isScript = npm !== undefined && /npm-cli\.[cm]?js$/.test(npm);
  const [command, ...before] = isScript ? [process.execPath, npm] : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  console.error('Fetching parley-server, which takes a minute the first time …');
  const child = spawn(command, [...before, 'exec', ...options, '--', 'parley', 'init', ...args], {
    stdio: 'inherit',
    shell: !isScript && process.platform === 'win32',
  });
  child.once('error', (error) => {
    console.error(`npm could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
