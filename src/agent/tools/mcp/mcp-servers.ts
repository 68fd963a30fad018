import { readFileSync } from 'node:fs';
import { type ConfigurationProblem, JsonEntry } from '../../../config/index.js';

/** How an MCP server is reached. */
export type McpTransportConfig =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Passed to the process in addition to PATH, HOME and the like; the rest of this process's environment is not. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** An MCP server whose tools agents may use. */
export interface McpServerConfig {
  /** Its name in the configuration; clients see it as `server_label`. */
  readonly label: string;
  readonly transport: McpTransportConfig;
  /** Put before the name of each of its tools. */
  readonly prefix: string;
  /** The names, as the server lists them, of the tools that are offered; undefined offers all. */
  readonly allowedTools: readonly string[] | undefined;
  /** A call that gets neither a result nor progress for this long, in milliseconds, is aborted. */
  readonly timeoutMs: number;
  /** A call that takes longer than this, in milliseconds, is aborted, even if it reports progress. */
  readonly maxTotalMs: number;
  /** Whether readiness depends on this MCP server. */
  readonly required: boolean;
  /** Values that are removed from everything that is logged or shown about this server. */
  readonly secrets: readonly string[];
}

/** The largest file of servers, in characters. */
const FILE_LIMIT = 1024 * 1024;
const LABEL = /^[A-Za-z0-9_.-]{1,64}$/;
const PREFIX = /^[A-Za-z0-9_-]{0,32}$/;
const TRANSPORT_NAMES = ['stdio', 'http', 'streamable-http', 'streamable_http', 'streamableHttp'];
const KEYS = [
  'type',
  'transport',
  'description',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'prefix',
  'allowedTools',
  'timeoutMs',
  'maxTotalMs',
  'required',
  'disabled',
];
const DAY_MS = 86_400_000;

/** How much longer than its time-out a call may take if it reports progress, unless the entry of the server says. */
const TOTAL_FACTOR = 10;

/** The configured MCP servers, and what is wrong with them; no problem holds a secret. */
export interface McpServersReading {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly ConfigurationProblem[];
}

/** What the servers are read from. */
export interface McpServersInput {
  /** The text of MCP_SERVERS. */
  readonly json: string | undefined;
  /** MCP_SERVERS_FILE. */
  readonly file: string | undefined;
  /** The time-out of servers that have none of their own, in milliseconds. */
  readonly toolTimeoutMs: number;
  /** The variables that entries may refer to. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Reads MCP_SERVERS and the file MCP_SERVERS_FILE: a JSON object of servers by label, or one with such
 * an object under `mcpServers`. `${NAME}` and `${NAME:-default}` in `args`, `env`, `cwd`, `url` and
 * `headers` are replaced by variables of the environment.
 */
export function readMcpServers(input: McpServersInput): McpServersReading {
  const problems: ConfigurationProblem[] = [];
  const servers = new Map<string, McpServerConfig>();
  for (const source of sources(input)) {
    const add = (message: string): number => problems.push({ name: source.name, message });
    if (source.problem !== undefined) add(source.problem);
    const entries = source.text === undefined ? {} : entriesOf(source.text, add);
    for (const [label, value] of Object.entries(entries)) {
      const entry = new JsonEntry(label, value, input.env);
      const server = serverOf(entry, input.toolTimeoutMs);
      if (servers.has(label)) entry.problem('is configured twice');
      for (const problem of entry.problems) add(problem);
      if (server) servers.set(label, server);
    }
  }
  return { servers: [...servers.values()], problems };
}

interface Source {
  readonly name: string;
  readonly text?: string;
  readonly problem?: string;
}

function sources({ json: text, file }: McpServersInput): Source[] {
  return [
    ...(text === undefined ? [] : [{ name: 'MCP_SERVERS', text }]),
    ...(file === undefined ? [] : [{ name: 'MCP_SERVERS_FILE', ...contentOf(file) }]),
  ];
}

function contentOf(file: string): Pick<Source, 'text' | 'problem'> {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length > FILE_LIMIT ? { problem: `names a file of more than ${FILE_LIMIT} characters` } : { text };
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown reason';
    return { problem: `names the file ${JSON.stringify(file)}, which cannot be read (${code})` };
  }
}

function entriesOf(text: string, add: (message: string) => void): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, which may hold secrets.
    add(`must be valid JSON, but is not (${text.length} characters, not shown)`);
    return {};
  }
  const inner = isObject(value) && 'mcpServers' in value ? value['mcpServers'] : value;
  if (isObject(inner)) return inner;
  add('must be a JSON object of MCP servers by name');
  return {};
}

/** Undefined for a server that is disabled or has problems. */
function serverOf(entry: JsonEntry, toolTimeoutMs: number): McpServerConfig | undefined {
  if (!LABEL.test(entry.label)) entry.problem('the name must be 1 to 64 letters, digits, ".", "_" or "-"');
  if (!entry.isObject) entry.problem('must be an object');
  for (const key of entry.keys) if (!KEYS.includes(key)) entry.problem(`unknown key ${JSON.stringify(key)}`);
  const transport = transportOf(entry);
  const prefix = entry.text('prefix') ?? '';
  if (!PREFIX.test(prefix)) entry.problem('"prefix" must be at most 32 letters, digits, "_" or "-"');
  const allowedTools = entry.texts('allowedTools');
  const timeoutMs = entry.integer('timeoutMs', 10, DAY_MS) ?? toolTimeoutMs;
  const maxTotalMs = entry.integer('maxTotalMs', timeoutMs, TOTAL_FACTOR * DAY_MS) ?? TOTAL_FACTOR * timeoutMs;
  const required = entry.flag('required');
  const disabled = entry.flag('disabled');
  if (disabled || !transport || entry.problems.length > 0) return undefined;
  const { label, secrets } = entry;
  return { label, transport, prefix, allowedTools, timeoutMs, maxTotalMs, required, secrets };
}

function transportOf(entry: JsonEntry): McpTransportConfig | undefined {
  const named = entry.text('type') ?? entry.text('transport');
  if (named !== undefined && !TRANSPORT_NAMES.includes(named)) {
    entry.problem(`unknown transport ${JSON.stringify(named.slice(0, 40))}: must be stdio or http`);
  }
  const command = entry.text('command');
  const url = entry.expanded('url');
  if ((command === undefined) === (url === undefined)) {
    if (entry.isObject) entry.problem('must have either "command" or "url"');
    return undefined;
  }
  if (named !== undefined && (named === 'stdio') !== (command !== undefined)) {
    entry.problem(`the transport ${named} requires ${named === 'stdio' ? '"command"' : '"url"'}`);
  }
  return command === undefined ? httpOf(entry, url ?? '') : stdioOf(entry, command);
}

function stdioOf(entry: JsonEntry, command: string): McpTransportConfig {
  if (command === '') entry.problem('"command" must not be empty');
  entry.refuse('headers', 'url');
  const cwd = entry.expanded('cwd');
  const args = entry.expandedTexts('args') ?? [];
  return { kind: 'stdio', command, args, env: entry.secretMap('env'), cwd };
}

function httpOf(entry: JsonEntry, url: string): McpTransportConfig {
  const isUsable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).username === '';
  if (!isUsable) entry.problem('"url" must be an http:// or https:// address without user name');
  for (const key of ['args', 'env', 'cwd']) entry.refuse(key, 'command');
  const headers = entry.secretMap('headers');
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value)) entry.problem(`the header ${JSON.stringify(name)} has an invalid name or value`);
  }
  return { kind: 'http', url, headers };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
