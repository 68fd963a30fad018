import { jsonFrames } from './sse.js';

/** A call of a tool of the server. */
export interface ShownCall {
  readonly name: string;
  readonly arguments: string;
  /** Undefined where the wire does not show it. */
  readonly output: string | undefined;
}

/** The contents of a stream, in one form for all wires. */
export interface Shown {
  readonly text: string;
  readonly calls: readonly ShownCall[];
  /** Undefined where the wire has no place for it. */
  readonly usage: { readonly input: number; readonly output: number } | undefined;
}

/** A request that starts a run. */
export interface WireRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: readonly string[];
}

/** A message to an agent. */
export interface Saying {
  readonly sessionId: string;
  readonly words: string;
  /** A counter for ids. */
  readonly turn: number;
  /** The owner of the session; absent: the default user of the wire. */
  readonly user?: string | undefined;
}

/** A wire as the tests across wires use it. */
export interface Wire {
  /** Its name in `?protocol=`. */
  readonly name: string;
  /** Says something new in a session. */
  say(saying: Saying): WireRequest;
  /** The path of the run, if the headers of its stream do not hold its id. */
  view?(saying: Saying): string;
  /** The contents of a complete stream. */
  shown(stream: string): Shown;
}

/** The user of the Runs API, whose requests name no user. */
export const RUNS_USER = 'anonymous';

const userHeader = (user: string | undefined): readonly string[] => (user === undefined ? [] : [`x-user-id: ${user}`]);

/** All wires that the attach endpoint knows. */
export const WIRES: readonly Wire[] = [
  {
    name: 'agent-api',
    say: ({ sessionId, words, user }) => ({
      path: '/process',
      body: {
        session_id: sessionId,
        user_id: user,
        input: [{ role: 'user', content: [{ type: 'text', text: words }] }],
      },
    }),
    shown: agentApiShown,
  },
  {
    name: 'responses',
    say: ({ sessionId, words, user }) => ({
      path: '/v1/responses',
      body: { model: 'worker', conversation: sessionId, input: words, stream: true, user },
    }),
    shown: responsesShown,
  },
  {
    name: 'ag-ui',
    say: ({ sessionId: threadId, words, turn, user }) => ({
      path: '/ag-ui',
      body: { threadId, runId: `run-${turn}`, messages: [{ id: `m-${turn}`, role: 'user', content: words }] },
      headers: userHeader(user),
    }),
    shown: agUiShown,
  },
  {
    name: 'ag-kit',
    say: ({ sessionId: conversationId, words, user }) => ({
      path: '/send-message',
      body: { conversationId, messages: [{ role: 'user', content: words }] },
      headers: userHeader(user),
    }),
    shown: agKitShown,
  },
  {
    name: 'runs',
    say: ({ sessionId: threadId, words, turn }) => ({
      path: '/api/v1/agent/runs?prefer=stream',
      body: {
        threadId,
        runId: `run-${turn}`,
        messages: [{ id: `m-${turn}`, role: 'user', content: words }],
        forwardedProps: { agent_type: 'worker' },
      },
    }),
    view: ({ sessionId, turn }) => `/api/v1/agent/runs/${sessionId}/run-${turn}`,
    shown: agUiShown,
  },
  {
    name: 'chat-completions',
    say: ({ sessionId, words, user }) => ({
      path: '/v1/chat/completions',
      body: {
        model: 'worker',
        messages: [{ role: 'user', content: words }],
        metadata: { session_id: sessionId },
        stream: true,
        stream_options: { include_usage: true },
        user,
      },
    }),
    shown: completionShown,
  },
  {
    name: 'ai-sdk',
    say: ({ sessionId: id, words, turn, user }) => ({
      path: '/ai-sdk',
      body: { id, messages: [{ id: `m-${turn}`, role: 'user', parts: [{ type: 'text', text: words }] }] },
      headers: userHeader(user),
    }),
    shown: uiMessagesShown,
  },
];

function agentApiShown(stream: string): Shown {
  const last = jsonFrames(stream).findLast(({ object }) => object === 'response') as {
    output: { type: string; content: { text?: string; data?: Record<string, string> }[] }[];
    usage: { input_tokens: number; output_tokens: number } | null;
  };
  const data = (type: string) => last.output.filter((one) => one.type === type).map(({ content }) => content[0]?.data);
  const outputs = data('plugin_call_output');
  return {
    text: last.output
      .filter(({ type }) => type === 'message')
      .map(({ content }) => content.map(({ text }) => text ?? '').join(''))
      .join(''),
    calls: data('plugin_call').map((call) => ({
      name: call?.['name'] ?? '',
      arguments: call?.['arguments'] ?? '',
      output: outputs.find((one) => one?.['call_id'] === call?.['call_id'])?.['output'] ?? '',
    })),
    usage: last.usage ? { input: last.usage.input_tokens, output: last.usage.output_tokens } : undefined,
  };
}

