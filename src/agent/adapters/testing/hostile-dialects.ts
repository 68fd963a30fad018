import type { ServerResponse } from 'node:http';
import { type Answer, responseEvents } from './responses-double.js';

/** The head of an answer in JSON. */
export const JSON_HEAD = { 'content-type': 'application/json' };
/** The second piece of the message. */
export const WORLD = 'world.';
/** The message, after the piece `Hello `. */
export const WHOLE = `Hello ${WORLD}`;

/** A stream of one kind in parts, which together are one message. */
export interface Dialect {
  readonly type: string;
  /** Further keys of the entry. */
  readonly entry?: object;
  /** True if a lost connection is made again. */
  readonly continues: boolean;
  readonly begin: readonly object[];
  piece(text: string): object;
  readonly end: readonly object[];
  /** The end of an exchange that has used so many tokens; undefined if the kind has no word for it. */
  counted?(count: unknown): readonly object[];
  /** The requests of the kind: those before and after its stream are answered as they should be. */
  serve?(answer: Answer): Answer;
  /** What is shown where the second piece has other ids. */
  readonly renamed: string;
  /** True if an answer may be JSON in place of a stream. */
  readonly takesJson?: boolean;
  /** True if the status of a request is not that of its stream. */
  readonly isDetached?: boolean;
}

const RUN = { threadId: 't', runId: 'r' };
const TASK = { taskId: 'id-1', contextId: 'c' };
const REPLY = { reply_id: 'reply', block_id: 'id-1' };
const rpc = (result: object): object => ({ jsonrpc: '2.0', id: 1, result });
/** Answers with JSON. */
export const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, JSON_HEAD).end(JSON.stringify(value));
const [created = {}, , added = {}] = responseEvents('id-1', [[WHOLE]]);
const [done = {}, completed = {}] = responseEvents('id-1', [[WHOLE]]).slice(-2);
/** What a response has that names its own place. */
const unnumbered = (event: object): object => ({ ...event, sequence_number: undefined });

/** All kinds of remote agents. */
export const DIALECTS: readonly Dialect[] = [
  {
    type: 'ag-ui',
    continues: false,
    begin: [
      { type: 'RUN_STARTED', ...RUN },
      { type: 'TEXT_MESSAGE_START', messageId: 'id-1', role: 'assistant' },
    ],
    piece: (delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'id-1', delta }),
    end: [
      { type: 'TEXT_MESSAGE_END', messageId: 'id-1' },
      { type: 'RUN_FINISHED', ...RUN },
    ],
    counted: (count) => [
      { type: 'RUN_FINISHED', ...RUN, usage: [{ inputTokens: count, outputTokens: count, totalTokens: count }] },
    ],
    renamed: WHOLE,
  },
  {
    type: 'agent-api',
    continues: false,
    begin: [
      { object: 'response', id: 'r', status: 'created' },
      { object: 'message', id: 'id-1', type: 'message', role: 'assistant', status: 'in_progress' },
    ],
    piece: (text) => ({ object: 'content', msg_id: 'id-1', type: 'text', delta: true, text }),
    end: [
      { object: 'message', id: 'id-1', type: 'message', role: 'assistant', status: 'completed' },
      { object: 'response', id: 'r', status: 'completed', output: [] },
    ],
    counted: (count) => [
      { object: 'response', id: 'r', status: 'completed', usage: { input_tokens: count, output_tokens: count } },
    ],
    renamed: WHOLE,
  },
  {
    type: 'responses',
    entry: { background: false },
    continues: false,
    begin: [created, added].map(unnumbered),
    piece: (delta) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'id-1', delta }),
    end: [done, completed].map(unnumbered),
    counted: (count) => {
      const usage = { input_tokens: count, output_tokens: count, total_tokens: count };
      return [{ type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage } }];
    },
    renamed: WHOLE,
    takesJson: true,
  },
  {
    type: 'a2a',
    entry: { reattachForMs: 0 },
    continues: true,
    begin: [rpc({ task: { id: 'id-1', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } })],
    piece: (text) =>
      rpc({ artifactUpdate: { ...TASK, artifact: { artifactId: 'a', parts: [{ text }] }, append: true } }),
    end: [rpc({ statusUpdate: { ...TASK, status: { state: 'TASK_STATE_COMPLETED' } } })],
    serve: (answer) => (response, request) => {
      // A connection that is made again breaks, too.
      if (request.body['method'] === 'SubscribeToTask') return void response.destroy();
      if (request.method === 'POST') return answer(response, request);
      const url = `http://${String(request.headers.host)}/`;
      const capabilities = { streaming: true };
      json(response, {
        capabilities,
        supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      });
    },
    // A frame of another task is not ours.
    renamed: 'Hello ',
    takesJson: true,
  },
  {
    type: 'agentscope-2',
    entry: { agentId: 'friend', reattachForMs: 0 },
    continues: true,
    begin: [{ type: 'REPLY_START', ...REPLY, role: 'assistant' }],
    piece: (delta) => ({ type: 'TEXT_BLOCK_DELTA', ...REPLY, delta }),
    end: [
      { type: 'TEXT_BLOCK_END', ...REPLY },
      { type: 'REPLY_END', ...REPLY },
    ],
    counted: (count) => [
      { type: 'MODEL_CALL_END', ...REPLY, input_tokens: count, output_tokens: count },
      { type: 'TEXT_BLOCK_END', ...REPLY },
      { type: 'REPLY_END', ...REPLY },
    ],
    serve: (answer) => {
      let said: readonly object[] = [];
      let open: (() => void) | undefined;
      return (response, request) => {
        const { method, path, body } = request;
        if (path.startsWith('/sessions/?') || path === '/sessions/') return json(response, { session_id: 's' });
        if (path === '/chat/') {
          said = body['input'] as object[];
          json(response, { status: 'started', session_id: 's' });
          return open?.();
        }
        if (method === 'POST') return json(response, {});
        if (path.includes('/stream')) {
          open = () => answer(response, request);
          if (said.length > 0) open();
          else response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          return;
        }
        const content = [{ type: 'text', id: 'id-1', text: WHOLE }];
        json(response, { is_running: false, messages: [...said, { id: 'reply', role: 'assistant', content }] });
      };
    },
    // What is stored decides.
    renamed: WHOLE + WHOLE,
    isDetached: true,
  },
];
