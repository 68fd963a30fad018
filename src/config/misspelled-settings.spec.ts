import { APP_SETTINGS, readConfiguration } from '../app.settings.js';
import { ConfigurationError } from './configuration.js';
import { misspelledSettings } from './misspelled-settings.js';

const SETTINGS = APP_SETTINGS.flatMap(({ declarations }) => Object.values(declarations).map(({ name }) => name));

describe('misspelled settings', () => {
  it.each([
    ['LLM_BASEURL', 'LLM_BASE_URL'],
    ['LLM_BASE_URI', 'LLM_BASE_URL'],
    ['llm_base_url', 'LLM_BASE_URL'],
    ['LLM_URL', 'LLM_BASE_URL'],
    ['ROLES', 'ROLE'],
    ['LLM_MODEL_NAME', 'LLM_MODEL'],
    ['AUTHH', 'AUTH'],
    ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['TOOL_POLICY_FLIE', 'TOOL_POLICY_FILE'],
    ['RUN_CONCURENCY', 'RUN_CONCURRENCY'],
    ['SAMPLE', 'SAMPLES'],
  ])('%s is taken for %s', (name, setting) => {
    const [problem, ...others] = misspelledSettings({ [name]: 'x' }, SETTINGS);
    expect(others).toEqual([]);
    expect(problem?.name).toBe(name);
    expect(problem?.message).toBe(`is not a setting: did you mean ${setting}?`);
  });

  it.each([
    ...['HOME', 'PATH', 'HOSTNAME', 'LOGNAME', 'USER', 'PWD', 'TERM', 'LANG', 'AUTO', 'MODE', 'SUDO_USER'],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'no_proxy', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'npm_package_name'],
    ...['REDIS_SERVICE_HOST', 'REDIS_PORT', 'REDIS_PORT_6379_TCP', 'REDIS_PORT_6379_TCP_ADDR', 'PARLEY_PORT_8090_TCP'],
    ...['DATABASE_HOST', 'DATABASE_NAME', 'REDIS_HOST', 'DB_URL', 'PGPORT', 'OTEL_SERVICE_VERSION', 'OTEL_EXPORTER'],
    ...['ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'S3_BUCKETS_ALL', 'AWS_REGION'],
    ...['TEST_DATABASE_URL', 'PARLEY_KEY', 'PARLEY_URL', 'PARLEY_RECORD', 'EXPORT', 'REPORT', 'DOCS_DIR', 'GHOST'],
  ])('%s is a name of another program', (name) => {
    expect(misspelledSettings({ [name]: 'x' }, SETTINGS)).toEqual([]);
  });

  it('settings and empty variables are no mistakes', () => {
    const env = Object.fromEntries(SETTINGS.map((name) => [name, 'x']));
    expect(misspelledSettings({ ...env, AUTHH: ' ' }, SETTINGS)).toEqual([]);
  });
});

describe('a misspelled setting', () => {
  it('stops the start with a suggestion, together with all other problems', () => {
    const { problems } = refusal({ LLM_BASEURL: 'http://a.test/v1', AUTHH: 'keys', PORT: 'x', LLM_MODEL: 'm' });
    expect(problems.map(({ name, message }) => `${name} ${message}`)).toEqual([
      'LLM_BASEURL is not a setting: did you mean LLM_BASE_URL?',
      'AUTHH is not a setting: did you mean AUTH?',
      'PORT must be a whole number from 0 to 65535, but is the text "x"',
      expect.stringContaining('LLM_MODEL must be set together with'),
    ]);
  });

  it('a model in code needs no address of a server', () => {
    expect(() => readConfiguration({ LLM_MODEL: 'm' }, { hasModel: true })).not.toThrow();
  });
});

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
