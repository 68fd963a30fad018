#!/usr/bin/env node
// The command line of the installed package. Commands write their result to stdout, everything else to stderr.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Parley needs Node.js 20.19 or newer, but this is ${process.versions.node}. Get a newer one from https://nodejs.org.`,
  );
  process.exit(1);
}
if (existsSync('.env')) process.loadEnvFile('.env');
const { runProgram } = await import(new URL('../dist/src/cli/program.js', import.meta.url).href);
process.exitCode = await runProgram(process.argv.slice(2), process.env, {
  out: (/** @type {string} */ line) => process.stdout.write(`${line}\n`),
  note: (/** @type {string} */ line) => process.stderr.write(`${line}\n`),
  input: () => text(process.stdin),
});
