import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import type { SchemaExtension } from '../database/index.js';

/** Where a command reads and writes. */
export interface Terminal {
  /** The result: what another program may read. */
  out(line: string): void;
  /** Everything that is for people only. */
  note(line: string): void;
  /** Everything on stdin. */
  input(): Promise<string>;
}

/** Arguments that a command cannot use. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The arguments of a command. */
export interface Arguments {
  /** The values of the options that were given. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** As many as the command wants. */
  readonly positionals: readonly string[];
}

/** One command, such as `key create`. */
export interface Command {
  /** Its arguments, for the usage text. */
  readonly usage: string;
  readonly options?: ParseArgsConfig['options'];
  /** The names of its positional arguments, all required. */
  readonly positionals?: readonly string[];
  /** Does it without the database, if the arguments ask for that; undefined if they do not. As `run`. */
  runOffline?(args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> | undefined;
  /** What it needs besides the modules of all commands. @throws ConfigurationError */
  needs?(env: NodeJS.ProcessEnv): Promise<CommandNeeds>;
  /** Does it. Returns the exit code. @throws UsageError, AppError */
  run(app: INestApplicationContext, args: Arguments, terminal: Terminal): Promise<number>;
}

/** What a command needs besides the modules of all commands. */
export interface CommandNeeds {
  readonly imports: readonly DynamicModule[];
  /** Tables besides those of the core schema. */
  readonly extensions: readonly SchemaExtension[];
}

/** Commands by their names. */
export type Commands = ReadonlyMap<string, Command>;

const COMMON_OPTIONS = { json: { type: 'boolean' } } as const;

/** Parses the arguments of a command. @throws UsageError */
export function argumentsOf({ options, positionals = [] }: Command, args: readonly string[]): Arguments {
  return parseArguments(args, positionals, { ...options, ...COMMON_OPTIONS });
}

/**
 * Parses arguments.
 *
 * @param names of the positional arguments, all required
 * @throws UsageError
 */
export function parseArguments(
  args: readonly string[],
  names: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
): Arguments {
  const { values, positionals } = parsed(args, options);
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const unexpected = positionals[names.length];
  if (unexpected !== undefined) throw new UsageError(`${unexpected} is unexpected`);
  return { options: values as Arguments['options'], positionals };
}

/** The value of an option that takes one. */
export function textOf({ options }: Arguments, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of an option that must be given. @throws UsageError */
export function requiredText(args: Arguments, name: string): string {
  const value = textOf(args, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

/** The items of an option that may be repeated, separated by commas or spaces; undefined without the option. */
export function listOf({ options }: Arguments, name: string): readonly string[] | undefined {
  const values = options[name];
  if (values === undefined || typeof values === 'boolean') return undefined;
  return [values].flat().flatMap((value) => value.split(/[\s,]+/).filter((item) => item !== ''));
}

/** Rows as text in columns; the first row has the titles. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function parsed(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(sentence);
  }
}
