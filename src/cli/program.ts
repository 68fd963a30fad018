import type { ParseArgsConfig } from 'node:util';
import { hasServerFlag, runWithServerFlag, stopWithParent } from '../runtime/index.js';
import { startFailure } from '../boot/start-failure.js';
import { VERSION } from '../common/index.js';
import { type Arguments, parseArguments, type Terminal, textOf, UsageError } from './command.js';
import { exampleNames, initProject } from './init-project.js';
import { settingsIn } from './own-project.js';

const USAGE = `Usage: parley COMMAND

  start                start the server with the settings of the environment
  init FOLDER          write a small project: an agent, a tool, a test, a Dockerfile
       --example NAME  instead start from one of the examples:
                       ${exampleNames().join(', ')}
  key COMMAND …        create, list, show, rotate, revoke and check API keys
  tenant COMMAND …     create, list, suspend and rename tenants, set their limits and retention
  usage COMMAND …      verify the counters of budgets; list and set budgets and prices
  audit COMMAND …      verify, export and note the ends of the audit trail
  data COMMAND …       export or erase the data of a user; encrypt what was stored unencrypted
  model                try the configured model with a few small requests
       --name NAME     instead try this one of LLM_MODELS
  migrate              apply the pending migrations of the database
  openapi              print the OpenAPI document of the server

The commands read their settings from the environment and from .env in the working folder.
parley key --help, parley tenant --help, parley usage --help, parley audit --help and parley data --help list
further commands.`;

/** Commands with commands of their own. */
const GROUPS: ReadonlySet<string> = new Set(['key', 'tenant', 'usage', 'audit', 'data']);

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

/** A command without commands of its own. */
interface ProgramCommand {
  /** The names of its positional arguments. */
  readonly positionals: readonly string[];
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Loads what it needs of the server: the whole of it takes a second. */
  run(args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number>;
}

const COMMANDS: ReadonlyMap<string, ProgramCommand> = new Map<string, ProgramCommand>([
  ['start', { positionals: [], options: {}, run: start }],
  ['init', { positionals: ['FOLDER'], options: { example: { type: 'string' } }, run: init }],
  ['model', { positionals: [], options: { name: { type: 'string' } }, run: model }],
  ['migrate', { positionals: [], options: {}, run: migrate }],
  ['openapi', { positionals: [], options: {}, run: openApi }],
]);

/**
 * Runs a command of `parley`.
 *
 * @param argv without the names of Node and of the program
 * @returns the exit code: 0, 1 for a command that failed, 2 for arguments that cannot be used. With `start`, 0 as soon
 *   as the server listens, or its exit code if it runs in a child
 */
export async function runProgram(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const [name = '', ...args] = argv;
  if (GROUPS.has(name)) {
    const { runCli } = await import('./manage.js');
    return runCli(argv, env, terminal);
  }
  if (name === '--version') {
    terminal.out(VERSION);
    return DONE;
  }
  if (/^(help|--help|-h)$/.test(name) || args.includes('--help')) {
    terminal.out(USAGE);
    return DONE;
  }
  try {
    const command = COMMANDS.get(name);
    if (!command) throw new UsageError(name === '' ? 'A command is missing' : `There is no command ${name}`);
    return await command.run(parseArguments(args, command.positionals, command.options), env, terminal);
  } catch (error) {
    const isMisused = error instanceof UsageError;
    terminal.note(isMisused ? `${error.message}.\n\n${USAGE}` : startFailure(error, env));
    return isMisused ? MISUSED : FAILED;
  }
}

/** Returns the exit code of the server if a child had to be started for it. */
async function start(): Promise<number> {
  if (!hasServerFlag()) return runWithServerFlag();
  stopWithParent();
  const { serve } = await import('../boot/serve.js');
  await serve();
  return DONE;
}

async function init(args: Arguments, _env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { files, steps } = initProject(args.positionals[0] ?? '', textOf(args, 'example'));
  terminal.out([...files.map((file) => `  ${file}`), '', 'Next:', '', ...steps.map((step) => `  ${step}`)].join('\n'));
  return DONE;
}

async function model(args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { modelCommand } = await import('./model-command.js');
  return modelCommand(env, terminal, textOf(args, 'name'));
}

async function migrate(_args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { readDatabase } = await import('../app.module.js');
  const { migrateDatabase } = await import('../database/index.js');
  const { settings, extensions } = readDatabase(settingsIn(process.cwd(), env));
  const applied = await migrateDatabase(settings, extensions);
  for (const name of applied) terminal.out(`Applied ${name}`);
  if (applied.length === 0) terminal.out('No migration is pending');
  return DONE;
}

async function openApi(_args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const { describeApi } = await import('../boot/describe-api.js');
  terminal.out(JSON.stringify(await describeApi(env), null, 2));
  return DONE;
}
