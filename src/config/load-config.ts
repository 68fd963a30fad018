import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseDuration } from '../common/index.js';
import { type AppConfig, type ConfigShape } from './config.types.js';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.js';
import { type Environment } from './environment.js';
import { type McpServersReading, readMcpServers } from './mcp-servers.js';
import { type ModelSelection, selectModel } from './model-selection.js';
import { readEnvironment } from './read-environment.js';
import { splitAssignments, splitList } from './setting-rules.js';

/** A valid configuration, and what its owner should know about it. */
export interface ConfigReading {
  readonly config: AppConfig;
  /** Sentences without secrets, for the log. */
  readonly warnings: readonly string[];
}

/**
 * Reads the environment once, with every default applied.
 *
 * @throws ConfigurationError that names every variable which cannot be used
 */
export function readConfig(env: NodeJS.ProcessEnv): ConfigReading {
  const { environment, problems } = readEnvironment(env);
  const unusable = new Set(problems.map(({ name }) => name));
  const selection = selectModel(environment);
  const mcp = readMcpServers(environment, env);
  const all = [...problems, ...relationProblems(environment, unusable), ...selection.problems, ...mcp.problems];
  if (all.length > 0) throw new ConfigurationError(all);
  const config = freezeDeep(shape(environment, selection, mcp));
  return { config, warnings: [...exposureWarnings(config), ...selection.warnings] };
}

/** The configuration of `readConfig`, for those who do not want the warnings. */
export function loadConfig(env: NodeJS.ProcessEnv): AppConfig {
  return readConfig(env).config;
}

/**
 * A configuration for tests: the given variables over the defaults, nothing from the machine's own
 * environment, and a silent log.
 */
export function configFrom(env: Readonly<Record<string, string | undefined>> = {}): AppConfig {
  return loadConfig({ LOG_LEVEL: 'silent', ...env });
}

