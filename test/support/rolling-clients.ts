import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { type RawData, WebSocket } from 'ws';
import { CursorReader, type CursorRoute, runsApi, WATCHED, watching } from './cursor-reader.js';
import { runInput } from './runs-client.js';

/** What a client has seen of a run, from its first frame to the last. */
export interface Seen {
  /** All frames, as text. */
  readonly text: string;
  /** How the run is read again from its beginning; undefined where the wire has no cursors. */
  readonly again?: { readonly route: CursorRoute; readonly frames: readonly string[] };
}

/** A client that asks for one run and reads it to its end. */
export interface RollingClient {
  readonly name: string;
  /** @throws Error when the request is refused or the stream breaks */
  run(server: string, words: string): Promise<Seen>;
}

/** A client that cannot continue its stream: it is to be served to the end by one server. */
function posting(name: string, path: string, bodyOf: (words: string) => object): RollingClient {
  return {
    name,
    run: async (server, words) => {
      const answer = await post(server + path, bodyOf(words));
      return { text: await answer.text() };
    },
  };
}

/** A client that continues where it was, whenever its stream ends before the run. */
function continuing(name: string, routeOf: (threadId: string, runId: string) => CursorRoute): RollingClient {
  return {
    name,
    run: async (server, words) => {
      const answer = await post(`${server}/api/v1/agent/runs`, runInput(words));
      const { threadId, taskId } = (await answer.json()) as { readonly threadId: string; readonly taskId: string };
      const route = routeOf(threadId, taskId);
      const reader = new CursorReader(route);
      for (;;) {
        const ending = await reader.read(server);
        if (ending === 'broken') throw new Error(`${name}: the stream of ${taskId} broke`);
        if (ending !== 'sent away')
          return { text: reader.frames.join('\n\n'), again: { route, frames: reader.frames } };
      }
    },
  };
}

/** The WebSocket of OpenAI Responses, with one response. */
const socket: RollingClient = {
  name: 'responses over a WebSocket',
  run: async (server, words) => {
    const client = new WebSocket(`${server.replace('http', 'ws')}/v1/responses`);
    const messages: string[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      client.on('message', (data: RawData) => {
        const text = (data as Buffer).toString();
        messages.push(`data: ${text}\n\n`);
        const { type } = JSON.parse(text) as { readonly type: string };
        if (/^(error|response\.(completed|failed|incomplete))$/.test(type)) resolve();
      });
      client.once('error', reject).once('close', () => reject(new Error('The socket was closed')));
    });
    await Promise.race([once(client, 'open'), ended]);
    client.send(JSON.stringify({ type: 'response.create', model: 'worker', input: words }));
    await ended;
    client.terminate();
    return { text: messages.join('') };
  },
};

const userMessage = (content: string): object => ({ id: 'm-1', role: 'user', content });
const agUiInput = (words: string): object => ({
  threadId: randomUUID(),
  runId: randomUUID(),
  messages: [userMessage(words)],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
});

/** One client for each way to read a run. */
export const ROLLING_CLIENTS: readonly RollingClient[] = [
  posting('agent-api', '/process', (words) => ({
    input: [{ role: 'user', content: [{ type: 'text', text: words }] }],
  })),
  posting('responses', '/v1/responses', (input) => ({ model: 'worker', input, stream: true })),
  socket,
  posting('ag-ui', '/ag-ui', agUiInput),
  posting('copilotkit', '/copilotkit/agent/default/run', agUiInput),
  posting('ag-kit', '/send-message', (content) => ({
    conversationId: randomUUID(),
    messages: [{ role: 'user', content }],
  })),
  continuing('runs', (threadId) => runsApi(threadId, 'run-1')),
  ...WATCHED.map((protocol) => continuing(`watched as ${protocol}`, (_, runId) => watching(runId, protocol))),
];

async function post(url: string, body: object): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} is answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}
