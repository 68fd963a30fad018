import type { ServerResponse } from 'node:http';
import { bedrockStream, completionStream } from '../../src/agent/adapters/testing/native-answers.js';
import type { NativePart } from '../../src/agent/adapters/testing/native-server.js';
import type { NativeApi } from './native-servers.js';

type Json = Readonly<Record<string, unknown>>;

const ARGUMENTS = { city: 'Paris' };

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly reasoning?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

const messagesOf = ({ messages }: Json): readonly Message[] => (messages ?? []) as readonly Message[];

/** The id of the call of a turn: nine letters and digits. */
const idOf = (turn: number): string => `call${String(turn).padStart(5, '0')}`;

function partsOf(turn: number, call: boolean, signature?: string): readonly NativePart[] {
  const thought = { thought: `Thoughts ${turn}`, ...(signature !== undefined && { signature }) };
  return [thought, call ? { call: 'get_weather', args: ARGUMENTS, id: idOf(turn) } : { text: `Answer ${turn}.` }];
}

/** An answer of a server with Chat Completions as its messages have it. */
function told(part: NativePart): Json {
  if ('thought' in part) return { thought: part.thought };
  return 'text' in part ? { text: part.text } : { id: part.id, arguments: JSON.stringify(part.args) };
}

function lastWords(body: Json): string | undefined {
  const last = messagesOf(body).at(-1);
  return last?.role === 'user' ? JSON.stringify(last.content) : undefined;
}

function callsIn({ tool_calls: calls = [] }: Message): readonly Json[] {
  return calls.map(({ id, function: { arguments: text } }) => ({ id, arguments: text }));
}

/** The parts that a double has made are kept by what they become in a message. */
class Written {
  private readonly parts = new Map<Json, NativePart>();

  make(parts: readonly NativePart[]): readonly Json[] {
    return parts.map((part) => {
      const json = told(part);
      this.parts.set(json, part);
      return json;
    });
  }

  of(parts: readonly Json[]): readonly NativePart[] {
    return parts.flatMap((json) => this.parts.get(json) ?? []);
  }
}

function completionApi(
  stream: (response: ServerResponse, parts: readonly NativePart[]) => void,
  thoughtsAndText: (message: Message) => readonly Json[],
  refusal: (messages: readonly Message[]) => string | undefined,
): NativeApi {
  const written = new Written();
  return {
    endsAnswers: true,
    answer: (turn, call) => written.make(partsOf(turn, call)),
    write: (response, parts) => stream(response, written.of(parts)),
    answersIn: (body) =>
      messagesOf(body).flatMap((message) =>
        message.role === 'assistant' && message.content !== 'Noted.'
          ? [[...thoughtsAndText(message), ...callsIn(message)]]
          : [],
      ),
    refusal: (body) => refusal(messagesOf(body)),
    lastWords,
  };
}

/** Mistral's API: thoughts as parts of the content, ids of nine characters, no user after results. */
export const MISTRAL: NativeApi = completionApi(
  completionStream((text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })),
  ({ content }) =>
    ((typeof content === 'string' ? [{ type: 'text', text: content }] : content) as Json[]).map((part) =>
      part['type'] === 'thinking'
        ? { thought: (part['thinking'] as { text: string }[]).map(({ text }) => text).join('') }
        : { text: part['text'] },
    ),
  (messages) => {
    if (messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'tool')) {
      return "Unexpected role 'user' after role 'tool'";
    }
    const ids = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    return ids.every((id) => /^[a-zA-Z0-9]{9}$/.test(id)) ? undefined : 'Tool call id must have a length of 9';
  },
);

/** Groq's API: thoughts in the member `reasoning`, no other members. */
export const GROQ: NativeApi = completionApi(
  completionStream((reasoning) => ({ reasoning })),
  ({ reasoning, content }) => [
    ...(reasoning === undefined ? [] : [{ thought: reasoning }]),
    ...(content === '' ? [] : [{ text: content }]),
  ],
  (messages) => {
    const known = ['role', 'content', 'reasoning', 'tool_calls', 'tool_call_id'];
    const odd = messages.flatMap((message) => Object.keys(message)).find((name) => !known.includes(name));
    return odd === undefined ? undefined : `property '${odd}' is unsupported`;
  },
);

interface Block {
  readonly text?: string;
  readonly reasoningContent?: { readonly reasoningText: { readonly text: string; readonly signature?: string } };
  readonly toolUse?: { readonly toolUseId: string; readonly input: object };
  readonly toolResult?: object;
}

const blocksOf = ({ content }: Message): readonly Block[] => content as readonly Block[];

function blockOf(part: NativePart): Json {
  if ('thought' in part) {
    return { reasoningContent: { reasoningText: { text: part.thought, signature: part.signature } } };
  }
  return 'text' in part ? { text: part.text } : { toolUse: { toolUseId: part.id, name: part.call, input: part.args } };
}

/** Bedrock's Converse API: signed thoughts, and tools wherever there are calls. */
export const BEDROCK: NativeApi = {
  endsAnswers: true,
  answer: (turn, call) => partsOf(turn, call, `signature-${turn}`).map(blockOf),
  write: (response, parts) =>
    bedrockStream(
      response,
      (parts as readonly Block[]).map(({ reasoningContent: thought, text, toolUse }): NativePart => {
        if (thought) return { thought: thought.reasoningText.text, signature: thought.reasoningText.signature ?? '' };
        if (toolUse) return { call: 'get_weather', args: toolUse.input, id: toolUse.toolUseId };
        return { text: text ?? '' };
      }),
    ),
  answersIn: (body) =>
    messagesOf(body).flatMap((message) =>
      message.role === 'assistant' ? [blocksOf(message) as unknown as Json[]] : [],
    ),
  refusal: (body) => {
    const messages = messagesOf(body);
    if (messages.some(({ role }, at) => role === messages[at - 1]?.role)) {
      return 'A conversation must alternate between user and assistant roles.';
    }
    const hasCalls = messages.some((message) => blocksOf(message).some(({ toolUse }) => toolUse));
    if (hasCalls && !body['toolConfig'])
      return 'The toolConfig field must be defined when using toolUse content blocks.';
    const isBlank = messages.some((message) => blocksOf(message).some(({ text }) => text?.trim() === ''));
    return isBlank ? 'The text field in the ContentBlock object is blank.' : undefined;
  },
  lastWords: (body) => {
    const last = messagesOf(body).at(-1);
    if (!last || blocksOf(last).some(({ toolResult }) => toolResult)) return undefined;
    return JSON.stringify(last.content);
  },
};
