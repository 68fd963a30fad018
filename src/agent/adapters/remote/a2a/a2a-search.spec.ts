import { textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, type SeenRequest, stream, UpstreamDouble } from '../../testing/responses-double.js';

type Fields = Readonly<Record<string, unknown>>;
interface Page {
  readonly tasks: readonly object[];
  readonly nextPageToken?: string;
}

const COMPLETED = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED' },
  artifacts: [{ artifactId: 'a1', parts: [{ text: 'Hello.' }] }],
};
const IDEMPOTENT = [{ uri: 'urn:parley:a2a:idempotent-send:v1' }];

describe('a message of A2A in doubt', () => {
  let upstream: UpstreamDouble;
  /** The id of the first message. */
  let messageId: unknown;
  afterEach(() => upstream.close());

  /** A server over HTTP+JSON that answers requests for lists with pages. */
  function server(page: (query: URLSearchParams) => Answer | Page, extensions: readonly object[] = []): Answer {
    return (response, request) => {
      const { path, method, body } = request;
      const json = (value: object): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const { pathname, searchParams } = new URL(path, upstream.url);
      if (pathname.includes('.well-known')) {
        const supportedInterfaces = [{ url: upstream.url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }];
        return json({ capabilities: { streaming: true, extensions }, supportedInterfaces });
      }
      if (pathname === '/message:stream') {
        messageId ??= (body['message'] as Fields)['messageId'];
        return stream(response, [{ task: COMPLETED }]);
      }
      if (method === 'GET' && pathname === '/tasks') {
        const answer = page(searchParams);
        return typeof answer === 'function' ? answer(response, request) : json(answer);
      }
      if (pathname === '/tasks/t1:subscribe') return stream(response, [{ task: COMPLETED }]);
      response.writeHead(404).end();
    };
  }

  /** Runs until the process dies with the message sent, and goes on in another one: its texts, or the code of its error. */
  async function inDoubt(answer: Answer, more: object = {}): Promise<unknown> {
    messageId = undefined;
    upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, ...more });
    const journal = new MemoryJournal([], 1);
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    begunAt = journal.writes[0]?.begunAt ?? 0;
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    const outcome = await second.drive(agent).then(
      () => second.messages.map(textOf),
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    await agent.close();
    return outcome;
  }
  let begunAt = 0;
  const sent = (): readonly SeenRequest[] => upstream.of('POST').filter(({ path }) => path === '/message:stream');
  const lists = (): string[] => upstream.of('GET').flatMap(({ path }) => (path.startsWith('/tasks?') ? [path] : []));
  const ours = (): object => ({ ...COMPLETED, artifacts: [], history: [{ messageId }] });
  const other = { id: 't0', contextId: 'c0', history: [{ messageId: 'of somebody else' }] };

  it('is looked for page by page in the tasks that have changed since it was sent', async () => {
    const answer = server((query) =>
      query.has('pageToken') ? { tasks: [other, ours()] } : { tasks: [other, { id: 'bare' }], nextPageToken: 'p/2' },
    );
    expect(await inDoubt(answer)).toEqual(['Hello.']);
    expect(sent()).toHaveLength(1);
    const since = encodeURIComponent(new Date(begunAt - 60_000).toISOString());
    const first = `/tasks?statusTimestampAfter=${since}&pageSize=20&historyLength=20`;
    expect(lists()).toEqual([first, `${first}&pageToken=p%2F2`]);
  });

  it('is looked for in answers that are no part of the one that is limited', async () => {
    const long = { id: 't9', history: [{ messageId: 'x'.repeat(40_000) }] };
    const answer = server((query) =>
      query.has('pageToken') ? { tasks: [long, ours()] } : { tasks: [long], nextPageToken: 'more' },
    );
    expect(await inDoubt(answer, { maxBytes: 50_000 })).toEqual(['Hello.']);
    expect(sent()).toHaveLength(1);
  });

  it.each([
    ['is not found', server(() => ({ tasks: [other] }))],
    ['is not found in 25 pages', server(() => ({ tasks: [other], nextPageToken: 'more' }))],
    ['cannot be looked for', server(() => (response) => void response.writeHead(501).end())],
    ['is looked for in vain', server(() => (response) => void response.writeHead(200).end('<html>'))],
  ])('that %s stays in doubt, unless it may be sent again', async (_, answer) => {
    expect(await inDoubt(answer)).toBe('UPSTREAM_IN_DOUBT');
    expect(sent()).toHaveLength(1);
    expect(lists().length).toBeLessThanOrEqual(25);
    await upstream.close();
    expect(await inDoubt(answer, { onDoubt: 'resend' })).toEqual(['Hello.']);
    expect(sent()).toHaveLength(2);
  });

  it('is followed and not sent again where it is found, even if it might be', async () => {
    for (const [extensions, more] of [
      [IDEMPOTENT, {}],
      [[], { onDoubt: 'resend' }],
    ] as const) {
      expect(
        await inDoubt(
          server(() => ({ tasks: [ours()] }), extensions),
          more,
        ),
      ).toEqual(['Hello.']);
      expect(sent()).toHaveLength(1);
      expect(upstream.seen.at(-1)?.path).toBe('/tasks/t1:subscribe');
      await upstream.close();
    }
    upstream = await UpstreamDouble.start(() => undefined);
  });

  it('goes again to a server that takes it once, if it is not found', async () => {
    expect(await inDoubt(server(() => ({ tasks: [] }), IDEMPOTENT))).toEqual(['Hello.']);
    const ids = sent().map(({ body }) => (body['message'] as Fields)['messageId']);
    expect(ids).toEqual([messageId, messageId]);
  });
});
