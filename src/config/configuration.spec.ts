import { Configuration, ConfigurationError, readSettings } from './configuration.js';
import {
  bytes,
  choice,
  duration,
  flag,
  httpUrl,
  httpUrls,
  httpUrlWithQuery,
  integer,
  milliseconds,
  path,
  text,
  token,
} from './rules.js';
import { isLoopback, ServerSettings } from './server.settings.js';
import { type ConfigurationProblem, setting, settings } from './setting.js';

class MailSettings extends settings('Mail', {
  retries: setting('MAIL_RETRIES', integer({ min: 0, max: 10 }), { default: 3, description: 'Retries.' }),
  limitBytes: setting('MAIL_LIMIT', bytes({ min: 1, max: 100 }), { default: 50, description: 'Limit.' }),
  waitMs: setting('MAIL_WAIT', duration({ min: 1000, max: 86_400_000 }), { default: '2h', description: 'Wait.' }),
  format: setting('MAIL_FORMAT', choice('plain', 'html'), { default: 'plain', description: 'Format.' }),
  password: setting('MAIL_PASSWORD', token(64), { unset: 'none', secret: true, description: 'Password.' }),
  sender: setting('MAIL_SENDER', text(1000), {
    default: (source) => `parley@${source.slice(ServerSettings).host}`,
    unset: 'parley at HOST',
    description: 'Sender.',
  }),
}) {
  readonly secondsToWait = this.waitMs / 1000;

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    if (unusable.has('MAIL_RETRIES') || this.retries === 0 || this.password !== undefined) return [];
    return this.retries > 5 ? [{ name: 'MAIL_PASSWORD', message: 'must be set, because MAIL_RETRIES is above 5' }] : [];
  }

  override warnings(): readonly string[] {
    return this.source.env.MAIL_OLD === undefined ? [] : ['MAIL_OLD is not used.'];
  }
}