/** Whether an address of `HOST` can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

function relationProblems(env: Environment, unusable: ReadonlySet<string>): ConfigurationProblem[] {
  return [...sweepProblems(env, unusable), ...bucketProblems(env, unusable)];
}

function sweepProblems(env: Environment, unusable: ReadonlySet<string>): ConfigurationProblem[] {
  if (unusable.has('SWEEP_INTERVAL_MS') || unusable.has('LEASE_MS') || env.SWEEP_INTERVAL_MS <= env.LEASE_MS) return [];
  const message = `must not be more than LEASE_MS (the number ${env.LEASE_MS}), but is the number ${env.SWEEP_INTERVAL_MS}`;
  return [{ name: 'SWEEP_INTERVAL_MS', message }];
}

function bucketProblems(env: Environment, unusable: ReadonlySet<string>): ConfigurationProblem[] {
  if (unusable.has('ATTACHMENT_STORE') || env.ATTACHMENT_STORE !== 's3') return [];
  const needed = (name: 'S3_BUCKET' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY', because: string) =>
    unusable.has(name) || env[name] !== undefined ? [] : [{ name, message: `must be set, because ${because}` }];
  return [
    ...needed('S3_BUCKET', 'ATTACHMENT_STORE is s3'),
    ...(env.S3_SECRET_ACCESS_KEY === undefined ? [] : needed('S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY is set')),
    ...(env.S3_ACCESS_KEY_ID === undefined ? [] : needed('S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID is set')),
  ];
}

function exposureWarnings(config: ConfigShape): string[] {
  if (isLoopback(config.http.host)) return [];
  return [
    `HOST is ${config.http.host}, which other machines may reach, and there is no authentication yet: everybody who can reach this port can use the agent and read every session.`,
  ];
}

function shape(env: Environment, selection: ModelSelection, mcp: McpServersReading): ConfigShape {
  const dataDir = resolve(env.DATA_DIR);
  return {
    http: httpOf(env),
    database: databaseOf(env, dataDir),
    dataDir,
    model: modelOf(env, selection),
    samples: { enabled: env.SAMPLES === 'on' },
    agent: {
      maxSteps: env.AGENT_MAX_STEPS,
      systemPrompt: env.AGENT_SYSTEM_PROMPT,
      contextTokenBudget: env.CONTEXT_TOKEN_BUDGET,
      defaultAgent: env.DEFAULT_AGENT,
      uiLocale: env.UI_LOCALE,
    },
    tools: {
      timeoutMs: env.TOOL_TIMEOUT_MS,
      outputLimitBytes: env.TOOL_OUTPUT_LIMIT_BYTES,
      maxInvalidCalls: env.TOOL_MAX_INVALID_CALLS,
      policyFile: env.TOOL_POLICY_FILE === undefined ? undefined : resolve(env.TOOL_POLICY_FILE),
      approvalExpiresInMs: parseDuration(env.APPROVAL_EXPIRES_IN) ?? 0,
    },
    mcp: {
      servers: mcp.servers,
      connectTimeoutMs: env.MCP_CONNECT_TIMEOUT_MS,
      listWaitMs: env.MCP_LIST_WAIT_MS,
      listTtlMs: env.MCP_LIST_TTL_MS,
    },
    runs: runsOf(env),
    attachments: attachmentsOf(env),
    agentApi: { busyPolicy: env.SESSION_BUSY_POLICY, doneFrame: env.AGENT_API_DONE_FRAME },
    responses: {
      legacyMirror: env.RESPONSES_LEGACY_MIRROR,
      socketLifetimeMs: env.RESPONSES_SOCKET_LIFETIME_MS,
      sealingKeys: env.RESPONSES_SEALING_KEYS,
    },
    agUi: { keyCase: env.AGUI_KEY_CASE, busyPolicy: env.AGUI_BUSY_POLICY, onDisconnect: env.AGUI_ON_DISCONNECT },
    agKit: agKitOf(env),
    runsApi: {
      onInvalidClientTime: env.RUNS_API_INVALID_CLIENT_TIME,
      detailAlias: env.RUNS_API_DETAIL_ALIAS,
      streamMs: env.RUNS_API_STREAM_MS,
    },
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}

function httpOf(env: Environment): ConfigShape['http'] {
  return {
    host: env.HOST,
    port: env.PORT,
    bodyLimitBytes: env.BODY_LIMIT_BYTES,
    jsonDepthLimit: env.JSON_DEPTH_LIMIT,
    corsOrigins: env.CORS_ORIGINS === undefined ? (isLoopback(env.HOST) ? ['*'] : []) : splitList(env.CORS_ORIGINS),
    keepAliveMs: env.KEEP_ALIVE_MS,
    slowReaderTimeoutMs: env.SLOW_READER_TIMEOUT_MS,
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
  };
}

function databaseOf(env: Environment, dataDir: string): ConfigShape['database'] {
  const common = { durability: env.DURABILITY, poolSize: env.DATABASE_POOL_SIZE };
  const url = env.DATABASE_URL;
  if (url !== undefined && !url.startsWith('sqlite:')) return { kind: 'postgres', url, file: '', ...common };
  const named = url?.replace(/^sqlite:(\/\/)?/, '') ?? resolve(dataDir, 'parley.db');
  const file = named === ':memory:' ? named : resolve(named);
  return { kind: 'sqlite', url: `sqlite:${file}`, file, ...common };
}

function modelOf(env: Environment, selection: ModelSelection): ConfigShape['model'] {
  const { kind, baseUrl, apiKey, model } = selection;
  return {
    kind,
    baseUrl,
    apiKey,
    model,
    firstTokenTimeoutMs: env.LLM_FIRST_TOKEN_TIMEOUT_MS,
    idleTimeoutMs: env.LLM_IDLE_TIMEOUT_MS,
    maxRetries: env.LLM_MAX_RETRIES,
  };
}

function runsOf(env: Environment): ConfigShape['runs'] {
  return {
    concurrency: env.RUN_CONCURRENCY,
    timeoutMs: env.RUN_TIMEOUT_MS,
    idleTimeoutMs: env.RUN_IDLE_TIMEOUT_MS,
    eventsRetentionMs: parseDuration(env.RUN_EVENTS_RETENTION) ?? 0,
    queueTimeoutMs: env.RUN_QUEUE_TIMEOUT_MS,
    queueLimit: env.RUN_QUEUE_LIMIT,
    maxAttempts: env.RUN_MAX_ATTEMPTS,
    leaseMs: env.LEASE_MS,
    sweepIntervalMs: env.SWEEP_INTERVAL_MS,
    cancelGraceMs: env.CANCEL_GRACE_MS,
    nodeName: env.NODE_NAME ?? hostname(),
  };
}

function attachmentsOf(env: Environment): ConfigShape['attachments'] {
  return {
    publicBases: splitList(env.PUBLIC_BASE_URL ?? '').map((base) => base.replace(/\/+$/, '')),
    maxBytes: env.ATTACHMENT_MAX_BYTES,
    urlTtlMs: env.ATTACHMENT_URL_TTL_MS,
    signingKeys: env.ATTACHMENT_SIGNING_KEYS,
    unboundTtlMs: env.ATTACHMENT_UNBOUND_TTL_MS,
    sweepIntervalMs: env.ATTACHMENT_SWEEP_INTERVAL_MS,
    s3: s3Of(env),
  };
}

function agKitOf(env: Environment): ConfigShape['agKit'] {
  const dialects = Object.fromEntries(splitAssignments(env.AG_KIT_DIALECTS ?? ''));
  return { dialects: dialects as ConfigShape['agKit']['dialects'], errorText: env.AG_KIT_ERROR_TEXT };
}

function s3Of(env: Environment): ConfigShape['attachments']['s3'] {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (env.ATTACHMENT_STORE !== 's3' || bucket === undefined) return undefined;
  return {
    bucket,
    region: env.S3_REGION,
    endpoint: env.S3_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
    forcePathStyle: env.S3_FORCE_PATH_STYLE ?? env.S3_ENDPOINT !== undefined,
  };
}

function freezeDeep<T extends object>(value: T): T {
  for (const item of Object.values(value)) {
    if (typeof item === 'object' && item !== null) freezeDeep(item as object);
  }
  return Object.freeze(value);
}
