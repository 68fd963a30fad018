import { Setting } from './setting.decorator.js';
import {
  assignments,
  choice,
  duration,
  databaseUrl,
  flag,
  host,
  httpUrl,
  integer,
  origins,
  text,
  token,
  httpUrls,
  signingKeys,
} from './setting-rules.js';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The environment variables that Parley reads, each with its rule, default and description. This is
 * the one table of the settings: docs/configuration.md and .env.example are made from it.
 */
export class Environment {
  @Setting({
    group: 'HTTP',
    rule: host(),
    fallback: '127.0.0.1',
    description:
      'Address to listen on. There is no authentication yet: an address other than loopback lets everybody who can reach it use the agent.',
  })
  readonly HOST!: string;

  @Setting({
    group: 'HTTP',
    rule: integer(0, 65_535),
    fallback: 8090,
    description: 'Port to listen on; 0 takes a free one.',
  })
  readonly PORT!: number;

  @Setting({
    group: 'HTTP',
    rule: integer(1024, 256 * MIB),
    fallback: 8 * MIB,
    description: 'Largest request body, in bytes. Images inside a request count.',
  })
  readonly BODY_LIMIT_BYTES!: number;

  @Setting({
    group: 'HTTP',
    rule: integer(8, 1000),
    fallback: 64,
    description: 'Deepest nesting of objects and lists in a request body.',
  })
  readonly JSON_DEPTH_LIMIT!: number;

  @Setting({
    group: 'HTTP',
    rule: origins(),
    fallbackText: '`*` when HOST is loopback, none otherwise',
    description:
      'Origins whose pages may call the server from a browser, separated by commas. Credentials are never allowed.',
  })
  readonly CORS_ORIGINS?: string;

  @Setting({
    group: 'HTTP',
    rule: integer(100, 600_000),
    fallback: 15_000,
    description: 'Silence, in milliseconds, after which an open stream gets a comment line.',
  })
  readonly KEEP_ALIVE_MS!: number;

  @Setting({
    group: 'HTTP',
    rule: integer(100, HOUR_MS),
    fallback: 60_000,
    description: 'A reader that takes nothing for so many milliseconds is disconnected. Its run goes on.',
  })
  readonly SLOW_READER_TIMEOUT_MS!: number;

  @Setting({
    group: 'HTTP',
    rule: integer(0, 600_000),
    fallback: 10_000,
    description: 'Milliseconds that a shutdown waits for work in progress.',
  })
  readonly SHUTDOWN_GRACE_MS!: number;

  @Setting({
    group: 'Storage',
    rule: text(4096),
    fallback: './data',
    description: 'Folder of everything that is kept on this machine.',
  })
  readonly DATA_DIR!: string;

  @Setting({
    group: 'Storage',
    rule: databaseUrl(),
    fallbackText: '`sqlite:<DATA_DIR>/parley.db`',
    secret: true,
    description:
      'The database: `sqlite:<file>` (embedded, nothing to install) or `postgres://user:password@host:port/database`.',
  })
  readonly DATABASE_URL?: string;

  @Setting({
    group: 'Storage',
    rule: choice('strict', 'relaxed'),
    fallback: 'strict',
    description:
      '`strict` survives a power failure; `relaxed` is faster and survives a killed process, but not a power failure.',
  })
  readonly DURABILITY!: 'strict' | 'relaxed';

  @Setting({
    group: 'Storage',
    rule: integer(2, 1000),
    fallback: 10,
    description: 'Connections to PostgreSQL. The embedded database ignores it.',
  })
  readonly DATABASE_POOL_SIZE!: number;

  @Setting({
    group: 'Model',
    rule: httpUrl(),
    fallbackText: 'chosen from the provider key',
    description: 'Base address of a server with the Chat Completions API, such as `http://127.0.0.1:11434/v1`.',
  })
  readonly LLM_BASE_URL?: string;

  @Setting({
    group: 'Model',
    rule: token(4096),
    fallbackText: 'the provider key',
    secret: true,
    description: 'Key for the server at LLM_BASE_URL. Leave it empty for a server that wants none.',
  })
  readonly LLM_API_KEY?: string;

