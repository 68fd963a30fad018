export type { Terminal } from './command.js';
export { runCli } from './manage.js';
