import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { ConfigurationError } from './configuration-error.js';
import { configFrom, isLoopback, loadConfig, readConfig } from './load-config.js';

function refusal(env: Record<string, string>): ConfigurationError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('loadConfig: defaults', () => {
  it('needs no variable at all', () => {
    const config = loadConfig({});
    expect(config).toEqual({
      http: {
        host: '127.0.0.1',
        port: 8090,
        bodyLimitBytes: 8 * 1024 * 1024,
        jsonDepthLimit: 64,
        corsOrigins: ['*'],
        keepAliveMs: 15_000,
        slowReaderTimeoutMs: 60_000,
        shutdownGraceMs: 10_000,
      },
      database: {
        kind: 'sqlite',
        url: `sqlite:${resolve('data/parley.db')}`,
        file: resolve('data/parley.db'),
        durability: 'strict',
        poolSize: 10,
      },
      dataDir: resolve('data'),
      model: {
        kind: 'offline',
        baseUrl: '',
        apiKey: undefined,
        model: 'offline-demo',
        firstTokenTimeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        maxRetries: 2,
      },
      agent: {
        maxSteps: 12,
        systemPrompt: undefined,
        contextTokenBudget: 32_000,
        defaultAgent: 'worker',
        uiLocale: 'zh-CN',
      },
      samples: { enabled: true },
      tools: {
        timeoutMs: 30_000,
        outputLimitBytes: 65_536,
        maxInvalidCalls: 5,
        policyFile: undefined,
        approvalExpiresInMs: 86_400_000,
      },
      mcp: { servers: [], connectTimeoutMs: 30_000, listWaitMs: 5000, listTtlMs: 300_000 },
      runs: {
        concurrency: 256,
        timeoutMs: 3_600_000,
        idleTimeoutMs: 300_000,
        eventsRetentionMs: 604_800_000,
        queueTimeoutMs: 86_400_000,
        queueLimit: 100,
        maxAttempts: 3,
        leaseMs: 30_000,
        sweepIntervalMs: 1000,
        cancelGraceMs: 10_000,
        nodeName: hostname(),
      },
      attachments: {
        publicBases: [],
        maxBytes: 10 * 1024 * 1024,
        urlTtlMs: 3_600_000,
        signingKeys: undefined,
        unboundTtlMs: 86_400_000,
        sweepIntervalMs: 600_000,
        s3: undefined,
      },
      agentApi: { busyPolicy: 'reject', doneFrame: true },
      responses: { legacyMirror: true, socketLifetimeMs: 3_600_000, sealingKeys: undefined },
      agUi: { keyCase: 'auto', busyPolicy: 'interrupt', onDisconnect: 'continue' },
      agKit: { dialects: {}, errorText: undefined },
      runsApi: { onInvalidClientTime: 'reject', detailAlias: false, streamMs: 1_800_000 },
      log: { level: 'info', format: 'json' },
    });
  });

  it('takes an empty or blank variable for an absent one', () => {
    expect(loadConfig({ PORT: '', LLM_BASE_URL: '  ', LLM_API_KEY: '' })).toEqual(loadConfig({}));
  });

  it('cannot be changed afterwards', () => {
    const config = loadConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.http.corsOrigins)).toBe(true);
  });
});

describe('loadConfig: values', () => {
  it('reads numbers, flags and choices', () => {
    const config = loadConfig({
      PORT: '0',
      AGENT_API_DONE_FRAME: 'False',
      SESSION_BUSY_POLICY: 'enqueue',
      LOG_FORMAT: 'text',
    });
    expect(config.http.port).toBe(0);
    expect(config.agentApi).toEqual({ busyPolicy: 'enqueue', doneFrame: false });
    expect(config.log.format).toBe('text');
  });

  it.each([
    ['sqlite:other.db', resolve('other.db')],
    ['sqlite:/var/lib/parley.db', '/var/lib/parley.db'],
    ['sqlite:///var/lib/parley.db', '/var/lib/parley.db'],
    ['sqlite::memory:', ':memory:'],
  ])('finds the file of %s', (url, file) => {
    expect(loadConfig({ DATABASE_URL: url }).database).toMatchObject({ kind: 'sqlite', file, url: `sqlite:${file}` });
  });

  it('puts the default database under DATA_DIR', () => {
    expect(loadConfig({ DATA_DIR: '/srv/parley' }).database.file).toBe('/srv/parley/parley.db');
  });

  it('takes the URL of a PostgreSQL as it is', () => {
    const url = 'postgresql://user:p%40ss@db:5432/parley?sslmode=require';
    expect(loadConfig({ DATABASE_URL: url }).database).toMatchObject({ kind: 'postgres', url, file: '' });
  });

  it('reads a list of origins', () => {
    expect(loadConfig({ CORS_ORIGINS: 'https://a.example, http://localhost:3000,' }).http.corsOrigins).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ]);
  });
});