  @Setting({
    group: 'Model',
    rule: token(256),
    fallbackText: '`qwen-plus` on DashScope, `gpt-4o-mini` elsewhere',
    description: 'Name of the model to call.',
  })
  readonly LLM_MODEL?: string;

  @Setting({
    group: 'Model',
    rule: token(4096),
    fallbackText: 'not set',
    secret: true,
    description: 'A DashScope key. Enough by itself: the base address and `qwen-plus` are chosen.',
  })
  readonly DASHSCOPE_API_KEY?: string;

  @Setting({
    group: 'Model',
    rule: token(4096),
    fallbackText: 'not set',
    secret: true,
    description: 'An OpenAI key. Enough by itself: the base address and `gpt-4o-mini` are chosen.',
  })
  readonly OPENAI_API_KEY?: string;

  @Setting({
    group: 'Model',
    rule: integer(10, HOUR_MS),
    fallback: 60_000,
    description: 'Milliseconds to wait for the first piece of an answer of the model.',
  })
  readonly LLM_FIRST_TOKEN_TIMEOUT_MS!: number;

  @Setting({
    group: 'Model',
    rule: integer(10, HOUR_MS),
    fallback: 60_000,
    description: 'Milliseconds to wait between two pieces of an answer of the model.',
  })
  readonly LLM_IDLE_TIMEOUT_MS!: number;

  @Setting({
    group: 'Model',
    rule: integer(0, 10),
    fallback: 2,
    description: 'How often a model call is repeated when it fails before its first piece.',
  })
  readonly LLM_MAX_RETRIES!: number;

  @Setting({
    group: 'Samples',
    rule: choice('on', 'off'),
    fallback: 'on',
    description:
      'The samples: the offline demo model, which answers when no model is configured, and the weather and calendar tools. `off` leaves them out: a model must then be configured, and a new database gets no calendar table.',
  })
  readonly SAMPLES!: 'on' | 'off';

  @Setting({ group: 'Agent', rule: integer(1, 1000), fallback: 12, description: 'Model calls that one run may make.' })
  readonly AGENT_MAX_STEPS!: number;

  @Setting({
    group: 'Agent',
    rule: text(100_000),
    fallbackText: 'the persona of the agent',
    description: 'Replaces the system prompt of the agent `worker`.',
  })
  readonly AGENT_SYSTEM_PROMPT?: string;

  @Setting({
    group: 'Agent',
    rule: integer(256, 10_000_000),
    fallback: 32_000,
    description: 'Tokens of history and input that are given to the model.',
  })
  readonly CONTEXT_TOKEN_BUDGET!: number;

  @Setting({
    group: 'Agent',
    rule: token(128),
    fallback: 'worker',
    description: 'The agent type that answers requests which name none.',
  })
  readonly DEFAULT_AGENT!: string;

  @Setting({
    group: 'Agent',
    rule: token(35),
    fallback: 'zh-CN',
    description: 'Language tag of the cards of answers (ui_schema) for users whose settings name none.',
  })
  readonly UI_LOCALE!: string;

  @Setting({
    group: 'Tools',
    rule: integer(10, DAY_MS),
    fallback: 30_000,
    description: 'Milliseconds that one tool call may take.',
  })
  readonly TOOL_TIMEOUT_MS!: number;

  @Setting({
    group: 'Tools',
    rule: integer(256, 64 * MIB),
    fallback: 65_536,
    description: 'Longest output of a tool, in bytes. A longer one is cut, and the cut is marked.',
  })
  readonly TOOL_OUTPUT_LIMIT_BYTES!: number;

  @Setting({
    group: 'Tools',
    rule: integer(0, 1000),
    fallback: 5,
    description: 'Tool calls with invalid arguments that one run may make before it fails.',
  })
  readonly TOOL_MAX_INVALID_CALLS!: number;

  @Setting({
    group: 'Tools',
    rule: text(4096),
    fallbackText: 'none: unsafe and destructive tools ask, the others are allowed',
    description: 'JSON file with the rules that allow, deny or ask for tool calls (docs/tools.md). Read at the start.',
  })
  readonly TOOL_POLICY_FILE?: string;