function problemsOf(env: NodeJS.ProcessEnv): readonly ConfigurationProblem[] {
  try {
    Configuration.read(env, [MailSettings]);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('a slice of settings', () => {
  it('an absent, empty or blank variable has its default', () => {
    expect(readSettings(MailSettings, { MAIL_RETRIES: '', MAIL_FORMAT: '  ' })).toMatchObject({
      retries: 3,
      limitBytes: 50,
      waitMs: 7_200_000,
      secondsToWait: 7200,
      format: 'plain',
      password: undefined,
      sender: 'parley@127.0.0.1',
    });
  });

  it('the variables have typed values', () => {
    const env = { MAIL_RETRIES: ' 0 ', MAIL_WAIT: '90s', MAIL_FORMAT: 'html', MAIL_PASSWORD: 'k', HOST: 'mail' };
    const mail = readSettings(MailSettings, env);
    const format: 'plain' | 'html' = mail.format;
    const password: string | undefined = mail.password;
    expect([mail.retries, mail.secondsToWait, format, password, mail.sender]).toEqual([
      0,
      90,
      'html',
      'k',
      'parley@mail',
    ]);
  });

  it('a slice cannot be changed', () => {
    const mail = readSettings(MailSettings, {});
    expect(() => Object.assign(mail, { retries: 9 })).toThrow(TypeError);
  });

  it('a slice keeps its title and declarations for the documentation', () => {
    expect(MailSettings.title).toBe('Mail');
    expect(Object.keys(MailSettings.declarations)).toHaveLength(6);
    expect(MailSettings.declarations.waitMs).toMatchObject({ name: 'MAIL_WAIT', defaultText: '2h', secret: false });
    expect(MailSettings.declarations.sender).toMatchObject({ defaultText: undefined, unset: 'parley at HOST' });
    expect(MailSettings.declarations.limitBytes.rule).toMatchObject({ unit: 'bytes' });
  });

  it('a default that its rule does not accept is an error', () => {
    const declare = (): unknown => setting('X', integer({ min: 1, max: 2 }), { default: 3, description: '' });
    expect(declare).toThrow('The default of X must be a whole number from 1 to 2');
  });
});

describe('Configuration', () => {
  it('the problems of all slices are reported together, single values first', () => {
    const env = { MAIL_RETRIES: '6', MAIL_FORMAT: 'xml', PORT: 'x' };
    const read = (): unknown => Configuration.read(env, [ServerSettings, MailSettings]);
    expect(read).toThrow(
      [
        'Parley cannot start, because its configuration is not valid:',
        '  PORT must be a whole number from 0 to 65535, but is the text "x"',
        '  MAIL_FORMAT must be one of plain, html, but is the text "xml"',
        '  MAIL_PASSWORD must be set, because MAIL_RETRIES is above 5',
        'See docs/configuration.md.',
      ].join('\n'),
    );
  });

  it('a value that is already reported is not compared with others', () => {
    expect(problemsOf({ MAIL_RETRIES: '60' }).map(({ name }) => name)).toEqual(['MAIL_RETRIES']);
  });

  it('a problem of a required slice is reported', () => {
    expect(problemsOf({ HOST: 'http://x' }).map(({ name }) => name)).toEqual(['HOST']);
  });

  it('the configuration has the slices and their warnings', () => {
    const configuration = Configuration.read({ MAIL_OLD: '1' }, [ServerSettings, MailSettings]);
    expect(configuration.get(MailSettings)).toBeInstanceOf(MailSettings);
    expect(configuration.warnings).toEqual(['MAIL_OLD is not used.']);
    const other = Configuration.read({}, [ServerSettings]);
    expect(() => other.get(MailSettings)).toThrow('The configuration has no MailSettings');
  });

  it('a long value is truncated', () => {
    const [problem] = problemsOf({ MAIL_SENDER: 'h/'.repeat(600) });
    expect(problem?.message).toContain('a text of 1200 characters that begins with "h/h/');
    expect(problem?.message.length).toBeLessThan(200);
  });

  it('a secret is not shown', () => {
    expect(problemsOf({ MAIL_PASSWORD: 'very secret' })).toEqual([
      {
        name: 'MAIL_PASSWORD',
        message:
          'must be a text of 1 to 64 printable ASCII characters without spaces, but is a text of 11 characters (not shown)',
      },
    ]);
  });
});

describe('setting rules', () => {
  it.each([
    [integer({ min: -5, max: 5 }), '+3', 3],
    [integer({ min: -5, max: 5 }), '-5', -5],
    [integer({ min: 0, max: 5 }), '6', undefined],
    [integer({ min: 0, max: 5 }), '1.5', undefined],
    [milliseconds({ min: 0, max: 5 }), '1e0', undefined],
    [duration({ min: 1000, max: 90_000 }), '90s', 90_000],
    [duration({ min: 1000, max: 90_000 }), '91s', undefined],
    [duration({ min: 1000, max: 90_000 }), '90', undefined],
    [flag(), 'TRUE', true],
    [flag(), '0', false],
    [flag(), 'yes', undefined],
    [text(3), 'abc', 'abc'],
    [text(3), 'abcd', undefined],
    [token(3), 'a b', undefined],
    [path(), '/srv/data', '/srv/data'],
    [path(), 'data', `${process.cwd()}/data`],
    [httpUrl(), 'https://a.example/v1', 'https://a.example/v1'],
    [httpUrl(), 'ftp://a.example', undefined],
    [httpUrl(), 'https://me@a.example', undefined],
    [httpUrl(), 'https://a.example?x=1', undefined],
    [httpUrlWithQuery(), 'https://a.example/v1?x=1', 'https://a.example/v1?x=1'],
    [httpUrlWithQuery(), 'https://a.example/v1?x=1#y', undefined],
    [httpUrlWithQuery(), 'https://me@a.example/?x=1', undefined],
    [httpUrls(), 'https://a.example/, http://b.example', ['https://a.example', 'http://b.example']],
    [httpUrls(), ',', undefined],
  ])('%# %j', (rule, written, value) => {
    expect(rule.parse(written)).toEqual(value);
  });

  it('only the scheme of an address is shown', () => {
    expect(httpUrl().describe?.('https://me:secret@llm.example')).toBe(
      'a text of 29 characters that begins with https: (not shown)',
    );
    expect(httpUrl().describe?.('sk-secret')).toBe('a text of 9 characters (not shown)');
  });
});

describe('ServerSettings', () => {
  it.each(['127.0.0.1', '127.5.6.7', 'localhost', '::1'])('%s is a loopback address', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(readSettings(ServerSettings, { HOST: host }).warnings()).toEqual([]);
  });
});
