import { Database } from '../../src/database/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

describeOnDatabases('the settings of users', (open) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

  const settings = async (method: string, user: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${server.url}/api/v1/users/me/settings?user_id=${encodeURIComponent(user)}`, {
      method,
      ...(body === undefined
        ? {}
        : {
            headers: { 'content-type': 'application/json' },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  /** What the tool `get_current_time` answered to a user. */
  const zoneOf = async (user: string, extra: object = {}): Promise<unknown> => {
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        stream: false,
        user_id: user,
        input: [{ role: 'user', content: [{ type: 'text', text: 'What time is it?' }] }],
        ...extra,
      }),
    });
    const { output } = (await answer.json()) as { output: { type: string; content: { data: { output: string } }[] }[] };
    const result = output.find(({ type }) => type === 'plugin_call_output')?.content[0]?.data.output ?? '{}';
    return (JSON.parse(result) as { timezone: unknown }).timezone;
  };
  const deviceTime = {
    device_timezone: 'America/Los_Angeles',
    client_now_iso: '2026-03-16T09:12:33-07:00',
    client_epoch_ms: 1773658353000,
  };

  it('settings are null at first, stored in canonical form, and replaced as a whole', async () => {
    expect(await settings('GET', 'ann')).toEqual({ status: 200, body: { timezone: null, locale: null } });
    const kept = { timezone: 'Asia/Shanghai', locale: 'zh-CN' };
    expect(await settings('PUT', 'ann', { timezone: 'asia/shanghai', locale: 'ZH-cn' })).toEqual({
      status: 200,
      body: kept,
    });
    expect(await settings('GET', 'ann')).toEqual({ status: 200, body: kept });
    expect(await settings('GET', 'bob')).toEqual({ status: 200, body: { timezone: null, locale: null } });
    expect((await settings('PUT', 'ann', { locale: 'de' })).body).toEqual({ timezone: null, locale: 'de' });
    expect((await settings('PUT', 'ann', {})).body).toEqual({ timezone: null, locale: null });
  });

  it.each<[string, unknown, string]>([
    ['an offset', { timezone: '+08:00' }, 'timezone must be an IANA time zone such as Europe/Berlin'],
    ['an unknown zone', { timezone: 'Asia/Beijing' }, 'timezone must be an IANA time zone such as Europe/Berlin'],
    ['an empty zone', { timezone: '' }, 'timezone must be an IANA time zone such as Europe/Berlin'],
    ['a number', { timezone: 8 }, 'timezone must be a string or null'],
    ['an invalid language tag', { locale: 'not a tag' }, 'locale must be a language tag such as zh-CN'],
    ['an unknown setting', { timeZone: 'UTC' }, 'timeZone is not a setting: use timezone and locale'],
    ['a list', ['UTC'], 'The settings must be a JSON object'],
  ])('%s is refused and changes nothing', async (_, body, message) => {
    await settings('PUT', 'carl', { timezone: 'Europe/Berlin' });
    const refused = await settings('PUT', 'carl', body);
    expect(refused).toMatchObject({ status: 422, body: { code: 'INVALID_USER_SETTINGS', message } });
    expect((await settings('GET', 'carl')).body).toEqual({ timezone: 'Europe/Berlin', locale: null });
  });

  it('invalid JSON and invalid user ids are refused', async () => {
    expect(await settings('PUT', 'carl', '{')).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
    expect((await settings('GET', 'a\0b')).status).toBe(400);
    expect((await settings('GET', 'x'.repeat(257))).status).toBe(400);
  });

  it('the time zone of tool calls is that of the device, the settings or UTC, never of the server', async () => {
    expect(await zoneOf('dora')).toBe('UTC');
    await settings('PUT', 'dora', { timezone: 'Asia/Shanghai' });
    expect(await zoneOf('dora')).toBe('Asia/Shanghai');
    expect(await zoneOf('dora', { forwarded_props: { client_time: deviceTime } })).toBe('America/Los_Angeles');
  });

  it('each user has one row', async () => {
    await Promise.all(Array.from({ length: 8 }, () => settings('PUT', 'eve', { timezone: 'UTC' })));
    const rows = await server.get(Database).read.all("SELECT 1 FROM user_settings WHERE user_id = 'eve'");
    expect(rows).toHaveLength(1);
  });
});
