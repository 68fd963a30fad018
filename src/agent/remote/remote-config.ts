import type { JsonObject } from '../../common/index.js';
import { type ConfigurationProblem, DAY_MS, JsonEntry, MIB, readJsonFile, readJsonText } from '../../config/index.js';
import { type A2aConfig, a2aConfigIn } from './a2a-config.js';
import { readAddress } from './remote-address.js';

/** The protocols that remote agents are reached with (contract gateway, section A). */
export const REMOTE_KINDS = ['responses', 'ag-ui', 'a2a', 'agentscope-2', 'agent-api'] as const;
/** A protocol that remote agents are reached with. */
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/** How a run that has lost its connection goes on. */
export type ReattachMode = 'responses' | 'parley' | 'connect' | 'none';

/** An agent that runs elsewhere (contract gateway, section A). Times are milliseconds. */
export interface RemoteAgentConfig extends A2aConfig {
  /** Its agent type. */
  readonly name: string;
  readonly type: RemoteKind;
  readonly url: URL;
  /** Of AgentScope: which of its agents. */
  readonly agentId: string | undefined;
  readonly description: string;
  readonly exposure: 'public' | 'internal';
  /** Whether a person approves each message before the upstream gets it. */
  readonly confirm: boolean;
  /** Whether the server is not ready while the upstream does not answer. */
  readonly required: boolean;
  /** Sent with every request. The values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the client's request that the upstream gets, in lower case. */
  readonly forwardHeaders: readonly string[];
  /** What the upstream is told of the user. */
  readonly user: 'none' | 'hashed' | 'plain';
  /** `remote`: only what is new is sent, and what the upstream continues. */
  readonly history: 'send' | 'remote';
  /** The model that the upstream is asked for. */
  readonly model: string | undefined;
  /** Fixed fields of the request. */
  readonly options: JsonObject;
  /** Whether options of the request, such as the temperature, are passed on. */
  readonly passOptions: boolean;
  readonly background: 'auto' | boolean;
  /** Undefined: what the protocol offers. */
  readonly reattach: ReattachMode | undefined;
  readonly eventsUrl: URL | undefined;
  readonly connectUrl: URL | undefined;
  readonly stopUrl: URL | undefined;
  readonly onDoubt: 'fail' | 'resend';
  readonly clientTools: 'pass' | 'drop';
  readonly state: 'share' | 'off';
  /** How files of messages are sent: their bytes, addresses of this server, or not at all. */
  readonly files: 'inline' | 'signed' | 'none';
  /** Whether its address may be link-local. */
  readonly allowLinkLocal: boolean;
  readonly connectTimeoutMs: number;
  readonly firstEventMs: number;
  readonly idleMs: number;
  readonly reattachForMs: number;
  /** Undefined: the limit of runs. */
  readonly maxMs: number | undefined;
  readonly maxConcurrent: number;
  readonly maxEventBytes: number;
  readonly maxBytes: number;
  readonly maxEvents: number;
  /** Values that no log and no error shows. */
  readonly secrets: readonly string[];
}

/** The configured remote agents, and what is wrong with them; no problem holds a secret. */
export interface RemoteAgentsReading {
  readonly agents: readonly RemoteAgentConfig[];
  readonly problems: readonly ConfigurationProblem[];
}

/** What the remote agents are read from. */
export interface RemoteAgentsInput {
  /** The text of REMOTE_AGENTS. */
  readonly json: string | undefined;
  /** REMOTE_AGENTS_FILE. */
  readonly file: string | undefined;
  /** The variables that entries may refer to. */
  readonly env: NodeJS.ProcessEnv;
}

/** Headers of clients that never leave: they are, or may hold, credentials. */
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'set-cookie', 'x-api-key', 'sec-websocket-protocol'],
]);
/** The most headers that an agent gets of the client's request. */
const MOST_FORWARDED = 8;

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** Headers that the server sets itself, or that belong to one connection. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'expect',
    'host',
    'keep-alive',
    'te',
  ],
  ...['trailer', 'transfer-encoding', 'upgrade', 'x-parley-hops', 'traceparent', 'idempotency-key'],
]);

