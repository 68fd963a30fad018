// npm run dev: the server and the page in one terminal. What changes is compiled, and taken over at once: the server
// starts again, and an answer that it was giving goes on.
import { spawn } from 'node:child_process';

const programs = [
  ['node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput'],
  ['--watch', '--watch-preserve-output', 'dist/src/main.js'],
  ['node_modules/vite/bin/vite.js', 'page'],
].map((args) => spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }));

const stop = () => programs.forEach((program) => program.kill());
process.once('SIGINT', stop).once('SIGTERM', stop);
for (const program of programs) program.once('exit', stop);
