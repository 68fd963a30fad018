import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { KEY_PREFIX } from '../access/index.js';
import { isExplained } from '../boot/start-failure.js';
import { AuditSettings } from '../audit/index.js';
import { AppError, commandLine } from '../common/index.js';
import { readSettings } from '../config/index.js';
import { DatabaseSettings, isUnavailable } from '../database/index.js';
import { UsageSettings } from '../usage/index.js';
import { CliModule } from './cli.module.js';
import { AUDIT_COMMANDS } from './audit-commands.js';
import { argumentsOf, type Commands, type Terminal, UsageError } from './command.js';
import { DATA_COMMANDS } from './data-commands.js';
import { EXPORT_COMMAND } from './export-command.js';
import { ENCRYPTION_COMMANDS } from './encryption-commands.js';
import { KEY_COMMANDS } from './key-commands.js';
import { TENANT_COMMANDS } from './tenant-commands.js';
import { USAGE_COMMANDS } from './usage-commands.js';

/** The commands with commands of their own. */
type Group = 'key' | 'tenant' | 'usage' | 'audit' | 'data';

const GROUPS: Readonly<Record<Group, Commands>> = {
  key: KEY_COMMANDS,
  tenant: TENANT_COMMANDS,
  usage: USAGE_COMMANDS,
  audit: AUDIT_COMMANDS,
  data: new Map([...DATA_COMMANDS, ['export', EXPORT_COMMAND], ...ENCRYPTION_COMMANDS]),
};
const HELP = new Set(['help', '--help', '-h']);
const FAILED = 1;
const MISUSED = 2;

/**
 * Runs a command on the configured database, next to servers that may be running on it.
 *
 * @param argv the group, the command and its arguments, such as `['key', 'show', 'ID']`
 * @returns the exit code: 0, 1 for a command that failed, 2 for arguments that cannot be used
 */
export async function runCli(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const [group = '', name = '', ...rest] = argv;
  if (!isGroup(group)) throw new TypeError(`There is no group of commands ${group}`);
  const commands = GROUPS[group];
  const command = commands.get(name);
  if (HELP.has(name) || rest.some((arg) => arg === '--help')) {
    terminal.out(usageOf(group, commands));
    return 0;
  }
  try {
    // Arguments are visible to other users of the machine, and are kept by shells; nothing repeats them.
    if (argv.some((arg) => arg.includes(KEY_PREFIX))) {
      throw new UsageError('A key must not be an argument: name its id, or pass the key on stdin to `key check`');
    }
    if (!command)
      throw new UsageError(
        name === '' || name.startsWith('-') ? 'A command is missing' : `There is no command ${group} ${name}`,
      );
    const args = argumentsOf(command, rest);
    const offline = command.runOffline?.(args, env, terminal);
    if (offline) return await offline;
    const settings = readSettings(DatabaseSettings, env);
    const app = await NestFactory.createApplicationContext(
      CliModule.forRoot(
        settings,
        readSettings(UsageSettings, env),
        readSettings(AuditSettings, env),
        await command.needs?.(env),
      ),
      { logger: false, abortOnError: false },
    );
    try {
      return await command.run(app, args, terminal);
    } finally {
      await app.close();
    }
  } catch (error) {
    terminal.note(messageOf(error));
    const isMisused = error instanceof UsageError || (error instanceof AppError && error.code === 'INVALID_PARAMETER');
    if (!isMisused) return FAILED;
    terminal.note(usageOf(group, command ? new Map([[name, command]]) : commands));
    return MISUSED;
  }
}

function isGroup(name: string): name is Group {
  return Object.hasOwn(GROUPS, name);
}

function usageOf(group: Group, commands: Commands): string {
  return ['Usage:', ...[...commands].map(([name, { usage }]) => `  ${commandLine(group)} ${name} ${usage}`)].join('\n');
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof AppError || isExplained(error)) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return isUnavailable(error) ? `The database is not available: ${message}` : `The command failed: ${message}`;
}
