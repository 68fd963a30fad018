import { bootApp, type TestApp } from '../../support/test-app.js';
import { checkShapes, replay } from '../../support/ag-ui-replay.js';
import { counted } from '../../support/process-client.js';
import { runInput, RunsClient, type RunsStream } from '../../support/runs-client.js';

describe('the events of a run', () => {
  let server: TestApp;
  let client: RunsClient;

  beforeAll(async () => {
    server = await bootApp();
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  /** Expects a whole stream: ids without gap or repeat, and an order that the reference client takes. */
  async function expectWhole(stream: RunsStream, ordinal = 1): Promise<void> {
    expect(stream.frames.map(({ id }) => id)).toEqual(stream.frames.map((_, index) => `${ordinal}-${index + 1}`));
    const events = stream.events.map(({ timestamp, ...event }) => {
      expect(typeof timestamp).toBe('number');
      return event;
    });
    checkShapes(events);
    await replay('v1', stream.events);
  }

  it('are streamed from the first to the terminal one', async () => {
    const input = runInput('count to 20');
    const accepted = await client.submit(input);
    expect(accepted.status).toBe(202);
    const stream = await (await client.events(accepted.body.threadId)).all();
    expect(stream.status).toBe(200);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'content-location': `/api/v1/agent/runs/${accepted.body.threadId}/run-1`,
    });
    await expectWhole(stream);
    expect(stream.text).toBe(counted(20));
    expect(stream.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  });
});