/** The keys of each kind beyond those that all kinds have. */
const KIND_KEYS: Readonly<Record<RemoteKind, readonly string[]>> = {
  responses: ['model', 'options', 'passOptions', 'background', 'reattach'],
  'ag-ui': ['reattach', 'eventsUrl', 'connectUrl', 'stopUrl', 'state'],
  a2a: ['binding', 'protocol', 'allowedOrigins', 'verify', 'extensions', 'progress'],
  'agentscope-2': ['agentId', 'options'],
  'agent-api': ['model', 'options', 'passOptions', 'reattach', 'eventsUrl', 'stopUrl'],
};
const COMMON_KEYS = [
  ...[
    'type',
    'url',
    'description',
    'exposure',
    'confirm',
    'required',
    'headers',
    'forwardHeaders',
    'user',
    'history',
    'onDoubt',
    'clientTools',
    'files',
  ],
  ...['allowLinkLocal', 'insecure', 'connectTimeoutMs', 'firstEventMs', 'idleMs', 'reattachForMs', 'maxMs'],
  ...['maxConcurrent', 'maxEventBytes', 'maxBytes', 'maxEvents'],
];
/** How a run of each kind can be continued after its connection was lost. */
const REATTACH: Readonly<Record<RemoteKind, readonly ReattachMode[]>> = {
  responses: ['responses', 'none'],
  'ag-ui': ['parley', 'connect', 'none'],
  a2a: [],
  'agentscope-2': [],
  'agent-api': ['parley', 'none'],
};

/**
 * Reads REMOTE_AGENTS and the file REMOTE_AGENTS_FILE: a JSON object of agents by name, or one with such an object under
 * `agents`. `${NAME}` and `${NAME:-default}` in addresses and headers are replaced by variables of the environment.
 */
export function readRemoteAgents(input: RemoteAgentsInput): RemoteAgentsReading {
  const problems: ConfigurationProblem[] = [];
  const agents = new Map<string, RemoteAgentConfig>();
  for (const { name, reading } of sourcesOf(input)) {
    const add = (message: string): number => problems.push({ name, message });
    if ('problem' in reading) {
      add(reading.problem);
      continue;
    }
    const { value } = reading;
    const inner: unknown = isRecord(value) && 'agents' in value ? value['agents'] : value;
    if (!isRecord(inner)) add('must be a JSON object with remote agents by name under "agents"');
    for (const [label, fields] of Object.entries(isRecord(inner) ? inner : {})) {
      const entry = new JsonEntry(label, fields, input.env, 'remote agent');
      const agent = readRemoteEntry(entry);
      if (agents.has(label)) entry.problem('is configured twice');
      for (const problem of entry.problems) add(problem);
      if (agent) agents.set(label, agent);
    }
  }
  return { agents: [...agents.values()], problems };
}

/** One agent; undefined if it has problems, which the entry holds. */
export function readRemoteEntry(entry: JsonEntry): RemoteAgentConfig | undefined {
  if (!NAME.test(entry.label)) entry.problem('the name must match [a-z0-9][a-z0-9_-]{0,62}');
  if (!entry.isObject) {
    entry.problem('must be an object');
    return undefined;
  }
  const type = entry.word('type', REMOTE_KINDS);
  if (type === undefined && entry.text('type') === undefined) entry.problem('"type" is required');
  const known = new Set([...COMMON_KEYS, ...(type ? KIND_KEYS[type] : Object.values(KIND_KEYS).flat())]);
  for (const key of entry.keys) {
    if (!known.has(key))
      entry.problem(`unknown key ${JSON.stringify(key.slice(0, 80))}${type ? ` for the type ${type}` : ''}`);
  }
  const address = (key: string): URL | undefined => readAddress(entry, key, entry.expanded(key));
  const url = address('url');
  if (entry.keys.every((key) => key !== 'url')) entry.problem('"url" is required');
  const reattach = type && entry.word('reattach', REATTACH[type]);
  const background = entry.wordOrChoice('background', 'auto');
  const optional = { eventsUrl: address('eventsUrl'), connectUrl: address('connectUrl'), stopUrl: address('stopUrl') };
  if (reattach === 'parley' && !optional.eventsUrl) entry.problem('"reattach": "parley" requires "eventsUrl"');
  if (reattach === 'connect' && !optional.connectUrl) entry.problem('"reattach": "connect" requires "connectUrl"');
  if (reattach === 'responses' && background === false) entry.problem('"reattach": "responses" requires "background"');
  const history = entry.word('history', ['send', 'remote']);
  if (type === 'agentscope-2' && history === 'send')
    entry.problem('"history" must be remote for the type agentscope-2');
  const agentId = entry.expanded('agentId');
  if (type === 'agentscope-2' && !agentId) entry.problem('"agentId" is required for the type agentscope-2');
  const headers = headersIn(entry);
  const rest = {
    agentId,
    ...a2aConfigIn(entry),
    description: entry.text('description') ?? '',
    exposure: entry.word('exposure', ['public', 'internal']) ?? 'public',
    confirm: entry.flag('confirm'),
    required: entry.flag('required'),
    headers,
    forwardHeaders: forwardedIn(entry, headers),
    user: entry.word('user', ['none', 'hashed', 'plain']) ?? 'hashed',
    // A2A has no word for a conversation that others had.
    history: history ?? (type === 'a2a' || type === 'agentscope-2' ? 'remote' : 'send'),
    model: entry.text('model'),
    options: (entry.object('options') ?? {}) as JsonObject,
    passOptions: entry.choice('passOptions') ?? true,
    background: background ?? 'auto',
    reattach,
    ...optional,
    onDoubt: entry.word('onDoubt', ['fail', 'resend']) ?? 'fail',
    clientTools: entry.word('clientTools', ['pass', 'drop']) ?? 'pass',
    state: entry.word('state', ['share', 'off']) ?? 'share',
    files: entry.word('files', ['inline', 'signed', 'none']) ?? 'inline',
    allowLinkLocal: entry.flag('allowLinkLocal'),
    ...boundsOf(entry),
  } as const;
  if (!type || !url || entry.problems.length > 0) return undefined;
  return { name: entry.label, type, url, ...rest, secrets: entry.secrets };
}

