import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { BrowserSettings } from './access/index.js';
import { AgentSettings, ModelSettings } from './agent/index.js';
import { APP_SETTINGS, readConfiguration } from './app.settings.js';
import { AttachmentSettings } from './agent/attachment/index.js';
import { ConfigurationError, ServerSettings, type SliceType } from './config/index.js';
import { DatabaseSettings } from './database/index.js';
import { AgKitSettings } from './protocol/ag-kit/ag-kit.settings.js';
import { AgUiSettings } from './protocol/ag-ui-events/index.js';
import { AgentApiSettings } from './protocol/agent-api/agent-api.settings.js';
import { HttpSettings } from './protocol/http/index.js';
import { ResponsesSettings } from './protocol/responses/responses.settings.js';
import { RunsApiSettings } from './protocol/runs/runs-api.settings.js';
import { FleetSettings, RunSettings } from './run/index.js';
import { SamplesSettings } from './samples/index.js';
import { LoggingSettings } from './telemetry/index.js';
import { McpSettings, ToolSettings } from './agent/tools/index.js';

const DECLARED = APP_SETTINGS.flatMap((slice) => Object.values(slice.declarations));

/** The error of a configuration that is refused. */
function refusal(env: NodeJS.ProcessEnv): ConfigurationError {
  try {
    readConfiguration(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('the settings of the server', () => {
  const configuration = readConfiguration({});

  it.each<[SliceType, object]>([
    [
      ServerSettings,
      { host: '127.0.0.1', port: 8090, publicBases: [], dataDir: resolve('data'), shutdownGraceMs: 10_000 },
    ],
    [
      HttpSettings,
      {
        bodyLimitBytes: 8 * 1024 * 1024,
        jsonDepthLimit: 64,
        keepAliveMs: 15_000,
        slowReaderTimeoutMs: 60_000,
      },
    ],
    [
      DatabaseSettings,
      {
        address: { kind: 'sqlite', url: `sqlite:${resolve('data/parley.db')}`, file: resolve('data/parley.db') },
        durability: 'strict',
        migrate: 'auto',
        poolSize: 10,
      },
    ],
    [
      ModelSettings,
      {
        server: { kind: 'offline', baseUrl: '', apiKey: undefined, model: 'offline-demo' },
        firstTokenTimeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        maxRetries: 2,
      },
    ],
    [SamplesSettings, { samples: 'on', hasTools: true }],
    [
      AgentSettings,
      {
        maxSteps: 12,
        systemPrompt: undefined,
        contextTokenBudget: 32_000,
        defaultAgent: 'worker',
        uiLocale: 'zh-CN',
      },
    ],
    [
      ToolSettings,
      {
        timeoutMs: 30_000,
        outputLimitBytes: 65_536,
        maxInvalidCalls: 5,
        policyFile: undefined,
        approvalExpiresInMs: 86_400_000,
      },
    ],
    [McpSettings, { servers: [], connectTimeoutMs: 30_000, listWaitMs: 5000, listTtlMs: 300_000 }],
    [
      RunSettings,
      {
        concurrency: 256,
        timeoutMs: 3_600_000,
        idleTimeoutMs: 300_000,
        queueTimeoutMs: 86_400_000,
        queueLimit: 100,
        maxAttempts: 3,
        leaseMs: 15_000,
        sweepIntervalMs: 1000,
        cancelGraceMs: 10_000,
        nodeName: hostname(),
        shutdownGraceMs: 10_000,
      },
    ],
    [
      FleetSettings,
      {
        role: 'all',
        workers: 1,
        tenantQueueLimit: 5000,
        fleetQueueLimit: 20_000,
        drainRunMs: 60_000,
        drainStreamMs: 120_000,
      },
    ],
    [
      AttachmentSettings,
      {
        maxBytes: 10 * 1024 * 1024,
        urlTtlMs: 3_600_000,
        signingKeys: undefined,
        sweepIntervalMs: 600_000,
        s3: undefined,
      },
    ],
    [AgentApiSettings, { busyPolicy: 'reject', doneFrame: true }],
    [ResponsesSettings, { legacyMirror: true, socketLifetimeMs: 3_600_000, sealingKeys: undefined }],
    [AgUiSettings, { keyCase: 'auto', busyPolicy: 'interrupt', onDisconnect: 'continue' }],
    [AgKitSettings, { dialects: {}, errorText: undefined }],
    [RunsApiSettings, { onInvalidClientTime: 'reject', detailAlias: false, streamMs: 1_800_000 }],
    [LoggingSettings, { level: 'info', format: 'json' }],
  ])('every setting has a default: %p', (type, defaults) => {
    expect(configuration.get(type)).toMatchObject(defaults);
  });

  it('the defaults need no warning', () => {
    expect(configuration.warnings).toEqual([]);
  });

  it('settings are frozen', () => {
    for (const type of APP_SETTINGS) expect(Object.isFrozen(configuration.get(type))).toBe(true);
    expect(Object.isFrozen(configuration.get(BrowserSettings).corsOrigins)).toBe(true);
  });

  it('every variable is declared once', () => {
    const names = DECLARED.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('every setting has a description that is a sentence', () => {
    for (const { description } of DECLARED) expect(description).toMatch(/^[A-Z`].*\.$/);
  });
});

describe('readConfiguration with valid values', () => {
  it.each([
    ['sqlite:other.db', resolve('other.db')],
    ['sqlite:/var/lib/parley.db', '/var/lib/parley.db'],
    ['sqlite:///var/lib/parley.db', '/var/lib/parley.db'],
    ['sqlite::memory:', ':memory:'],
  ])('the file of %s is found', (url, file) => {
    const { address } = readConfiguration({ DATABASE_URL: url }).get(DatabaseSettings);
    expect(address).toEqual({ kind: 'sqlite', file, url: `sqlite:${file}` });
  });

  it('the default database is under DATA_DIR', () => {
    const { address } = readConfiguration({ DATA_DIR: '/srv/parley' }).get(DatabaseSettings);
    expect(address.file).toBe('/srv/parley/parley.db');
  });

  it('the URL of a PostgreSQL database is unchanged', () => {
    const url = 'postgresql://user:p%40ss@db:5432/parley?sslmode=require';
    const { address } = readConfiguration({ DATABASE_URL: url }).get(DatabaseSettings);
    expect(address).toEqual({ kind: 'postgres', url, file: '' });
  });

  it.each([
    [
      {},
      ['http', 'https'].flatMap((scheme) => ['localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*`)),
    ],
    [{ HOST: '0.0.0.0', AUTH: 'keys' }, []],
    [{ HOST: '0.0.0.0', AUTH: 'keys', CORS_ORIGINS: '*' }, ['*']],
    [{ CORS_ORIGINS: 'https://a.example, http://localhost:3000,' }, ['https://a.example', 'http://localhost:3000']],
  ])('CORS_ORIGINS=%j allows the origins %j', (env, origins) => {
    expect(readConfiguration(env).get(BrowserSettings).corsOrigins).toEqual(origins);
  });

  it('the dialects of agents are read', () => {
    const { dialects } = readConfiguration({ AG_KIT_DIALECTS: ' worker=ag-ui, * = ag-kit ' }).get(AgKitSettings);
    expect(dialects).toEqual({ worker: 'ag-ui', '*': 'ag-kit' });
  });

  it('key rings are read', () => {
    const ring = 'k2:a-secret-of-sixteen,k1:another-secret-of-16';
    const { signingKeys } = readConfiguration({ ATTACHMENT_SIGNING_KEYS: ring }).get(AttachmentSettings);
    expect(signingKeys).toEqual([
      { kid: 'k2', secret: 'a-secret-of-sixteen' },
      { kid: 'k1', secret: 'another-secret-of-16' },
    ]);
  });

  it('trailing slashes of public addresses are removed', () => {
    const env = { PUBLIC_BASE_URL: 'https://a.example.org/, http://b.example.org/parley' };
    const { publicBases } = readConfiguration(env).get(ServerSettings);
    expect(publicBases).toEqual(['https://a.example.org', 'http://b.example.org/parley']);
  });

  it('a bucket is in the path for stores other than Amazon S3', () => {
    const env = { ATTACHMENT_STORE: 's3', S3_BUCKET: 'files' };
    expect(readConfiguration(env).get(AttachmentSettings).s3).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      endpoint: undefined,
      credentials: undefined,
      forcePathStyle: false,
    });
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const other = readConfiguration({ ...env, ...keys, S3_ENDPOINT: 'http://127.0.0.1:9000' });
    expect(other.get(AttachmentSettings).s3).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
    });
  });
});