describe('loadConfig: exposure', () => {
  it.each(['127.0.0.1', '127.5.6.7', 'localhost', '::1'])('%s is loopback', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(readConfig({ HOST: host }).warnings).toEqual([]);
  });

  it('allows another address, warns, and closes CORS', () => {
    const { config, warnings } = readConfig({ HOST: '0.0.0.0' });
    expect(config.http.corsOrigins).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('no authentication yet')]);
  });

  it('opens CORS on another address when it is told to', () => {
    expect(loadConfig({ HOST: '0.0.0.0', CORS_ORIGINS: '*' }).http.corsOrigins).toEqual(['*']);
  });
});

describe('loadConfig: errors', () => {
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
      'must be * or a comma-separated list of origins such as https://chat.example.org, but is the text "https://a.example/path"',
    ],
    ['SWEEP_INTERVAL_MS', '40000', 'must not be more than LEASE_MS (the number 30000), but is the number 40000'],
  ])('%s=%s', (name, value, message) => {
    expect(refusal({ [name]: value }).problems).toEqual([{ name, message }]);
  });

  it.each(
    [
      'BODY_LIMIT_BYTES JSON_DEPTH_LIMIT KEEP_ALIVE_MS SLOW_READER_TIMEOUT_MS SHUTDOWN_GRACE_MS DATABASE_POOL_SIZE',
      'LLM_FIRST_TOKEN_TIMEOUT_MS LLM_IDLE_TIMEOUT_MS LLM_MAX_RETRIES AGENT_MAX_STEPS CONTEXT_TOKEN_BUDGET',
      'TOOL_TIMEOUT_MS TOOL_OUTPUT_LIMIT_BYTES TOOL_MAX_INVALID_CALLS RUN_CONCURRENCY RUN_TIMEOUT_MS',
      'RUN_QUEUE_TIMEOUT_MS RUN_QUEUE_LIMIT RUN_MAX_ATTEMPTS LEASE_MS SWEEP_INTERVAL_MS CANCEL_GRACE_MS',
    ]
      .join(' ')
      .split(' '),
  )('%s says its range', (name) => {
    const [problem] = refusal({ [name]: '-1' }).problems;
    expect(problem?.name).toBe(name);
    expect(problem?.message).toMatch(/^must be a whole number from \d+ to \d+, but is the number -1$/);
  });

  it('lists everything that is wrong at once', () => {
    const error = refusal({ PORT: 'x', LOG_LEVEL: 'loud', LLM_API_KEY: 'sk-abc' });
    expect(error.problems.map(({ name }) => name)).toEqual(['PORT', 'LOG_LEVEL', 'LLM_API_KEY']);
    for (const { name, message } of error.problems) expect(error.message).toContain(`  ${name} ${message}`);
  });

  it('cuts a long value', () => {
    const [problem] = refusal({ HOST: 'h/'.repeat(500) }).problems;
    expect(problem?.message).toContain('a text of 1000 characters that begins with "h/h/');
    expect(problem?.message.length).toBeLessThan(200);
  });
});

