import { randomInt } from 'node:crypto';
import { EventSource } from 'eventsource';
import type { AgUiEvent } from '../../src/protocol/ag-ui-events/index.js';
import { replay } from '../support/ag-ui-replay.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { expectWhole, runInput, RunsClient, type RunsFrame, type RunsStream } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(300_000);

/** The text that a client shows in the end: what was discarded is not in it. */
async function finalText(events: readonly AgUiEvent[]): Promise<string> {
  const { messages } = await replay('v1', events);
  const last = messages.at(-1) as { content?: string } | undefined;
  return last?.content ?? '';
}

describeOnDatabases('a run of the Runs API whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let client: RunsClient;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database);
    client = new RunsClient(server.url);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function killAndRestart(): Promise<void> {
    await server.kill();
    await server.restart();
  }

  it('a run is executed although the server was killed directly after the 202', async () => {
    const accepted = await Promise.all(Array.from({ length: 5 }, () => client.submit(runInput('count to 10'))));
    await killAndRestart();
    for (const { status, body } of accepted) {
      expect(status).toBe(202);
      expect((await client.ended(body.threadId, 'run-1')).status).toBe('succeeded');
      const stream = await (await client.events(body.threadId)).all();
      await expectWhole(stream);
      expect(await finalText(stream.events)).toBe(counted(10));
    }
  });

  it('readers with a cursor get every event once, wherever the run was cut', async () => {
    const input = runInput('count to 40 slowly');
    const { threadId } = (await client.submit(input)).body;
    const frames: RunsFrame[] = [];
    for (const cut of [randomInt(2, 20), randomInt(2, 20)]) {
      const stream: RunsStream = await client.events(threadId, '', frames.at(-1)?.id);
      await stream.until(({ frames: read }) => read.length >= cut);
      await server.kill();
      await stream.all();
      frames.push(...stream.frames);
      await server.restart();
    }
    const rest = await client.events(threadId, '', frames.at(-1)?.id);
    frames.push(...(await rest.all()).frames);
    await expectWhole({ frames });
    const events = frames.map(({ event }) => event);
    expect(await finalText(events)).toBe(counted(40));
    expect(events.filter(({ type }) => type === 'RUN_STARTED')).toHaveLength(1);
    const recovered = events.filter((event) => event.type === 'CUSTOM' && event.name === 'run.recovered');
    expect(recovered).toMatchObject([
      { value: { attempt: 2, resumedFromStep: 0 } },
      { value: { attempt: 3, resumedFromStep: 0 } },
    ]);
    expect((await (await client.events(threadId)).all()).raw).toBe(frames.map(({ raw }) => raw).join('\n\n'));
    expect(await client.view(threadId, 'run-1')).toMatchObject({ body: { status: 'succeeded', attempt: 3 } });
  });

  it('a run fails with worker_lost after three crashes in a row', async () => {
    const { threadId } = (await client.submit(runInput('count to 300 slowly'))).body;
    let last: string | undefined;
    for (let crash = 1; crash <= 3; crash += 1) {
      const stream = await client.events(threadId, '', last);
      await stream.until(({ text }) => text.includes(' '));
      await server.kill();
      await stream.all();
      last = stream.last.id;
      await server.restart();
    }
    const view = await client.ended(threadId, 'run-1');
    expect(view).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
    const stream = await (await client.events(threadId)).all();
    await expectWhole(stream);
    expect(stream.last.event).toMatchObject({ type: 'RUN_ERROR', code: 'worker_lost' });
    // The thread is free.
    await client.submit(runInput('hello', { threadId, runId: 'run-2' }));
    expect((await client.ended(threadId, 'run-2')).status).toBe('succeeded');
  });

  it('an EventSource follows the run over every restart and is closed at its end', async () => {
    const { threadId } = (await client.submit(runInput('count to 60 slowly'))).body;
    const waits = jest.spyOn(globalThis, 'setTimeout');
    const source = new EventSource(`${server.url}/api/v1/agent/runs/${threadId}/events`);
    const seen: { id: string; event: AgUiEvent }[] = [];
    let wake: () => void = () => undefined;
    source.onmessage = ({ data, lastEventId }) => {
      seen.push({ id: lastEventId, event: JSON.parse(String(data)) as AgUiEvent });
      wake();
    };
    source.onerror = () => wake();
    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await new Promise<void>((resolve) => (wake = resolve));
    };
    await until(() => seen.length >= 8);
    await killAndRestart();
    await until(() => seen.length >= 25);
    const [shown, before] = [seen.length, waits.mock.calls.length];
    await server.terminate();
    await server.restart();
    await until(() => seen.length > shown);
    // Its own wait would be 3 s: the first frame says 1 s, a server that stops says half a second.
    const reconnects = (from: number) => waits.mock.calls.slice(from).map(([, wait]) => wait);
    expect(reconnects(0)).toContain(1000);
    expect(reconnects(0)).not.toContain(3000);
    expect(reconnects(before)).toContain(500);
    waits.mockRestore();
    // It closes itself: at the terminal event's id the server says 204.
    await until(() => source.readyState === EventSource.CLOSED);
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_, index) => `1-${index + 1}`));
    expect(seen.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED' });
    expect(await finalText(seen.map(({ event }) => event))).toBe(counted(60));
  });

  it('replayed submissions, views and cancels are kept', async () => {
    const input = runInput('count to 300 slowly');
    const first = await client.submit(input);
    const { threadId } = first.body;
    await client.submit(runInput('hello', { threadId, runId: 'run-2' }));
    await client.json('POST', `/runs/${threadId}/run-1/cancel`);
    await server.kill();
    await server.restart();
    const again = await client.submit(input);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
    expect((await client.ended(threadId, 'run-1')).status).toBe('cancelled');
    expect((await client.ended(threadId, 'run-2')).status).toBe('succeeded');
    const runs = await client.json<{ items: { runId: string }[] }>('GET', `/runs/${threadId}`);
    expect(runs.body.items.map(({ runId }) => runId)).toEqual(['run-2', 'run-1']);
  });
});