/** True if an agent fetches files from this server, which then needs an address that it can be reached at. */
export function needsAddress({ files }: RemoteAgentConfig): boolean {
  return files === 'signed';
}

/** Why the server needs an address, as the end of a sentence. */
export function addressReason({ name }: RemoteAgentConfig): string {
  return `the remote agent ${JSON.stringify(name)} has "files": "signed"`;
}

/** Time-outs and limits, with their defaults. */
function boundsOf(entry: JsonEntry) {
  return {
    connectTimeoutMs: entry.integer('connectTimeoutMs', 10, 600_000) ?? 10_000,
    firstEventMs: entry.integer('firstEventMs', 10, DAY_MS) ?? 60_000,
    idleMs: entry.integer('idleMs', 10, DAY_MS) ?? 60_000,
    reattachForMs: entry.integer('reattachForMs', 0, DAY_MS) ?? 60_000,
    maxMs: entry.integer('maxMs', 10, 7 * DAY_MS),
    maxConcurrent: entry.integer('maxConcurrent', 1, 10_000) ?? 32,
    maxEventBytes: entry.integer('maxEventBytes', 1024, 64 * MIB) ?? 4 * MIB,
    maxBytes: entry.integer('maxBytes', 1024, 1024 * MIB) ?? 32 * MIB,
    maxEvents: entry.integer('maxEvents', 1, 10_000_000) ?? 100_000,
  };
}

interface Source {
  readonly name: string;
  readonly reading: ReturnType<typeof readJsonText>;
}

function sourcesOf({ json, file }: RemoteAgentsInput): Source[] {
  return [
    ...(json === undefined ? [] : [{ name: 'REMOTE_AGENTS', reading: readJsonText(json) }]),
    ...(file === undefined ? [] : [{ name: 'REMOTE_AGENTS_FILE', reading: readJsonFile(file) }]),
  ];
}

function headersIn(entry: JsonEntry): Readonly<Record<string, string>> {
  const given = Object.entries(entry.secretMap('headers')).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  for (const [name, value] of given) {
    if (OWN_HEADERS.has(name)) entry.problem(`cannot set the header ${JSON.stringify(name)}`);
    else if (!isHeader(name, value))
      entry.problem(`the header ${JSON.stringify(name.slice(0, 80))} has an invalid name or value`);
  }
  return Object.fromEntries(given);
}

/** The names of headers that go on from the client's request. */
function forwardedIn(entry: JsonEntry, headers: Readonly<Record<string, string>>): readonly string[] {
  const names = entry.texts('forwardHeaders') ?? [];
  if (names.length > MOST_FORWARDED) entry.problem(`"forwardHeaders" must have at most ${MOST_FORWARDED} names`);
  for (const name of names) {
    const shown = JSON.stringify(name.slice(0, 80));
    if (name !== name.toLowerCase() || !isHeader(name, '')) {
      entry.problem(`"forwardHeaders" must have names of headers in lower case, not ${shown}`);
    } else if (KEPT_HEADERS.has(name) || OWN_HEADERS.has(name) || name.startsWith('proxy-')) {
      entry.problem(`"forwardHeaders" must not name ${shown}, which is never sent on`);
    } else if (Object.hasOwn(headers, name)) {
      entry.problem(`"forwardHeaders" must not name ${shown}, which "headers" sets`);
    }
  }
  return [...new Set(names)];
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
