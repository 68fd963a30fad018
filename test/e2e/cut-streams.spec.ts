import { randomUUID } from 'node:crypto';
import { ResumeCache } from '../../src/protocol/wire/resume-cache.js';
import { startServer, type TestServer } from '../support/server.js';
import { type SseFrame, SseStream } from '../support/sse.js';
import { until } from '../support/until.js';
import { WIRES } from '../support/wires.js';

/** An event stream as text: every frame without the time of reconnection, which the first one of a connection has. */
class TextStream extends SseStream<string> {
  protected override decode({ raw, data }: SseFrame): string | undefined {
    return data === '[DONE]' ? undefined : raw.replace(/\nretry: \d+/, '');
  }
}

/** Where the rest of a stream is, after its first frames. */
type Resume = (stream: { runId: string; threadId: string; frames: readonly string[] }) => {
  path: string;
  headers?: Record<string, string>;
};

/** The wires whose streams can be resumed, and the fields that their requests need for it. */
const RESUMABLE: Readonly<Record<string, { resume: Resume; body?: object }>> = {
  'agent-api': {
    resume: ({ runId, frames }) => ({ path: `/process/${runId}?stream=true&starting_after=${frames.length - 1}` }),
  },
  responses: {
    resume: ({ runId, frames }) => ({ path: `/v1/responses/${runId}?stream=true&starting_after=${frames.length - 1}` }),
    body: { background: true, conversation: undefined },
  },
  'ag-ui': {
    resume: ({ runId, frames }) => ({ path: `/runs/${runId}/events?protocol=ag-ui&after=${frames.length}` }),
    body: { protocolVersion: '1.0' },
  },
  runs: {
    resume: ({ threadId, frames }) => ({
      path: `/api/v1/agent/runs/${threadId}/events?runId=run-1`,
      headers: { 'last-event-id': /^id: (.+)$/m.exec(frames.at(-1) ?? '')?.[1] ?? '0' },
    }),
  },
};

describe('a stream that was cut', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function open(path: string, init: RequestInit = {}): Promise<TextStream> {
    const controller = new AbortController();
    const response = await fetch(`${server.url}${path}`, { ...init, signal: controller.signal });
    expect(response.status).toBe(200);
    return new TextStream(response, controller);
  }

  it.each(Object.keys(RESUMABLE))('is continued byte for byte by its encoder, on the wire %s', async (name) => {
    const { resume, body } = RESUMABLE[name]!;
    const threadId = randomUUID();
    const asked = WIRES.find((wire) => wire.name === name)!.say({
      sessionId: threadId,
      words: 'count to 40 slowly',
      turn: 1,
    });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const first = await open(asked.path, { method: 'POST', headers, body: JSON.stringify({ ...asked.body, ...body }) });
    const runId = first.response.headers.get('x-run-id') ?? '';
    const frames: string[] = [];
    const cache = server.get(ResumeCache);
    let stream = first;
    for (const cut of [12, 20, 28]) {
      expect(await stream.until((read) => frames.length + read.frames.length >= cut)).toBe(true);
      stream.leave();
      // The last frames are lost on their way.
      frames.push(...stream.frames.slice(0, -2));
      await until(() => cache.size === 1, 'the encoder is kept');
      const rest = resume({ runId, threadId, frames });
      stream = await open(rest.path, rest);
      expect(cache.size).toBe(0);
    }
    frames.push(...(await stream.all()).frames);
    expect(stream.ended).toBe(true);
    const whole = resume({ runId, threadId, frames: [] });
    expect(frames).toEqual((await (await open(whole.path, whole)).all()).frames);
  });
});
