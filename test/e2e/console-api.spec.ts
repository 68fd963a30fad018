import { randomUUID } from 'node:crypto';
import { OWN_USER } from '../support/caller.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { describeOnDatabases } from '../support/databases.js';
import { png } from '../support/images.js';
import { bearer } from '../support/keys.js';
import { PayingServer } from '../support/paying-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { type SseFrame, SseStream } from '../support/sse.js';

/** The changes of a list of runs. */
class ChangesStream extends SseStream<Record<string, unknown>> {
  protected override decode({ event, data }: SseFrame): Record<string, unknown> {
    return { ...(JSON.parse(data) as object), ...(event !== undefined && { event }) };
  }
}

/** The frames in an answer of `/frames`. */
function framesOf(answer: string): string[] {
  const data = answer.split('\n').filter((line) => line.startsWith('data: '));
  return data.map((line) => (JSON.parse(line.slice(6)) as { frame: string }).frame);
}

/** What the console reads (contract console). */
describeOnDatabases('the API that the console reads', (database) => {
  let paying: PayingServer;
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    paying = await PayingServer.start(database);
    ({ server, key } = paying);
  });
  afterAll(() => server.close());

  it('a run is listed, read in full, and shown as a timeline', async () => {
    const run = await paying.paid();
    expect(run).toMatchObject({
      agent: 'worker',
      wire: 'runs',
      status: 'interrupted',
      userId: 'alice',
      input: 'pay Ana',
      queuePosition: null,
      error: null,
    });
    const detail = await paying.get(`/api/v1/runs/${run.id}`);
    expect(detail).toMatchObject({
      id: run.id,
      ordinal: 1,
      takeovers: [],
      interrupts: [{ kind: 'approval', status: 'pending', toolName: 'pay' }],
      authority: { actor: { kind: 'key' } },
    });
    const { spans } = await paying.get<{ spans: { kind: string; status: string }[] }>(
      `/api/v1/runs/${run.id}/timeline`,
    );
    expect(spans.map(({ kind, status }) => [kind, status])).toEqual([
      ['model', 'completed'],
      ['approval', 'running'],
    ]);
  });

  it('the events are paged, searched, followed and downloaded', async () => {
    const { id } = await paying.paid();
    const page = await paying.get<{ data: { seq: number }[]; nextCursor: string; total: number }>(
      `/api/v1/runs/${id}/events?limit=3`,
    );
    expect(page.data.map(({ seq }) => seq)).toEqual([0, 1, 2]);
    const next = await paying.get<typeof page>(`/api/v1/runs/${id}/events?after=${page.nextCursor}&limit=1000`);
    expect(next.data.map(({ seq }) => seq)).toEqual(Array.from({ length: page.total - 3 }, (_, index) => index + 3));
    expect(next.nextCursor).toBeNull();
    const found = await paying.get<{ data: { type: string }[] }>(`/api/v1/runs/${id}/events?type=interrupt&text=ANA`);
    expect(found.data.map(({ type }) => type)).toEqual(['interrupt']);
    const headers = bearer(key);
    const stream = await (await fetch(`${server.url}/api/v1/runs/${id}/events/stream`, { headers })).text();
    expect(stream.match(/^id: \d+$/gm)).toHaveLength(page.total);
    const again = await fetch(`${server.url}/api/v1/runs/${id}/events/stream`, {
      headers: { ...headers, 'last-event-id': String(page.total - 1) },
    });
    expect(again.status).toBe(204);
    const lines = await (await fetch(`${server.url}/api/v1/runs/${id}/events.jsonl`, { headers })).text();
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([...page.data, ...next.data]);
  });

  it('a run is shown in the frames of every wire', async () => {
    const { id } = await paying.paid();
    const { wires } = await paying.get<{ wires: { name: string }[] }>('/api/v1/console');
    expect(wires.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['agent-api', 'responses', 'ag-ui', 'ag-kit', 'runs', 'chat-completions', 'ai-sdk']),
    );
    for (const { name } of wires) {
      const answer = await fetch(`${server.url}/api/v1/runs/${id}/frames?wire=${name}`, { headers: bearer(key) });
      const raw = await fetch(`${server.url}/runs/${id}/events?protocol=${name}`, { headers: bearer(key) });
      const frames = framesOf(await answer.text());
      expect({ name, text: frames.join('') }).toEqual({ name, text: await raw.text() });
      expect({ name, parts: frames.map((frame) => frame.split('\n\n').length) }).toEqual({
        name,
        parts: frames.map(() => 2),
      });
      const rest = await fetch(`${server.url}/api/v1/runs/${id}/frames?wire=${name}&after=1`, { headers: bearer(key) });
      expect({ name, rest: framesOf(await rest.text()) }).toEqual({ name, rest: frames.slice(1) });
    }
  });

  it('the list is followed: a run of the caller is reported, those of others are not', async () => {
    const user = `user-${randomUUID()}`;
    const own = await paying.keyOf(user, ['runs:write', 'runs:read']);
    const controller = new AbortController();
    const { signal } = controller;
    const response = await fetch(`${server.url}/api/v1/runs/stream`, { headers: bearer(own), signal });
    const stream = new ChangesStream(response, controller);
    const others = await paying.paid();
    const { id, sessionId } = await paying.paid(own);
    expect(await stream.until(({ frames }) => frames.some(({ status }) => status === 'interrupted'))).toBe(true);
    expect(stream.last).toMatchObject({ id, userId: user, agent: 'worker', input: 'pay Ana' });
    const remove = async (session: string, as: string): Promise<number> =>
      (await fetch(`${server.url}/v1/conversations/${session}`, { method: 'DELETE', headers: bearer(as) })).status;
    expect([await remove(others.sessionId, key), await remove(sessionId, own)]).toEqual([200, 200]);
    expect(await stream.until(({ frames }) => frames.some(({ event }) => event === 'removed'))).toBe(true);
    expect(stream.last).toEqual({ event: 'removed', id, userId: user });
    expect(stream.frames.some((frame) => frame['id'] === others.id)).toBe(false);
    stream.leave();
  });

  it('a run is cancelled, as often as somebody asks for it', async () => {
    const { id } = await paying.paid();
    for (const attempt of [1, 2]) {
      const answer = await fetch(`${server.url}/api/v1/runs/${id}/cancel`, { method: 'POST', headers: bearer(key) });
      expect([attempt, answer.status]).toEqual([attempt, 200]);
      expect(await answer.json()).toMatchObject({ id, interrupts: [{ status: 'cancelled' }] });
    }
  });

  it('a removed message is not shown by the list either', async () => {
    const { sessionId } = await paying.paid();
    const path = `/api/v1/sessions/${sessionId}/messages?order=asc`;
    const { data } = await paying.get<{ data: { message: { id: string } }[] }>(path);
    const item = `${server.url}/v1/conversations/${sessionId}/items/${data[0]?.message.id}`;
    expect((await fetch(item, { method: 'DELETE', headers: bearer(key) })).status).toBe(200);
    expect(await paying.get(`/api/v1/runs?session=${sessionId}`)).toMatchObject({ data: [{ input: null }] });
  });

  it.each([
    ['/api/v1/runs?status=done', 'PARAMETER_VALIDATION'],
    ['/api/v1/runs?limit=0', 'PARAMETER_VALIDATION'],
    ['/api/v1/runs?since=yesterday', 'PARAMETER_VALIDATION'],
    ['/api/v1/runs?cursor=x', 'INVALID_PARAMETER'],
    ['/api/v1/sessions?cursor=x', 'INVALID_PARAMETER'],
    ['/api/v1/attachments?cursor=x', 'INVALID_PARAMETER'],
    ['/api/v1/attachments?limit=101', 'PARAMETER_VALIDATION'],
    ['/api/v1/sessions?user=%00', 'PARAMETER_VALIDATION'],
  ])('%s is refused with %s', async (path, code) => {
    const answer = await fetch(server.url + path, { headers: bearer(key) });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code })]);
  });

  it('cursors and names that the run does not have are refused', async () => {
    const { id } = await paying.paid();
    const codes: Readonly<Record<string, string>> = {
      'events/stream?after=100000': 'CURSOR_AHEAD',
      'frames?after=100000': 'CURSOR_AHEAD',
      'frames?wire=telnet': 'INVALID_PARAMETER',
      'events?type=message,none': 'PARAMETER_VALIDATION',
    };
    for (const [path, code] of Object.entries(codes)) {
      const answer = await fetch(`${server.url}/api/v1/runs/${id}/${path}`, { headers: bearer(key) });
      expect([path, await answer.json()]).toEqual([path, expect.objectContaining({ code })]);
    }
  });

  it('sessions, their messages and their state are read', async () => {
    const { id, sessionId } = await paying.paid();
    const { data } = await paying.get<{ data: { id: string }[] }>('/api/v1/sessions?limit=1');
    expect(data).toMatchObject([
      { id: sessionId, userId: 'alice', lastRun: { id, status: 'interrupted', waitsFor: 'approval' } },
    ]);
    expect(await paying.get(`/api/v1/sessions/${sessionId}`)).toMatchObject({ id: sessionId, metadata: {} });
    const messages = await paying.get<{ data: { message: { role: string } }[]; nextCursor: string | null }>(
      `/api/v1/sessions/${sessionId}/messages?order=asc&limit=1`,
    );
    expect(messages.data).toMatchObject([{ message: { role: 'user' } }]);
    expect(messages.nextCursor).not.toBeNull();
    expect(await paying.get(`/api/v1/sessions/${sessionId}/state`)).toMatchObject({ state: {} });
  });

  it('attachments are listed newest first, page by page, each with an address that works', async () => {
    const own = await paying.keyOf('dora', ['runs:write', 'runs:read']);
    for (const width of [1, 2, 3]) {
      const body = new FormData();
      body.append('file', new Blob([png(width, 3)], { type: 'image/png' }), `${width}.png`);
      await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', headers: bearer(own), body });
    }
    interface Listed {
      readonly data: readonly { readonly width: number; readonly url: string; readonly filename: string }[];
      readonly nextCursor: string | null;
    }
    const first = await paying.get<Listed>('/api/v1/attachments?limit=2', own);
    expect(first.data).toMatchObject([
      {
        width: 3,
        height: 3,
        filename: '3.png',
        userId: 'dora',
        mimeType: 'image/png',
        deleteAfter: expect.any(String),
      },
      { width: 2 },
    ]);
    const second = await paying.get<Listed>(`/api/v1/attachments?limit=2&cursor=${first.nextCursor}`, own);
    expect(second).toMatchObject({ data: [{ width: 1 }], nextCursor: null });
    const content = await fetch(first.data[0]?.url ?? '');
    expect([content.status, Buffer.from(await content.arrayBuffer())]).toEqual([200, png(3, 3)]);
    const reviewer = await paying.keyOf('eve', ['runs:read', 'data:tenant']);
    expect((await paying.get<Listed>('/api/v1/attachments?user=dora', reviewer)).data).toHaveLength(3);
    expect((await paying.get<Listed>('/api/v1/attachments', await paying.keyOf('eve', ['runs:read']))).data).toEqual(
      [],
    );
  });

  it('the policy is asked about a call without making it', async () => {
    const tools = await paying.get<{ data: { name: string; mayAsk: boolean }[] }>('/api/v1/tools');
    expect(tools.data.find(({ name }) => name === 'pay')).toMatchObject({ effects: 'unsafe', mayAsk: true });
    const ask = async (body: object): Promise<unknown> => {
      const answer = await fetch(`${server.url}/api/v1/tools/pay/policy`, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.json();
    };
    expect(await ask({ arguments: { to: 'Ana', amount: 5 } })).toMatchObject({ decision: 'ask', rule: null });
    expect(await ask({ arguments: {} })).toMatchObject({ decision: 'invalid' });
  });
});

