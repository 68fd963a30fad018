// Installs what builds the console, and builds it. npm start runs this beside the server when there is no current build.
import { fileURLToPath } from 'node:url';
import { ensureConsole } from './lib/project.mjs';

process.exitCode = await ensureConsole(fileURLToPath(new URL('..', import.meta.url)));
if (process.exitCode === 0) console.log('The console is built: reload its page');
