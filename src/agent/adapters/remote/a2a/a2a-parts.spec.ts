import { type Message, textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { openStream, framed, UpstreamDouble } from '../../testing/responses-double.js';

const IDS = { taskId: 't1', contextId: 'c1' };
const DATA = { data: { depth: 3 } };
const FILE = { raw: 'AAAA', mediaType: 'image/png' };

const artifact = (parts: readonly object[], more: object = {}): object => ({
  artifactUpdate: { ...IDS, artifact: { artifactId: 'a1', parts }, ...more },
});
const task = (state: string, parts: readonly object[] = []): object => ({
  task: { id: 't1', contextId: 'c1', status: { state }, artifacts: [{ artifactId: 'a1', parts }] },
});
const WORKING = 'TASK_STATE_WORKING';
const COMPLETED = 'TASK_STATE_COMPLETED';

/** A text, or what else a message has. */
const shown = (message: Message): unknown => textOf(message) || message.content?.[0];

describe('the parts of an artifact that are no text', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  /** A server with these frames on its first connection, and these on each later one. */
  async function serve(first: readonly object[], later: readonly object[]): Promise<void> {
    upstream = await UpstreamDouble.start((response, { method, headers, body }) => {
      if (method === 'GET') {
        const url = `http://${String(headers.host)}/rpc`;
        const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
        const card = JSON.stringify({ capabilities: { streaming: true }, supportedInterfaces });
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(card);
      }
      const frames = body['method'] === 'SendStreamingMessage' ? first : later;
      openStream(response);
      response.end(framed(frames.map((result) => ({ jsonrpc: '2.0', id: body['id'], result }))));
    });
  }

  it.each([
    ['a snapshot of what was shown adds nothing', [artifact([DATA])], [DATA], [{ data: DATA.data }]],
    [
      'equal parts that were appended are all known',
      [artifact([DATA]), artifact([DATA], { append: true })],
      [DATA, DATA],
      [{ data: DATA.data }, { data: DATA.data }],
    ],
    [
      'a file behind a text that was shown is shown',
      [artifact([{ text: 'Look.' }])],
      [{ text: 'Look.' }, FILE],
      ['Look.', { file_data: 'data:image/png;base64,AAAA' }],
    ],
    [
      'data in place of other data is shown',
      [artifact([DATA])],
      [{ data: { depth: 4 } }],
      [{ data: DATA.data }, { data: { depth: 4 } }],
    ],
  ])('%s', async (_, updates, parts, expected) => {
    await serve([task(WORKING), ...updates], [task(COMPLETED, parts)]);
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const run = new TestRun();
    await run.drive(agent);
    run.expectLegalStream();
    expect(run.messages.map(shown)).toMatchObject(expected);
    await agent.close();
  });

  it('are known to a process that goes on with the task', async () => {
    await serve([task(WORKING), artifact([DATA]), task(WORKING)], [task(COMPLETED, [DATA, FILE])]);
    const journal = new MemoryJournal([], 3);
    const first = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const before = new TestRun({ journal });
    await expect(before.drive(first)).rejects.toBeInstanceOf(Crash);
    await first.close();
    const second = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const run = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    await run.drive(second);
    const kept = before.messages.filter(({ id }) => journal.keptMessageIds.has(id));
    expect([...kept, ...run.messages].map(shown)).toMatchObject([{ data: DATA.data }, { type: 'file' }]);
    await second.close();
  });
});