describe('a run in progress', () => {
  let server: TestServer;
  let proceed: () => void;

  beforeAll(async () => {
    const waiting = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    behaviour.current = async function* (context) {
      yield say(context, 'The first words');
      await context.flush();
      await waiting;
      yield say(context, 'The last words');
    };
    server = await startServer({ providers: [JournalingCodeAgent] });
  });
  afterAll(() => server.close());

  it('is followed live over its events and over the frames of a wire, and continued without gap or repeat', async () => {
    const threadId = randomUUID();
    const messages = [{ id: 'm-1', role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ threadId, runId: 'r', messages, forwardedProps: { agent_type: 'code-journal' } });
    const headers = { 'content-type': 'application/json', 'x-user-id': OWN_USER.userId };
    await fetch(`${server.url}/api/v1/agent/runs`, { method: 'POST', headers, body });
    const list = await fetch(`${server.url}/api/v1/runs?session=${threadId}`, { headers });
    const { data } = (await list.json()) as { data: { id: string }[] };
    const base = `${server.url}/api/v1/runs/${data[0]?.id}`;
    const open = async (path: string, lastEventId?: string): Promise<ChangesStream> => {
      const controller = new AbortController();
      const more: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const response = await fetch(base + path, { headers: { ...headers, ...more }, signal: controller.signal });
      return new ChangesStream(response, controller);
    };
    const first = await open('/events/stream');
    const frames = await open('/frames?wire=ag-ui');
    const hasWords = ({ frames: seen }: ChangesStream): boolean => JSON.stringify(seen).includes('The first words');
    expect([await first.until(hasWords), await frames.until(hasWords)]).toEqual([true, true]);
    first.leave();
    const seen = first.frames.map(({ seq }) => seq as number);
    const second = await open('/events/stream', String(seen.at(-1)));
    proceed();
    await second.all();
    expect(second.ended).toBe(true);
    const all = [...seen, ...second.frames.map(({ seq }) => seq as number)];
    expect(all).toEqual(all.map((_, index) => index));
    expect(second.last).toMatchObject({ type: 'response', event: { status: 'completed' } });
    await frames.all();
    expect(frames.frames.map(({ index }) => index)).toEqual(frames.frames.map((_, index) => index + 1));
    expect(JSON.stringify(frames.last)).toContain('RUN_FINISHED');
  });
});