  @Setting({
    group: 'Tools',
    rule: duration(1000, 365 * DAY_MS),
    fallback: '24h',
    description:
      'How long an approval or an input that an agent asks for may be answered, where its rule does not say.',
  })
  readonly APPROVAL_EXPIRES_IN!: string;

  @Setting({
    group: 'Tools',
    rule: text(MIB),
    fallbackText: 'none',
    secret: true,
    description:
      'MCP servers whose tools the agent may use: a JSON object in the shape of `mcpServers`, such as `{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","./shared"]}}`. See docs/tools.md.',
  })
  readonly MCP_SERVERS?: string;

  @Setting({
    group: 'Tools',
    rule: text(4096),
    fallbackText: 'none',
    description: 'A JSON file with more MCP servers, in the same shape.',
  })
  readonly MCP_SERVERS_FILE?: string;

  @Setting({
    group: 'Tools',
    rule: integer(100, HOUR_MS),
    fallback: 30_000,
    description: 'Milliseconds that one attempt to connect to an MCP server and to list its tools may take.',
  })
  readonly MCP_CONNECT_TIMEOUT_MS!: number;

  @Setting({
    group: 'Tools',
    rule: integer(0, 600_000),
    fallback: 5000,
    description:
      'Milliseconds that a run waits for an MCP server that is being connected for the first time. After that it goes on without its tools.',
  })
  readonly MCP_LIST_WAIT_MS!: number;

