import { rawRequest, type RawAnswer } from '../../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../../test/support/server.js';
import { until } from '../../../../test/support/until.js';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../../agent/index.js';
import { text } from '../../../agent/testing/scripted-model-client.js';
import { ActiveStreams } from '../../http/index.js';

/** Says a word, and nothing more until its call is aborted. */
class SilentModel extends ModelClient {
  readonly provider = 'silent';

  async *stream(_: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent[], void, void> {
    yield [text('Well ')];
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  }
}

const RETRY = /^retry: \d+\n\n$/;

describe('readers of the console while the server drains', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ model: new SilentModel() });
  });
  afterAll(() => server.close());

  const open = (path: string): RawAnswer => rawRequest(server.port, 'GET', path);
  const framesOf = ({ chunks }: RawAnswer): readonly string[] => chunks.filter((chunk) => !chunk.startsWith(':'));

  it('are sent away like any other that reconnects: from lists, events and frames', async () => {
    const body = { input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };
    const started = rawRequest(server.port, 'POST', '/process', JSON.stringify(body));
    await until(() => started.chunks.join('').includes('Well '), 'the first word');
    const run = `/api/v1/runs/${/^x-run-id: (\S+)/im.exec(started.head)?.[1] ?? ''}`;
    const readers = {
      watcher: open(`${run.replace('/api/v1', '')}/events?protocol=ag-ui`),
      list: open('/api/v1/runs/stream'),
      events: open(`${run}/events/stream`),
      frames: open(`${run}/frames?wire=ag-ui`),
    };
    const hasBegun = (answer: RawAnswer): boolean =>
      answer === readers.list ? answer.chunks.length > 0 : answer.chunks.join('').includes('Well ');
    await until(() => Object.values(readers).every(hasBegun), 'all streams');
    const draining = server.get(ActiveStreams).drain(500);
    await until(() => Object.values(readers).every(({ ended }) => ended), 'the end of all streams');
    for (const [name, reader] of Object.entries(readers)) {
      expect([name, framesOf(reader).at(-1)]).toEqual([name, expect.stringMatching(RETRY)]);
    }
    const indexes = framesOf(readers.frames).flatMap((frame) => /"index":(\d+)/.exec(frame)?.[1] ?? []);
    expect(indexes).toEqual(indexes.map((_, index) => String(index + 1)));
    await draining;
  });
});
