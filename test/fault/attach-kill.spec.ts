import { EventSource } from 'eventsource';
import type { AgUiEvent } from '../../src/protocol/ag-ui-events/index.js';
import { replay } from '../support/ag-ui-replay.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const COUNT = 60;

jest.setTimeout(300_000);

/** A browser's client that watches a run for as long as it takes. */
class Watcher {
  readonly ids: string[] = [];
  readonly events: AgUiEvent[] = [];
  private readonly source: EventSource;
  private wake: () => void = () => undefined;

  constructor(url: string) {
    this.source = new EventSource(url);
    this.source.onmessage = ({ data, lastEventId }) => {
      this.ids.push(lastEventId);
      this.events.push(JSON.parse(String(data)) as AgUiEvent);
      this.wake();
    };
    this.source.onerror = () => this.wake();
  }

  /** It closes itself when the server says that nothing more comes. */
  closed(): Promise<void> {
    return this.until(() => this.source.readyState === EventSource.CLOSED);
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

describeOnDatabases('a run that is watched in two protocols while its server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database);
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  it('both watchers get every event once and in order', async () => {
    const started = await fetch(`${server.url}/send-message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        conversationId: 'watched',
        messages: [{ role: 'user', content: `count to ${COUNT} slowly` }],
      }),
    });
    // The client's stream breaks with its server; that cancels nothing.
    const own = started.text().catch(() => undefined);
    const runId = started.headers.get('x-run-id') ?? '';
    const address = (protocol: string): string => `${server.url}/runs/${runId}/events?protocol=${protocol}`;
    const [agUi, runs] = [new Watcher(address('ag-ui')), new Watcher(address('runs'))];
    for (const count of [8, 25]) {
      await Promise.all([agUi, runs].map((watcher) => watcher.until(() => watcher.ids.length >= count)));
      await server.kill();
      await own;
      await server.restart();
    }
    await Promise.all([agUi.closed(), runs.closed()]);
    expect(agUi.ids).toEqual(agUi.ids.map((_, index) => String(index + 1)));
    expect(runs.ids).toEqual(agUi.ids.map((id) => `1-${id}`));
    for (const { events } of [agUi, runs]) {
      for (const generation of ['v1', 'v0'] as const) {
        const { messages } = await replay(generation, events);
        expect((messages.at(-1) as { content?: string }).content).toBe(counted(COUNT));
      }
    }
    const kit = await (await fetch(address('ag-kit'))).text();
    const frames = kit.match(/data: .*\n\n/g) ?? [];
    expect(frames.at(-1)).toBe('data: [DONE]\n\n');
    const rest = await fetch(`${address('ag-kit')}&after=${frames.length - 3}`);
    expect(await rest.text()).toBe(frames.slice(-3).join(''));
  });
});
