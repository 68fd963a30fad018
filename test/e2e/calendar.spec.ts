import { CalendarStore } from '../../src/samples/index.js';
import { type AgentEvent, type Message, textOf } from '../../src/events/index.js';
import { Interrupts, type InterruptView } from '../../src/agent/interrupt/index.js';
import { Runs } from '../../src/run/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import type { ClientTime } from '../../src/agent/tools/index.js';
import { UserSettings } from '../../src/user-settings/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { nextId, type Person, person, runRequest, userText } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';

const PACIFIC: ClientTime = {
  device_timezone: 'America/Los_Angeles',
  client_now_iso: '2030-03-16T20:12:33-07:00',
  client_epoch_ms: 1_900_000_000_000,
};

describeOnDatabases('the sample calendar with the offline model', (open) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

  const runs = (): Runs => server.get(Runs);
  const newPerson = (): Person => person(nextId('person'));
  const over = async (principal: Person, runId: string): Promise<string> => {
    for await (const _ of runs().tail(principal, runId)) void _;
    const { output } = await runs().response(principal, runId);
    const said = (output ?? []).filter(({ role, type }) => role === 'assistant' && type === 'message');
    return said.map(textOf).join('\n');
  };
  const ask = async (principal: Person, text: string, clientTime?: ClientTime): Promise<string> => {
    const request = { principal, sessionId: 'talk', input: [userText(text)], ...(clientTime ? { clientTime } : {}) };
    return over(principal, (await runs().accept(runRequest(request))).run.runId);
  };
  const pending = async (principal: Person): Promise<InterruptView> => {
    const [one] = await server.get(Interrupts).pending(principal, 'talk');
    if (!one) throw new Error('Nobody is asked');
    return one;
  };
  const decide = async (principal: Person, approve: boolean): Promise<string> => {
    const { id } = await pending(principal);
    const { run } = await runs().answer(principal, null, [{ interruptId: id, status: 'resolved', approve }]);
    return over(principal, run.runId);
  };
  const events = (principal: Person) =>
    server.get(CalendarStore).list(principal, { from: 0, until: undefined, limit: 10 });

  it('an event is written once, after an approval, and listed afterwards', async () => {
    const ana = newPerson();
    await ask(ana, 'Schedule a meeting with Ana tomorrow at 3pm', PACIFIC);
    expect(await events(ana)).toEqual([]);
    expect((await pending(ana)).arguments).toEqual({
      title: 'Meeting with Ana',
      start: '2030-03-17T15:00:00',
      event_timezone: 'America/Los_Angeles',
    });
    expect(await decide(ana, true)).toContain(
      'Scheduled: Meeting with Ana, Sunday 2030-03-17, 15:00 to 16:00 (America/Los_Angeles).',
    );
    expect(await events(ana)).toMatchObject([
      { title: 'Meeting with Ana', startsAt: Date.parse('2030-03-17T22:00:00Z'), eventTimezone: 'America/Los_Angeles' },
    ]);
    expect(await ask(ana, 'List my meetings')).toContain('Your calendar has one event:\n- Meeting with Ana, Sunday');
    expect(await ask(newPerson(), 'List my meetings')).toContain('no events');
  });

  it('the result is shown as a card that is stored with the answer and sent directly after it', async () => {
    const gus = newPerson();
    await server.get(UserSettings).replace(gus, { timezone: 'Asia/Shanghai', locale: 'zh-CN' });
    await ask(gus, 'Schedule a meeting with Ana on 2030-05-01 at 9:00');
    const { id } = await pending(gus);
    const { run } = await runs().answer(gus, null, [{ interruptId: id, status: 'resolved', approve: true }]);
    const logged: AgentEvent[] = [];
    for await (const batch of runs().tail(gus, run.runId)) logged.push(...batch.map(({ event }) => event));
    const at = logged.findIndex((event) => event.object === 'custom' && event.name === 'ui_schema');
    const [completed, card] = logged.slice(at - 1, at + 1);
    const schema = {
      ...{ version: '2.0', locale: 'zh-CN', status: 'success', theme: 'default' },
      root: {
        ...{ type: 'stack', appearance: 'card' },
        children: [
          { type: 'text', content: '日程已创建', role: 'title' },
          { type: 'badge', label: 'SUCCESS', status: 'success' },
          { type: 'text', content: 'Meeting with Ana', role: 'body' },
          { type: 'kv', items: [{ label: '时间', value: 'Wednesday, 2030-05-01, 09:00–10:00 (Asia/Shanghai)' }] },
        ],
      },
    };
    expect(completed).toMatchObject({
      ...{ object: 'message', type: 'message', role: 'assistant', status: 'completed' },
      metadata: { ui_schema: schema, ui_schema_compiler: '2.0.0' },
    });
    expect(card).toMatchObject({ value: { messageId: (completed as Message).id, ui_schema: schema } });
    const kept = await server.get(Sessions).messages(gus, 'talk', { limit: 50, order: 'desc' });
    expect(kept.map(({ message }) => message.metadata?.['ui_schema'])).toContainEqual(schema);
  });

  it('nothing is written if the approval is denied', async () => {
    const ben = newPerson();
    await ask(ben, 'Book a review called "Year end" on 2030-12-30 at 10:00');
    await decide(ben, false);
    expect(await events(ben)).toEqual([]);
  });

  it('the time zone is that of the text, the device, the settings or UTC, in this order', async () => {
    const zoneFor = async (text: string, settings: string | null, clientTime?: ClientTime): Promise<unknown> => {
      const someone = newPerson();
      await server.get(UserSettings).replace(someone, { timezone: settings, locale: null });
      await ask(someone, text, clientTime);
      return (await pending(someone)).arguments?.['event_timezone'];
    };
    const text = 'Schedule a call on 2030-05-01 at 9:00';
    expect(await zoneFor(`${text} in Asia/Tokyo`, 'Europe/Berlin', PACIFIC)).toBe('Asia/Tokyo');
    expect(await zoneFor(text, 'Europe/Berlin', PACIFIC)).toBe('America/Los_Angeles');
    expect(await zoneFor(text, 'Europe/Berlin')).toBe('Europe/Berlin');
    expect(await zoneFor(text, null)).toBe('UTC');
  });

  it('an idempotency key makes one event, and each user has an own calendar', async () => {
    const store = server.get(CalendarStore);
    const [cleo, dan] = [newPerson(), newPerson()];
    const event = {
      ...{ id: nextId('event'), title: 'Standup', startsAt: 1000, endsAt: 2000 },
      ...{ eventTimezone: 'UTC', location: null, notes: null },
    };
    const key = 'k'.repeat(64);
    const written = await Promise.all(
      Array.from({ length: 5 }, (_, n) => store.add(cleo, key, { ...event, id: `${event.id}-${n}` }, 1)),
    );
    expect(written.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(written.map((one) => one.event.id)).size).toBe(1);
    expect(await store.add(dan, key, event, 1)).toMatchObject({ created: true });
    expect(await events(cleo)).toHaveLength(1);
    expect(await store.list(cleo, { from: 2000, until: undefined, limit: 10 })).toEqual([]);
    expect(await store.list(cleo, { from: 0, until: 1000, limit: 10 })).toEqual([]);
  });
});
