import { randomUUID } from 'node:crypto';
import { type Answer, promptOf } from '../answer.js';
import { REMOTE_AGENT, type WireName } from '../protocol.js';

/** One request of the load. */
export interface WireRequest {
  readonly path: string;
  /** JSON; without it the request is a GET. */
  readonly body?: string;
  /** Further header lines, each ended by CRLF. */
  readonly headers: string;
}

/** How one wire is asked for an answer, and what its frames hold. */
export interface Wire {
  ask(answer: Answer, resumable: boolean): WireRequest;
  /** Asks for the rest of a stream after the frame with this cursor. */
  resume(first: string, cursor: string): WireRequest;
  /** The text of a piece; undefined for any other frame. */
  piece(frame: string): string | undefined;
  /** The whole text, in the frame that repeats it. */
  fullText(frame: string): string | undefined;
  /** The cursor of a frame. */
  cursor(frame: string): string | undefined;
  /** True for the frame that says that the answer is complete. */
  isEnd(frame: string): boolean;
}

const SSE = 'accept: text/event-stream\r\n';

function data<T>(frame: string): T {
  return JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as T;
}

/** POST /compatible-mode/v1/responses. A response that is resumed has to be in the background. */
const responses: Wire = {
  ask: (answer, resumable) => responsesRequest('worker', answer, resumable),
  resume: (first, cursor) => {
    const { response } = data<{ response: { id: string } }>(first);
    return { path: `/compatible-mode/v1/responses/${response.id}?stream=true&starting_after=${cursor}`, headers: SSE };
  },
  piece: (frame) =>
    frame.startsWith('event: response.output_text.delta\n') ? data<{ delta: string }>(frame).delta : undefined,
  fullText: (frame) =>
    frame.startsWith('event: response.output_text.done\n') ? data<{ text: string }>(frame).text : undefined,
  cursor: (frame) => /"sequence_number":(\d+)/.exec(frame)?.[1],
  isEnd: (frame) => frame.startsWith('event: response.completed\n'),
};

function responsesRequest(model: string, answer: Answer, background: boolean): WireRequest {
  const body = { model, input: promptOf(answer), stream: true, background };
  return { path: '/compatible-mode/v1/responses', body: JSON.stringify(body), headers: SSE };
}

/** The same, and the remote agent answers. */
const remote: Wire = {
  ...responses,
  ask: (answer, resumable) => responsesRequest(REMOTE_AGENT, answer, resumable),
};

/** POST /compatible-mode/v1/chat/completions. A completion is continued over the route that shows any run. */
const chatCompletions: Wire = {
  ask: (answer) => ({
    path: '/compatible-mode/v1/chat/completions',
    body: JSON.stringify({
      model: 'worker',
      messages: [{ role: 'user', content: promptOf(answer) }],
      stream: true,
      stream_options: { include_usage: true },
    }),
    headers: SSE,
  }),
  resume: () => {
    throw new Error('a chunk has no cursor: clients count them');
  },
  piece: (frame) => {
    // The first chunk has a role before its empty text.
    if (!frame.includes('"delta":{"content":"')) return undefined;
    const { choices } = data<{ choices: readonly { delta: { content: string } }[] }>(frame);
    return choices[0]?.delta.content;
  },
  fullText: () => undefined,
  cursor: () => undefined,
  isEnd: (frame) => frame === 'data: [DONE]',
};

interface AgentApiEvent {
  readonly object: string;
  readonly status: string;
  readonly type?: string;
  readonly text?: string;
}

function agentApiText(frame: string, status: string): string | undefined {
  if (!frame.includes('"object":"content"')) return undefined;
  const event = data<AgentApiEvent>(frame);
  return event.object === 'content' && event.type === 'text' && event.status === status ? event.text : undefined;
}

/** POST /process. */
const agentApi: Wire = {
  ask: (answer) => ({
    path: '/process',
    body: JSON.stringify({
      input: [{ role: 'user', type: 'message', content: [{ type: 'text', text: promptOf(answer) }] }],
      stream: true,
    }),
    headers: SSE,
  }),
  resume: (first, cursor) => ({
    path: `/process/${data<{ id: string }>(first).id}?stream=true&starting_after=${cursor}`,
    headers: SSE,
  }),
  piece: (frame) => agentApiText(frame, 'in_progress'),
  fullText: (frame) => agentApiText(frame, 'completed'),
  cursor: (frame) => /"sequence_number":(\d+)/.exec(frame)?.[1],
  isEnd: (frame) =>
    frame.includes('"object":"response"') &&
    frame.includes('"status":"completed"') &&
    data<AgentApiEvent>(frame).object === 'response',
};

/** POST /api/v1/agent/runs. */
const runs: Wire = {
  ask: (answer) => ({
    path: '/api/v1/agent/runs?prefer=stream',
    body: JSON.stringify({
      threadId: randomUUID(),
      runId: randomUUID(),
      state: {},
      messages: [{ id: randomUUID(), role: 'user', content: promptOf(answer) }],
      tools: [],
      context: [],
      forwardedProps: { agent_type: 'worker' },
    }),
    headers: SSE,
  }),
  resume: (first, cursor) => {
    const { threadId, runId } = data<{ threadId: string; runId: string }>(first);
    const path = `/api/v1/agent/runs/${threadId}/events?runId=${runId}`;
    return { path, headers: `${SSE}last-event-id: ${cursor}\r\n` };
  },
  piece: (frame) =>
    frame.includes('data: {"type":"TEXT_MESSAGE_CONTENT"') ? data<{ delta: string }>(frame).delta : undefined,
  fullText: () => undefined,
  cursor: (frame) => /^id: (\S+)$/m.exec(frame)?.[1],
  isEnd: (frame) => frame.includes('data: {"type":"RUN_FINISHED"'),
};

/** POST /ai-sdk. Its streams are replayed from their start, not continued after a cursor. */
const aiSdk: Wire = {
  ask: (answer) => ({
    path: '/ai-sdk',
    body: JSON.stringify({
      id: randomUUID(),
      trigger: 'submit-message',
      messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text: promptOf(answer) }] }],
    }),
    headers: SSE,
  }),
  resume: () => {
    throw new Error('the stream of the AI SDK has no cursor');
  },
  piece: (frame) => (frame.startsWith('data: {"type":"text-delta"') ? data<{ delta: string }>(frame).delta : undefined),
  fullText: () => undefined,
  cursor: () => undefined,
  isEnd: (frame) => frame.startsWith('data: {"type":"finish"'),
};

/** The baseline: one event per piece, as on the Responses wire; nothing to resume. */
const relay: Wire = {
  ask: (answer) => ({ path: '/', body: JSON.stringify({ input: promptOf(answer) }), headers: SSE }),
  resume: () => {
    throw new Error('the relay has nothing to resume');
  },
  piece: responses.piece,
  fullText: () => undefined,
  cursor: () => undefined,
  isEnd: (frame) => frame === 'data: [DONE]',
};

export const WIRES: Readonly<Record<WireName, Wire>> = {
  relay,
  responses,
  remote,
  'chat-completions': chatCompletions,
  'agent-api': agentApi,
  runs,
  'ai-sdk': aiSdk,
};