describe('readConfiguration with invalid values', () => {
  it.each([
    ['PORT', '70000', 'must be a whole number from 0 to 65535, but is the number 70000'],
    ['PORT', '80x', 'must be a whole number from 0 to 65535, but is the text "80x"'],
    ['PORT', '1.5', 'must be a whole number from 0 to 65535, but is the text "1.5"'],
    [
      'HOST',
      'http://0.0.0.0',
      'must be a host name, an IPv4 address or an IPv6 address, but is the text "http://0.0.0.0"',
    ],
    ['LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, silent, but is the text "loud"'],
    ['LOG_FORMAT', 'xml', 'must be one of json, text, but is the text "xml"'],
    ['DURABILITY', 'some', 'must be one of strict, relaxed, but is the text "some"'],
    ['SESSION_BUSY_POLICY', 'drop', 'must be one of reject, enqueue, but is the text "drop"'],
    ['AGENT_API_DONE_FRAME', 'maybe', 'must be true or false, but is the text "maybe"'],
    [
      'CORS_ORIGINS',
      'https://a.example/path',
      'must be * or a comma-separated list of origins such as https://chat.example.org or http://localhost:*, but is the text "https://a.example/path"',
    ],
    ['SWEEP_INTERVAL_MS', '40000', 'must not be more than LEASE_MS (the number 15000), but is the number 40000'],
  ])('%s=%s is refused', (name, value, message) => {
    expect(refusal({ [name]: value }).problems).toEqual([{ name, message }]);
  });

  const numbers = DECLARED.filter(({ rule }) => rule.expectation.startsWith('a whole number'));

  it.each(numbers.map(({ name }) => name))('the error of %s names the range', (name) => {
    const [problem] = refusal({ [name]: '-1' }).problems;
    expect(problem?.name).toBe(name);
    expect(problem?.message).toMatch(/^must be a whole number from \d+ to \d+, but is the number -1$/);
  });

  it('all errors are listed together', () => {
    const error = refusal({ PORT: 'x', LOG_LEVEL: 'loud', LLM_API_KEY: 'sk-abc' });
    expect(error.problems.map(({ name }) => name)).toEqual(['PORT', 'LOG_LEVEL', 'LLM_API_KEY']);
    for (const { name, message } of error.problems) expect(error.message).toContain(`  ${name} ${message}`);
  });

  it.each(['worker', 'worker=', '=bot', 'worker=morse', 'worker=bot,worker=ag-ui', 'worker=bot=bot', ','])(
    'the dialects %j are refused',
    (value) => {
      expect(refusal({ AG_KIT_DIALECTS: value }).problems).toEqual([
        { name: 'AG_KIT_DIALECTS', message: expect.stringContaining('each value one of ag-kit, ag-ui, bot') as string },
      ]);
    },
  );

  it.each([
    [{}, 'S3_BUCKET'],
    [{ S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id' }, 'S3_SECRET_ACCESS_KEY'],
    [{ S3_BUCKET: 'files', S3_SECRET_ACCESS_KEY: 'secret' }, 'S3_ACCESS_KEY_ID'],
  ])('the bucket %j is refused', (env, name) => {
    const { problems } = refusal({ ATTACHMENT_STORE: 's3', ...env });
    expect(problems).toEqual([{ name, message: expect.stringMatching(/^must be set, because /) as string }]);
  });

  it('a model is required if the samples are off, and the error names its settings', () => {
    expect(refusal({ SAMPLES: 'off' }).message).toMatch(
      /LLM_BASE_URL must be set, or DASHSCOPE_API_KEY or OPENAI_API_KEY, because SAMPLES is off/,
    );
    expect(refusal({ SAMPLES: 'off', LLM_API_KEY: 'k' }).problems.map(({ name }) => name)).toEqual(['LLM_API_KEY']);
    expect(refusal({ SAMPLES: 'off', OPENAI_API_KEY: 'a b' }).problems.map(({ name }) => name)).toEqual([
      'OPENAI_API_KEY',
    ]);
    expect(readConfiguration({ SAMPLES: 'off', OPENAI_API_KEY: 'k' }).get(SamplesSettings).hasTools).toBe(false);
    expect(readConfiguration({ SAMPLES: 'off' }, { hasModel: true }).get(SamplesSettings).hasTools).toBe(false);
    expect(readConfiguration({ SAMPLES: 'model' }).get(SamplesSettings).hasTools).toBe(false);
    expect(refusal({ SAMPLES: 'no' }).message).toContain('SAMPLES must be one of on, model, off');
  });

  it.each(['k1', 'k1:short', 'k1:a-secret-of-sixteen,k1:another-secret-of-16', ':a-secret-of-sixteen'])(
    'the keys %j are refused without showing them',
    (keys) => {
      const { message, problems } = refusal({ ATTACHMENT_SIGNING_KEYS: keys });
      expect(problems.map(({ name }) => name)).toEqual(['ATTACHMENT_SIGNING_KEYS']);
      expect(message).not.toContain('a-secret');
    },
  );

  it.each([
    ['LLM_API_KEY', 'sk-very secret', 'a text of 14 characters (not shown)'],
    ['DASHSCOPE_API_KEY', 'sk-very\nsecret', 'a text of 14 characters (not shown)'],
    ['OPENAI_API_KEY', 'sk-vérysecret', 'a text of 13 characters (not shown)'],
    ['DATABASE_URL', 'mysql://root:secret@db/x', 'a text of 24 characters that begins with mysql: (not shown)'],
    ['DATABASE_URL', 'postgres//me:secret@db/x', 'a text of 24 characters (not shown)'],
    ['LLM_BASE_URL', 'sk-secret', 'a text of 9 characters (not shown)'],
    ['LLM_BASE_URL', 'https://me:secret@llm.example', 'a text of 29 characters that begins with https: (not shown)'],
  ])('the error does not show the secret in %s', (name, value, shown) => {
    const error = refusal({ [name]: value, ...(name === 'LLM_API_KEY' && { LLM_BASE_URL: 'http://127.0.0.1:1' }) });
    expect(error.problems).toHaveLength(1);
    expect(error.message).toContain(shown);
    expect(error.message).not.toContain('secret@');
    expect(error.message).not.toContain('sk-');
  });
});
