import type { JsonObject } from '../../../src/common/index.js';
import { UserSettings } from '../../../src/user-settings/index.js';
import { OWN_USER } from '../../support/caller.js';
import { describeOnDatabases } from '../../support/databases.js';
import { type Accepted, runInput, RunsClient, type RunsStream } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const CHINESE = { 'accept-language': 'fr;q=0.2, zh-cn, en;q=0.9' };

describeOnDatabases('the language of cards', (open) => {
  let server: TestServer;
  let client: RunsClient;

  beforeAll(async () => {
    server = await startServer({ database: open, env: { UI_LOCALE: 'en-GB' } });
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  const submit = async (input: object, headers: object = {}): Promise<Accepted> =>
    (await client.json<Accepted>('POST', '/runs', input, headers)).body;
  const whole = async ({ threadId, runId }: Accepted): Promise<RunsStream> =>
    (await client.events(threadId, `?runId=${runId}`)).all();
  const setLocale = (locale: string | null) => server.get(UserSettings).replace(OWN_USER, { timezone: null, locale });

  async function card(run: Accepted): Promise<JsonObject> {
    const shown = (await whole(run)).events.find((event) => event.type === 'CUSTOM' && event.name === 'ui_schema');
    if (shown?.type !== 'CUSTOM') throw new Error('no card');
    return (shown.value as { readonly ui_schema: JsonObject }).ui_schema;
  }

  it('the language is that of the request, else of the user’s settings, else of the server', async () => {
    const weather = () => runInput('What is the weather in Paris?');
    expect(await card(await submit(weather()))).toMatchObject({ locale: 'en-GB' });
    expect(await card(await submit(weather(), CHINESE))).toMatchObject({ locale: 'zh-CN' });
    await setLocale('de-DE');
    expect(await card(await submit(weather(), { 'accept-language': '*, not_a_tag' }))).toMatchObject({
      locale: 'de-DE',
    });
    const chinese = await card(await submit(weather(), CHINESE));
    expect(chinese).toMatchObject({ locale: 'zh-CN' });
    expect(JSON.stringify(chinese)).toContain('气温');
    await setLocale(null);
  });

  it('a repeated request in another language is a replay', async () => {
    const input = runInput('hello');
    expect(await submit(input)).toEqual(await submit(input, CHINESE));
  });

  it('a resumed run keeps the language unless the answer names another', async () => {
    const asked = async (): Promise<{ readonly run: Accepted; readonly interruptId: string }> => {
      const run = await submit(runInput('Schedule a meeting with Ana tomorrow at 3pm'), CHINESE);
      const end = (await whole(run)).last.event as { outcome?: { interrupts?: readonly { id: string }[] } };
      return { run, interruptId: end.outcome?.interrupts?.[0]?.id ?? '' };
    };
    const approve = async (headers: object): Promise<JsonObject> => {
      const { run, interruptId } = await asked();
      const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
      const path = `/runs/${run.threadId}/${run.runId}/resume`;
      return card((await client.json<Accepted>('POST', path, { resume, runId: 'run-2' }, headers)).body);
    };
    const kept = await approve({});
    expect(kept).toMatchObject({ locale: 'zh-CN' });
    expect(JSON.stringify(kept)).toContain('日程已创建');
    expect(await approve({ 'accept-language': 'en-US' })).toMatchObject({ locale: 'en-US' });
  });
});