function responsesShown(stream: string): Shown {
  const frames = jsonFrames(stream);
  const done = frames.find(({ type }) => type === 'response.completed') as {
    response: {
      output: { type: string; name?: string; arguments?: string; output?: string }[];
      usage: { input_tokens: number; output_tokens: number };
    };
  };
  const { output, usage } = done.response;
  return {
    text: frames
      .map((frame) => (frame['type'] === 'response.output_text.delta' ? String(frame['delta']) : ''))
      .join(''),
    calls: output
      .filter(({ type }) => type === 'mcp_call')
      .map((call) => ({ name: call.name ?? '', arguments: call.arguments ?? '', output: call.output ?? '' })),
    usage: { input: usage.input_tokens, output: usage.output_tokens },
  };
}

function agUiShown(stream: string): Shown {
  const frames = jsonFrames(stream);
  const deltas = (type: string, id?: unknown): string =>
    (frames as Record<string, string>[])
      .filter((frame) => frame['type'] === type && (id === undefined || frame['toolCallId'] === id))
      .map(({ delta, content }) => delta ?? content ?? '')
      .join('');
  const last = frames.at(-1) as { usage?: { inputTokens: number; outputTokens: number }[] } | undefined;
  const [usage] = last?.usage ?? [];
  return {
    text: deltas('TEXT_MESSAGE_CONTENT'),
    calls: frames
      .filter(({ type }) => type === 'TOOL_CALL_START')
      .map(({ toolCallId: id, toolCallName: name }) => ({
        name: String(name),
        arguments: deltas('TOOL_CALL_ARGS', id),
        output: deltas('TOOL_CALL_RESULT', id),
      })),
    usage: usage && { input: usage.inputTokens, output: usage.outputTokens },
  };
}

function agKitShown(stream: string): Shown {
  const frames = jsonFrames(stream);
  const pieces = (type: string, key: string, id?: unknown): string =>
    frames
      .filter((frame) => frame['type'] === type && (id === undefined || frame['toolCallId'] === id))
      .map((frame) => String(frame[key]))
      .join('');
  return {
    text: pieces('text', 'content'),
    calls: frames
      .filter(({ type }) => type === 'tool-call-start')
      .map(({ toolCallId: id, toolCallName: name }) => ({
        name: String(name),
        arguments: pieces('tool-call-args', 'delta', id),
        output: pieces('tool-result', 'result', id),
      })),
    usage: undefined,
  };
}

/** Calls of the server are lines of the reasoning, and a blank line divides texts. */
function completionShown(stream: string): Shown {
  const chunks = jsonFrames(stream) as {
    choices?: { delta: { content?: string; reasoning_content?: string } }[];
    usage?: { prompt_tokens: number; completion_tokens: number } | null;
  }[];
  const deltas = chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta));
  const texts = deltas.map(({ content }) => content ?? '').filter((text) => text !== '\n\n');
  const lines = deltas
    .map(({ reasoning_content: line }) => line ?? '')
    .join('')
    .split('\n');
  const usage = chunks.at(-1)?.usage;
  return {
    text: texts.join(''),
    calls: lines.flatMap((line) => {
      const [, name, args] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
      return name === undefined || args === undefined ? [] : [{ name, arguments: args, output: undefined }];
    }),
    usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : undefined,
  };
}

function uiMessagesShown(stream: string): Shown {
  const chunks = jsonFrames(stream) as {
    type: string;
    delta?: string;
    toolCallId?: string;
    toolName?: string;
    inputTextDelta?: string;
    output?: unknown;
    messageMetadata?: { parley?: { usage?: { input_tokens: number; output_tokens: number } } };
  }[];
  const usage = chunks.at(-1)?.messageMetadata?.parley?.usage;
  const of = (id: string | undefined) => chunks.filter(({ toolCallId }) => toolCallId === id);
  return {
    text: chunks.map(({ type, delta = '' }) => (type === 'text-delta' ? delta : '')).join(''),
    calls: chunks
      .filter(({ type }) => type === 'tool-input-start')
      .map(({ toolCallId, toolName = '' }) => {
        const output = of(toolCallId).find(({ type }) => type === 'tool-output-available')?.output;
        return {
          name: toolName,
          arguments: of(toolCallId)
            .map(({ inputTextDelta = '' }) => inputTextDelta)
            .join(''),
          output: typeof output === 'string' ? output : JSON.stringify(output),
        };
      }),
    usage: usage && { input: usage.input_tokens, output: usage.output_tokens },
  };
}
