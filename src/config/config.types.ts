/** How an MCP server is reached. */
export type McpTransportConfig =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Given to the process beside PATH, HOME and the like; nothing else of this process's environment is. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** An MCP server whose tools the agent may use. */
export interface McpServerConfig {
  /** Its name in the configuration; clients see it as `server_label`. */
  readonly label: string;
  readonly transport: McpTransportConfig;
  /** Put before the name of each of its tools, as it is. */
  readonly prefix: string;
  /** The server's own names of the tools that are offered; undefined offers all. */
  readonly allowedTools: readonly string[] | undefined;
  /** A call without an answer and without progress for so many milliseconds is given up. */
  readonly timeoutMs: number;
  /** A call is given up after so many milliseconds, progress or not. */
  readonly maxTotalMs: number;
  /** The server is not ready while this one is not there. */
  readonly required: boolean;
  /** Values that are taken out of whatever is logged or shown about this server. */
  readonly secrets: readonly string[];
}

/**
 * The whole configuration, typed, with every default applied. Injected as `AppConfig`. Durations are
 * milliseconds, sizes are bytes, unless the name says otherwise.
 */
export interface ConfigShape {
  readonly http: {
    /** HOST, default 127.0.0.1 */
    readonly host: string;
    /** PORT, default 8090 */
    readonly port: number;
    /** BODY_LIMIT_BYTES, default 8 MiB */
    readonly bodyLimitBytes: number;
    /** JSON_DEPTH_LIMIT, default 64 */
    readonly jsonDepthLimit: number;
    /** CORS_ORIGINS: comma-separated, `*` for any; default `*` on loopback and none elsewhere */
    readonly corsOrigins: readonly string[];
    /** KEEP_ALIVE_MS: silence after which an open stream gets a comment, default 15000 */
    readonly keepAliveMs: number;
    /** SLOW_READER_TIMEOUT_MS: a reader that takes nothing for so long is disconnected, default 60000 */
    readonly slowReaderTimeoutMs: number;
    /** SHUTDOWN_GRACE_MS, default 10000 */
    readonly shutdownGraceMs: number;
  };
  readonly database: {
    readonly kind: 'sqlite' | 'postgres';
    /** DATABASE_URL: `sqlite:<file>` (default `sqlite:<DATA_DIR>/parley.db`) or `postgres://…` */
    readonly url: string;
    /** The file of a `sqlite:` URL. */
    readonly file: string;
    /** DURABILITY: strict (default; survives power loss) or relaxed (survives a killed process) */
    readonly durability: 'strict' | 'relaxed';
    /** DATABASE_POOL_SIZE, PostgreSQL only, default 10 */
    readonly poolSize: number;
  };
  /** DATA_DIR, default ./data */
  readonly dataDir: string;
  readonly model: {
    /** offline when neither LLM_BASE_URL nor a provider key is set; only while the samples are on */
    readonly kind: 'offline' | 'openai-compatible';
    /** LLM_BASE_URL; chosen from DASHSCOPE_API_KEY or OPENAI_API_KEY when only a key is set */
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
    /** LLM_MODEL */
    readonly model: string;
    /** LLM_FIRST_TOKEN_TIMEOUT_MS, default 60000 */
    readonly firstTokenTimeoutMs: number;
    /** LLM_IDLE_TIMEOUT_MS: between two pieces of an answer, default 60000 */
    readonly idleTimeoutMs: number;
    /** LLM_MAX_RETRIES: before the first token only, default 2 */
    readonly maxRetries: number;
  };
  readonly samples: {
    /** SAMPLES: the offline demo model, the weather and calendar tools; default on */
    readonly enabled: boolean;
  };
  readonly agent: {
    /** AGENT_MAX_STEPS: model calls per run, default 12 */
    readonly maxSteps: number;
    /** AGENT_SYSTEM_PROMPT: replaces the persona of `worker` */
    readonly systemPrompt: string | undefined;
    /** CONTEXT_TOKEN_BUDGET: of history and input, default 32000 */
    readonly contextTokenBudget: number;
    /** DEFAULT_AGENT: the agent type of wires that name none, default worker */
    readonly defaultAgent: string;
    /** UI_LOCALE: language tag of cards for users who chose none, default zh-CN */
    readonly uiLocale: string;
  };
  readonly tools: {
    /** TOOL_TIMEOUT_MS, default 30000 */
    readonly timeoutMs: number;
    /** TOOL_OUTPUT_LIMIT_BYTES: longer output is cut and the cut is marked, default 65536 */
    readonly outputLimitBytes: number;
    /** TOOL_MAX_INVALID_CALLS: calls with invalid arguments that one run may make, default 5 */
    readonly maxInvalidCalls: number;
    /** TOOL_POLICY_FILE: absolute path; without it the default policy holds */
    readonly policyFile: string | undefined;
    /** APPROVAL_EXPIRES_IN in milliseconds, default 24 h */
    readonly approvalExpiresInMs: number;
  };
  readonly mcp: {
    /** MCP_SERVERS and MCP_SERVERS_FILE, without those that are disabled */
    readonly servers: readonly McpServerConfig[];
    /** MCP_CONNECT_TIMEOUT_MS: one attempt to connect and list, default 30000 */
    readonly connectTimeoutMs: number;
    /** MCP_LIST_WAIT_MS: what a run waits for a server's first list, default 5000 */
    readonly listWaitMs: number;
    /** MCP_LIST_TTL_MS: after that a list is asked for again, default 5 min */
    readonly listTtlMs: number;
  };
  readonly runs: {
    /** RUN_CONCURRENCY: runs that this process executes at once, default 256 */
    readonly concurrency: number;
    /** RUN_TIMEOUT_MS: wall clock of a run, default 1 h */
    readonly timeoutMs: number;
    /** RUN_IDLE_TIMEOUT_MS: a run that writes nothing for so long fails, default 5 min */
    readonly idleTimeoutMs: number;
    /** RUN_EVENTS_RETENTION in milliseconds: how long events of finished runs are kept, default 7 d */
    readonly eventsRetentionMs: number;
    /** RUN_QUEUE_TIMEOUT_MS: a run that waited longer fails, default 24 h */
    readonly queueTimeoutMs: number;
    /** RUN_QUEUE_LIMIT: waiting runs per session, default 100 */
    readonly queueLimit: number;
    /** RUN_MAX_ATTEMPTS: executions of one run, crashes included, default 3 */
    readonly maxAttempts: number;
    /** LEASE_MS, default 30000; renewed every third of it */
    readonly leaseMs: number;
    /** SWEEP_INTERVAL_MS: how often lost, waiting and cancelled runs are looked for, default 1000 */
    readonly sweepIntervalMs: number;
    /** CANCEL_GRACE_MS: an agent that ignores a cancel for so long is cut off, default 10000 */
    readonly cancelGraceMs: number;
    /** NODE_NAME: this machine's name in leases, default the host name */
    readonly nodeName: string;
  };
  readonly attachments: {
    /** PUBLIC_BASE_URL: where clients reach the server; the first signs; none: the address it listens on */
    readonly publicBases: readonly string[];
    /** ATTACHMENT_MAX_BYTES, default 10 MiB */
    readonly maxBytes: number;
    /** ATTACHMENT_URL_TTL_MS: life of a signed URL, default 1 h */
    readonly urlTtlMs: number;
    /** ATTACHMENT_SIGNING_KEYS: `kid:secret,…`; none: one key is made and kept in DATA_DIR */
    readonly signingKeys: string | undefined;
    /** ATTACHMENT_UNBOUND_TTL_MS: life of an upload that no message refers to, default 24 h */
    readonly unboundTtlMs: number;
    /** ATTACHMENT_SWEEP_INTERVAL_MS, default 10 min */
    readonly sweepIntervalMs: number;
    /** ATTACHMENT_STORE=s3 and S3_*; undefined: files in DATA_DIR */
    readonly s3:
      | {
          readonly bucket: string;
          readonly region: string;
          readonly endpoint: string | undefined;
          readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
          readonly forcePathStyle: boolean;
        }
      | undefined;
  };
  readonly agentApi: {
    /** SESSION_BUSY_POLICY: reject (default) or enqueue */
    readonly busyPolicy: 'reject' | 'enqueue';
    /** AGENT_API_DONE_FRAME: whether `data: [DONE]` ends a stream, default true */
    readonly doneFrame: boolean;
  };
  readonly responses: {
    /** RESPONSES_LEGACY_MIRROR: the key `response` on /compatible-mode/v1, default true */
    readonly legacyMirror: boolean;
    /** RESPONSES_SOCKET_LIFETIME_MS: how long a WebSocket connection may live, default 1 h */
    readonly socketLifetimeMs: number;
    /** RESPONSES_SEALING_KEYS: `kid:secret,…`; none: one key is made and kept in DATA_DIR */
    readonly sealingKeys: string | undefined;
  };
  readonly agUi: {
    /** AGUI_KEY_CASE: auto (default), camel, both or snake */
    readonly keyCase: 'auto' | 'camel' | 'both' | 'snake';
    /** AGUI_BUSY_POLICY, default interrupt; of CopilotKit too */
    readonly busyPolicy: 'reject' | 'enqueue' | 'interrupt' | 'rollback';
    /** AGUI_ON_DISCONNECT: continue (default) or cancel */
    readonly onDisconnect: 'continue' | 'cancel';
  };
  readonly agKit: {
    /** AG_KIT_DIALECTS by agent, `*` for all others; an agent without one is spoken to in the dialect of the body */
    readonly dialects: Readonly<Record<string, 'ag-kit' | 'ag-ui' | 'bot'>>;
    /** AG_KIT_ERROR_TEXT; undefined for none */
    readonly errorText: string | undefined;
  };
  readonly runsApi: {
    /** RUNS_API_INVALID_CLIENT_TIME: reject (default) or fallback */
    readonly onInvalidClientTime: 'reject' | 'fallback';
    /** RUNS_API_DETAIL_ALIAS: whether errors repeat their message as `detail`, default false */
    readonly detailAlias: boolean;
    /** RUNS_API_STREAM_MS: longest life of an event stream, default 30 min */
    readonly streamMs: number;
  };
  readonly log: {
    /** LOG_LEVEL: trace, debug, info (default), warn, error, silent */
    readonly level: string;
    /** LOG_FORMAT: json (default) or pretty one-line */
    readonly format: 'json' | 'text';
  };
}

/** The configuration as an injection token: `constructor(private readonly config: AppConfig)`. */
export abstract class AppConfig implements ConfigShape {
  abstract readonly http: ConfigShape['http'];
  abstract readonly database: ConfigShape['database'];
  abstract readonly dataDir: string;
  abstract readonly model: ConfigShape['model'];
  abstract readonly samples: ConfigShape['samples'];
  abstract readonly agent: ConfigShape['agent'];
  abstract readonly tools: ConfigShape['tools'];
  abstract readonly mcp: ConfigShape['mcp'];
  abstract readonly runs: ConfigShape['runs'];
  abstract readonly attachments: ConfigShape['attachments'];
  abstract readonly agentApi: ConfigShape['agentApi'];
  abstract readonly responses: ConfigShape['responses'];
  abstract readonly agUi: ConfigShape['agUi'];
  abstract readonly agKit: ConfigShape['agKit'];
  abstract readonly runsApi: ConfigShape['runsApi'];
  abstract readonly log: ConfigShape['log'];
}