describe('loadConfig: secrets stay secret', () => {
  it.each([
    ['LLM_API_KEY', 'sk-very secret', 'a text of 14 characters (not shown)'],
    ['DASHSCOPE_API_KEY', 'sk-very\nsecret', 'a text of 14 characters (not shown)'],
    ['OPENAI_API_KEY', 'sk-vérysecret', 'a text of 13 characters (not shown)'],
    ['DATABASE_URL', 'mysql://root:secret@db/x', 'a text of 24 characters that begins with mysql: (not shown)'],
    ['DATABASE_URL', 'postgres//me:secret@db/x', 'a text of 24 characters (not shown)'],
    ['LLM_BASE_URL', 'sk-secret', 'a text of 9 characters (not shown)'],
    ['LLM_BASE_URL', 'https://me:secret@llm.example', 'a text of 29 characters that begins with https: (not shown)'],
  ])('%s', (name, value, shown) => {
    const error = refusal({ [name]: value, ...(name === 'LLM_API_KEY' && { LLM_BASE_URL: 'http://127.0.0.1:1' }) });
    expect(error.problems).toHaveLength(1);
    expect(error.message).toContain(shown);
    expect(error.message).not.toContain('secret@');
    expect(error.message).not.toContain('sk-');
  });
});

describe('configFrom', () => {
  it('is silent and takes nothing from the machine', () => {
    expect(configFrom().log.level).toBe('silent');
    expect(configFrom({ PORT: '0', LOG_LEVEL: 'debug' })).toMatchObject({ http: { port: 0 }, log: { level: 'debug' } });
  });
});

describe('loadConfig: AG-Kit', () => {
  it('takes dialects of agents, and a text for errors', () => {
    const env = { AG_KIT_DIALECTS: ' worker=ag-ui, * = ag-kit ', AG_KIT_ERROR_TEXT: 'Sorry.' };
    expect(loadConfig(env).agKit).toEqual({ dialects: { worker: 'ag-ui', '*': 'ag-kit' }, errorText: 'Sorry.' });
  });

  it.each(['worker', 'worker=', '=bot', 'worker=morse', 'worker=bot,worker=ag-ui', 'worker=bot=bot', ','])(
    'refuses %j as dialects',
    (value) => {
      expect(refusal({ AG_KIT_DIALECTS: value }).problems).toEqual([
        { name: 'AG_KIT_DIALECTS', message: expect.stringContaining('each value one of ag-kit, ag-ui, bot') as string },
      ]);
    },
  );
});

describe('loadConfig: attachments', () => {
  const s3 = { ATTACHMENT_STORE: 's3', S3_BUCKET: 'files' };

  it('takes a bucket, with the bucket in the path for stores that are not Amazon', () => {
    expect(loadConfig(s3).attachments.s3).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      endpoint: undefined,
      credentials: undefined,
      forcePathStyle: false,
    });
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    expect(loadConfig({ ...s3, ...keys, S3_ENDPOINT: 'http://127.0.0.1:9000' }).attachments.s3).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
    });
  });

  it('refuses a bucket without name, and half a pair of keys', () => {
    expect(refusal({ ATTACHMENT_STORE: 's3' }).message).toContain('S3_BUCKET');
    expect(refusal({ ...s3, S3_ACCESS_KEY_ID: 'id' }).message).toContain('S3_SECRET_ACCESS_KEY');
    expect(refusal({ ...s3, S3_SECRET_ACCESS_KEY: 'secret' }).message).toContain('S3_ACCESS_KEY_ID');
  });

  it('takes a ring of keys, and public addresses without their last slash', () => {
    const ring = 'k2:a-secret-of-sixteen,k1:another-secret-of-16';
    expect(loadConfig({ ATTACHMENT_SIGNING_KEYS: ring }).attachments.signingKeys).toBe(ring);
    for (const bad of ['k1', 'k1:short', 'k1:a-secret-of-sixteen,k1:another-secret-of-16', ':a-secret-of-sixteen']) {
      const { message } = refusal({ ATTACHMENT_SIGNING_KEYS: bad });
      expect(message).toContain('ATTACHMENT_SIGNING_KEYS');
      expect(message).not.toContain('a-secret');
    }
    const bases = loadConfig({ PUBLIC_BASE_URL: 'https://a.example.org/, http://b.example.org/parley' });
    expect(bases.attachments.publicBases).toEqual(['https://a.example.org', 'http://b.example.org/parley']);
  });
});
