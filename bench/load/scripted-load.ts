import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Load, LoadResult, Script } from '../protocol.js';
import { serveLoads } from './serve-loads.js';

/** The requests that `open` has left open. */
const open: ClientRequest[] = [];

interface Stream {
  next: number;
  rest: string;
  first: number | undefined;
  readonly latency: number[];
}

serveLoads(perform);

async function perform(load: Load): Promise<LoadResult> {
  switch (load.do) {
    case 'streams':
      return streams(load);
    case 'requests':
      return requests(load);
    case 'open':
      return openStreams(load);
    case 'drop':
      for (const one of open.splice(0)) one.destroy();
      return {};
    case 'fetch': {
      const { body, runId } = await fetchText(load.url, load.post, false);
      return { frames: body.split(/(?<=\n\n)/), runId };
    }
  }
}

/** Reads streams to their ends and checks every frame. */
async function streams({ url, post, streams: count, script }: Extract<Load, { do: 'streams' }>): Promise<LoadResult> {
  const start = performance.now();
  const all = await Promise.all(Array.from({ length: count }, () => readStream(url, post, script)));
  const events = all.reduce((sum, { next }) => sum + next, 0);
  const latency = all.flatMap((stream) => stream.latency);
  return { events, ms: performance.now() - start, latency, first: all.map(({ first }) => first ?? Infinity) };
}

function readStream(url: string, post: unknown, script: Script): Promise<Stream> {
  const stream: Stream = { next: 0, rest: '', first: undefined, latency: [] };
  const start = performance.now();
  return new Promise((resolve, reject) => {
    begin(url, post, false, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        try {
          readFrames(stream, text, start, script);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      response.on('error', reject);
      response.on('end', () => {
        if (stream.next === script.n) resolve(stream);
        else
          reject(
            new Error(`${stream.next} pieces arrived of ${script.n}; status ${response.statusCode}; ${stream.rest}`),
          );
      });
    }).on('error', reject);
  });
}

function readFrames(stream: Stream, text: string, start: number, { ms, replace }: Script): void {
  const frames = (stream.rest + text).split('\n\n');
  stream.rest = frames.pop() ?? '';
  for (const frame of frames) {
    const at = frame.startsWith('data: ') ? 0 : frame.indexOf('\ndata: ') + 1;
    const data = frame.slice(at + 6);
    if ((at === 0 && !frame.startsWith('data: ')) || data === '[DONE]') continue;
    const event = JSON.parse(data) as { object: string; type?: string; status?: string; text?: string };
    if (event.object !== 'content' || event.status !== 'in_progress' || event.text === undefined) continue;
    const [index, stamp] = event.text.split(' ', 2);
    // A text that is replaced is shown whole, so its first value may come again.
    if (replace && Number(index) === stream.next - 1) continue;
    if (Number(index) !== stream.next) throw new Error(`piece ${index} came where ${stream.next} was due`);
    stream.next += 1;
    stream.first ??= performance.now() - start;
    if (ms > 0) stream.latency.push((Number(process.hrtime.bigint() / 1000n) - Number(stamp)) / 1000);
  }
}

/** Opens streams and leaves them open: each is read on, or read no more after its headers. */
async function openStreams({ url, post, streams: count, reading }: Extract<Load, { do: 'open' }>): Promise<LoadResult> {
  const openOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = begin(url, post, false, (response) => {
        response.on('error', () => undefined);
        if (!reading) return resolve();
        response.resume();
        response.once('data', () => resolve());
      });
      one.on('error', reject);
      open.push(one);
    });
  for (let done = 0; done < count; done += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - done) }, openOne));
  }
  return {};
}

/** Short requests one after another on each of some kept connections. */
async function requests({
  url,
  post,
  requests: count,
  connections,
}: Extract<Load, { do: 'requests' }>): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  let left = count;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const { body } = await fetchText(url, post, agent);
      if (!body.endsWith('data: [DONE]\n\n')) throw new Error('a short run was cut');
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return { requests: count, ms: performance.now() - start };
}

function fetchText(url: string, post: unknown, agent: Agent | false): Promise<{ body: string; runId: string }> {
  return new Promise((resolve, reject) => {
    begin(url, post, agent, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('error', reject);
      response.on('end', () => resolve({ body, runId: String(response.headers['x-run-id'] ?? '') }));
    }).on('error', reject);
  });
}

function begin(
  url: string,
  post: unknown,
  agent: Agent | false,
  then: (response: IncomingMessage) => void,
): ClientRequest {
  const headers = { 'content-type': 'application/json' };
  if (post === undefined) return request(url, { agent }, then).end();
  return request(url, { agent, method: 'POST', headers }, then).end(JSON.stringify(post));
}
