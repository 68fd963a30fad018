import { startFailure } from '../boot/start-failure.js';
import { VERSION } from '../common/index.js';
import type { Terminal } from './command.js';
import { initProject } from './init-project.js';

const USAGE = `Usage: parley COMMAND

  start                start the server with the settings of the environment
  init FOLDER          write a small project: an agent, a tool, a test, a Dockerfile
  key COMMAND …        create, list, show, rotate, revoke and check API keys
  tenant COMMAND …     create, list, suspend and remove tenants, and set their limits
  migrate              apply the pending migrations of the database
  openapi              print the OpenAPI document of the server

The commands read their settings from the environment and from .env in the working folder.
parley key --help and parley tenant --help list further commands.`;

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

/** Each command loads what it needs of the server: the whole of it takes a second. */
type Command = (args: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal) => Promise<number>;

/** The commands without commands of their own, by their names, with the number of their arguments. */
const COMMANDS: ReadonlyMap<string, { readonly takes: number; readonly run: Command }> = new Map([
  ['start', { takes: 0, run: start }],
  ['init', { takes: 1, run: init }],
  ['migrate', { takes: 0, run: migrate }],
  ['openapi', { takes: 0, run: openApi }],
]);

/**
 * Runs a command of `parley`.
 *
 * @param argv without the names of Node and of the program
 * @returns the exit code: 0, 1 for a command that failed, 2 for arguments that cannot be used. With `start`, 0 as soon
 *   as the server listens
 */
export async function runProgram(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const [name = '', ...args] = argv;
  if (name === 'key' || name === 'tenant') {
    const { runCli } = await import('./manage.js');
    return runCli(argv, env, terminal);
  }
  if (name === '--version') {
    terminal.out(VERSION);
    return DONE;
  }
  const isHelp = /^(help|--help|-h)$/.test(name) || args.includes('--help');
  const command = COMMANDS.get(name);
  if (isHelp || command?.takes !== args.length) {
    if (isHelp) terminal.out(USAGE);
    else terminal.note(`${complaint(name, command?.takes, args)}\n\n${USAGE}`);
    return isHelp ? DONE : MISUSED;
  }
  try {
    return await command.run(args, env, terminal);
  } catch (error) {
    terminal.note(startFailure(error, env));
    return FAILED;
  }
}

function complaint(name: string, takes: number | undefined, args: readonly string[]): string {
  if (name === '') return 'A command is missing.';
  if (takes === undefined) return `There is no command ${name}.`;
  return args.length > takes ? `${args[takes]} is unexpected.` : 'FOLDER is missing.';
}

async function start(): Promise<number> {
  const { serve } = await import('../boot/serve.js');
  await serve();
  return DONE;
}

async function init([folder = '']: readonly string[], _env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { files, steps } = initProject(folder);
  terminal.out([...files.map((file) => `  ${file}`), '', 'Next:', '', ...steps.map((step) => `  ${step}`)].join('\n'));
  return DONE;
}

async function migrate(_args: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { readDatabase } = await import('../app.module.js');
  const { migrateDatabase } = await import('../database/index.js');
  const { settings, extensions } = readDatabase(env);
  const applied = await migrateDatabase(settings, extensions);
  for (const name of applied) terminal.out(`Applied ${name}`);
  if (applied.length === 0) terminal.out('No migration is pending');
  return DONE;
}

async function openApi(_args: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { describeApi } = await import('../boot/describe-api.js');
  terminal.out(JSON.stringify(await describeApi(env), null, 2));
  return DONE;
}
