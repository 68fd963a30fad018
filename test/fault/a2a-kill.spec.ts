import { A2aClient, framesOf, saying, statesOf, textOf } from '../support/a2a.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const COUNT = 30;
/** Kills of one run of this spec; the points are chosen at random. `KILLS=200` makes more. */
const KILLS = Number(process.env.KILLS ?? 4);

jest.setTimeout(600_000 + KILLS * 30_000);

/** The frames of a stream as far as they came, whole ones alone, until some have come or it ended. */
async function someFrames(response: Response, atLeast: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (framesOf(text.slice(0, text.lastIndexOf('\n\n') + 2)).length >= atLeast) break;
    }
  } catch {
    // The server was killed.
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
}

/** No piece of an answer is lost or doubled, and no task stays behind (contract a2a, section 7.3). */
describeOnDatabases('a task of A2A whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' });
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  it(`goes on for a subscriber with a cursor as if nothing had happened (${KILLS} times)`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = new A2aClient(server, { 'a2a-version': '1.0' });
      const sent = saying(`count to ${COUNT} slowly`, { contextId: `killed-${kill}-${Date.now()}` });
      const stream = await client.rest('POST', '/message:stream', sent);
      const begun = framesOf(await someFrames(stream, 3 + Math.floor(Math.random() * (COUNT - 5))));
      await server.kill();
      await server.restart();
      const after = new A2aClient(server, { 'a2a-version': '1.0' });
      const taskId = begun[0]?.data.task?.id ?? '';
      const seen = begun.at(-1)?.id ?? '0';
      const rest = await after.stream(`/tasks/${taskId}:subscribe`, undefined, { 'last-event-id': seen });
      const whole = await after.stream(`/tasks/${taskId}:subscribe`, undefined, { 'last-event-id': '0' });
      expect([...begun.slice(1), ...rest.slice(1)]).toEqual(whole.slice(1));
      expect(statesOf(whole).at(-1)).toBe('TASK_STATE_COMPLETED');
      expect(statesOf(whole).filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
      const task = await after.get(taskId);
      expect(task.artifacts?.map(({ parts }) => parts.map(({ text }) => text).join(''))).toEqual([counted(COUNT)]);
      const kept = whole.slice(
        whole.findLastIndex(({ data }) => data.artifactUpdate?.metadata?.['discarded'] === true) + 1,
      );
      expect(textOf(kept)).toBe(counted(COUNT));
      expect((await after.send(sent)).id).toBe(taskId);
    }
  });

  it(`keeps its question, and takes the answer once (${KILLS} times)`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const client = new A2aClient(server, { 'a2a-version': '1.0' });
      const asked = await client.send(saying(`Schedule a meeting with Ana ${kill} tomorrow at 3pm`));
      if (kill % 2 === 0) {
        await server.kill();
        await server.restart();
        expect((await client.get(asked.id)).status).toEqual(asked.status);
      }
      const answer = saying('approve', { taskId: asked.id, contextId: asked.contextId });
      const sent = client.send(answer).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
      await server.kill();
      await sent;
      await server.restart();
      // The same message is the same answer, whether it came before or not.
      const repeated = await client.rpc('SendMessage', answer);
      expect([undefined, -32004]).toContain(repeated.error?.code);
      const task = await until(async () => {
        const found = await client.get(asked.id);
        return /COMPLETED|FAILED/.test(found.status.state) && found;
      });
      const text = (task.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text: piece = '' }) => piece)).join('');
      if (task.status.state === 'TASK_STATE_COMPLETED') expect(text.match(/Scheduled: /g)).toHaveLength(1);
      // Killed while it wrote into the calendar: that is never done twice.
      else expect(task.status.message?.metadata?.['code']).toBe('TOOL_IN_DOUBT');
    }
  });
});