  @Setting({
    group: 'Tools',
    rule: integer(100, DAY_MS),
    fallback: 300_000,
    description:
      'Milliseconds after which the tools of an MCP server are listed again, also when it announced no change.',
  })
  readonly MCP_LIST_TTL_MS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(1, 100_000),
    fallback: 256,
    description: 'Runs that this process executes at once. The others wait.',
  })
  readonly RUN_CONCURRENCY!: number;

  @Setting({
    group: 'Runs',
    rule: integer(100, 30 * DAY_MS),
    fallback: HOUR_MS,
    description: 'Milliseconds that one run may take; waiting and the time after a crash are not counted.',
  })
  readonly RUN_TIMEOUT_MS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(100, 365 * DAY_MS),
    fallback: DAY_MS,
    description: 'A run that has waited so many milliseconds for its turn fails.',
  })
  readonly RUN_QUEUE_TIMEOUT_MS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(100, 30 * DAY_MS),
    fallback: 300_000,
    description: 'A run that writes nothing for so many milliseconds, tools included, fails.',
  })
  readonly RUN_IDLE_TIMEOUT_MS!: number;

  @Setting({
    group: 'Runs',
    rule: duration(HOUR_MS, 3650 * DAY_MS),
    fallback: '7d',
    description:
      'How long the events of a finished run are kept for replay. Its final response and the messages of its session stay.',
  })
  readonly RUN_EVENTS_RETENTION!: string;

  @Setting({
    group: 'Runs',
    rule: integer(1, 100_000),
    fallback: 100,
    description: 'Runs of one session that may wait for their turn.',
  })
  readonly RUN_QUEUE_LIMIT!: number;

  @Setting({
    group: 'Runs',
    rule: integer(1, 100),
    fallback: 3,
    description: 'How often one run is started, crashes of its worker included, before it fails.',
  })
  readonly RUN_MAX_ATTEMPTS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(100, HOUR_MS),
    fallback: 30_000,
    description:
      'Milliseconds after which a run whose worker is silent is taken over. The worker renews it every third of that.',
  })
  readonly LEASE_MS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(10, HOUR_MS),
    fallback: 1000,
    description: 'Milliseconds between two searches for lost, waiting and cancelled runs. Not more than LEASE_MS.',
  })
  readonly SWEEP_INTERVAL_MS!: number;

  @Setting({
    group: 'Runs',
    rule: integer(0, HOUR_MS),
    fallback: 10_000,
    description: 'An agent that ignores a cancellation for so many milliseconds is cut off.',
  })
  readonly CANCEL_GRACE_MS!: number;

  @Setting({
    group: 'Runs',
    rule: token(128),
    fallbackText: 'the host name',
    description: 'Name of this machine, as other processes on the same database see it.',
  })
  readonly NODE_NAME?: string;

  @Setting({
    group: 'Attachments',
    rule: httpUrls(),
    fallbackText: 'the address the server listens on',
    description:
      'Base addresses under which clients reach the server, separated by commas. Signed addresses of attachments begin with the first; those of the others are taken too.',
  })
  readonly PUBLIC_BASE_URL?: string;

  @Setting({
    group: 'Attachments',
    rule: integer(1024, 256 * MIB),
    fallback: 10 * MIB,
    description: 'Largest file that can be uploaded, in bytes.',
  })
  readonly ATTACHMENT_MAX_BYTES!: number;

  @Setting({
    group: 'Attachments',
    rule: integer(1000, 30 * DAY_MS),
    fallback: HOUR_MS,
    description: 'Milliseconds that a signed address of an attachment is good for.',
  })
  readonly ATTACHMENT_URL_TTL_MS!: number;

  @Setting({
    group: 'Attachments',
    rule: signingKeys(),
    fallbackText: 'one key, made at the first start and kept in DATA_DIR',
    secret: true,
    description:
      'Keys of signed addresses as `kid:secret`, separated by commas. The first signs, all are accepted: put a new one in front, and take the old one away when its addresses have expired. Several servers on one database need the same keys.',
  })
  readonly ATTACHMENT_SIGNING_KEYS?: string;

  @Setting({
    group: 'Attachments',
    rule: integer(1000, 365 * DAY_MS),
    fallback: DAY_MS,
    description: 'Milliseconds after which an upload that no message refers to is deleted.',
  })
  readonly ATTACHMENT_UNBOUND_TTL_MS!: number;

  @Setting({
    group: 'Attachments',
    rule: integer(10, DAY_MS),
    fallback: 600_000,
    description: 'Milliseconds between two searches for attachments to delete.',
  })
  readonly ATTACHMENT_SWEEP_INTERVAL_MS!: number;

  @Setting({
    group: 'Attachments',
    rule: choice('local', 's3'),
    fallback: 'local',
    description: '`local` keeps files in DATA_DIR, `s3` in a bucket of any S3-compatible store.',
  })
  readonly ATTACHMENT_STORE!: 'local' | 's3';

  @Setting({
    group: 'Attachments',
    rule: token(255),
    fallbackText: 'not set',
    description: 'The bucket. It must exist.',
  })
  readonly S3_BUCKET?: string;

  @Setting({ group: 'Attachments', rule: token(64), fallback: 'us-east-1', description: 'The region of the bucket.' })
  readonly S3_REGION!: string;

  @Setting({
    group: 'Attachments',
    rule: httpUrl(),
    fallbackText: 'Amazon S3',
    description: 'Address of another S3-compatible store, such as `http://127.0.0.1:9000`.',
  })
  readonly S3_ENDPOINT?: string;

  @Setting({
    group: 'Attachments',
    rule: token(256),
    fallbackText: 'what the machine is configured with',
    secret: true,
    description: 'Access key of the store.',
  })
  readonly S3_ACCESS_KEY_ID?: string;

  @Setting({
    group: 'Attachments',
    rule: token(256),
    fallbackText: 'what the machine is configured with',
    secret: true,
    description: 'Secret of the access key.',
  })
  readonly S3_SECRET_ACCESS_KEY?: string;

  @Setting({
    group: 'Attachments',
    rule: flag(),
    fallbackText: '`true` with S3_ENDPOINT, `false` without',
    description: 'Whether the bucket stands in the path of an address instead of its host name.',
  })
  readonly S3_FORCE_PATH_STYLE?: boolean;

  @Setting({
    group: 'Agent API',
    rule: choice('reject', 'enqueue'),
    fallback: 'reject',
    description: 'A second request on a session whose run is in progress is refused (`reject`) or waits (`enqueue`).',
  })
  readonly SESSION_BUSY_POLICY!: 'reject' | 'enqueue';

  @Setting({ group: 'Agent API', rule: flag(), fallback: true, description: 'Whether `data: [DONE]` ends a stream.' })
  readonly AGENT_API_DONE_FRAME!: boolean;

  @Setting({
    group: 'OpenAI Responses',
    rule: flag(),
    fallback: true,
    description: 'Whether a JSON response on `/compatible-mode/v1` repeats itself under the key `response`.',
  })
  readonly RESPONSES_LEGACY_MIRROR!: boolean;

  @Setting({
    group: 'OpenAI Responses',
    rule: integer(1000, 24 * HOUR_MS),
    fallback: HOUR_MS,
    description: 'Milliseconds after which a WebSocket connection is closed.',
  })
  readonly RESPONSES_SOCKET_LIFETIME_MS!: number;

  @Setting({
    group: 'OpenAI Responses',
    rule: signingKeys(),
    fallbackText: 'one key, made when it is first needed and kept in DATA_DIR',
    secret: true,
    description:
      'Keys of `encrypted_content` as `kid:secret`, separated by commas. The first seals, all open: put a new one in front, and take the old one away when nobody has its content any more. Several servers on one database need the same keys.',
  })
  readonly RESPONSES_SEALING_KEYS?: string;

  @Setting({
    group: 'AG-UI',
    rule: choice('auto', 'camel', 'both', 'snake'),
    fallback: 'auto',
    description:
      'How the keys of AG-UI events are written: camelCase, with snake_case copies, or snake_case. `auto`: camelCase for clients that send `protocolVersion`, `both` for others.',
  })
  readonly AGUI_KEY_CASE!: 'auto' | 'camel' | 'both' | 'snake';

  @Setting({
    group: 'AG-UI',
    rule: choice('reject', 'enqueue', 'interrupt', 'rollback'),
    fallback: 'interrupt',
    description:
      'A second run on a thread whose run is in progress is refused (`reject`), waits (`enqueue`), stops that one and keeps its work (`interrupt`), or stops it and forgets it (`rollback`). Applies to CopilotKit too.',
  })
  readonly AGUI_BUSY_POLICY!: 'reject' | 'enqueue' | 'interrupt' | 'rollback';

  @Setting({
    group: 'AG-UI',
    rule: choice('continue', 'cancel'),
    fallback: 'continue',
    description: 'Whether a run goes on when its AG-UI client leaves. CopilotKit clients stop runs by a request.',
  })
  readonly AGUI_ON_DISCONNECT!: 'continue' | 'cancel';

  @Setting({
    group: 'AG-Kit',
    rule: assignments('ag-kit', 'ag-ui', 'bot'),
    description:
      'Agents whose `send-message` speaks one dialect, whatever the body looks like: `agent=dialect` separated by commas, `*` for all others. A dialect is `ag-kit` (`conversationId`), `ag-ui` (`threadId`) or `bot` (`msg`). Without it the body says which.',
    fallbackText: 'the body says which',
  })
  readonly AG_KIT_DIALECTS?: string;

  @Setting({
    group: 'AG-Kit',
    rule: text(1000),
    description:
      'What an AG-Kit stream says as text before its `error` event, for clients that show no errors, as the vendor’s hook does not.',
    fallbackText: 'nothing',
  })
  readonly AG_KIT_ERROR_TEXT?: string;

  @Setting({
    group: 'Runs API',
    rule: choice('reject', 'fallback'),
    fallback: 'reject',
    description: 'A `client_time` with a bad value: the request is refused, or the value counts as missing.',
  })
  readonly RUNS_API_INVALID_CLIENT_TIME!: 'reject' | 'fallback';

  @Setting({
    group: 'Runs API',
    rule: flag(),
    fallback: false,
    description: 'Errors repeat their message as `detail`, for clients that look for it there.',
  })
  readonly RUNS_API_DETAIL_ALIAS!: boolean;

  @Setting({
    group: 'Runs API',
    rule: integer(1000, DAY_MS),
    fallback: HOUR_MS / 2,
    description: 'Milliseconds after which an event stream ends between two events. Its client resumes.',
  })
  readonly RUNS_API_STREAM_MS!: number;

  @Setting({
    group: 'Logging',
    rule: choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    description: 'The least important kind of message that is logged.',
  })
  readonly LOG_LEVEL!: string;

  @Setting({
    group: 'Logging',
    rule: choice('json', 'text'),
    fallback: 'json',
    description: '`json` writes one object per line, `text` one readable line.',
  })
  readonly LOG_FORMAT!: 'json' | 'text';
}
