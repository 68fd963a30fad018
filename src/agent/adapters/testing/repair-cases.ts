import type { ToolDeclaration } from '../../tools/index.js';
import type { ModelMessage, ModelOptions } from '../../ports/model-client.js';
import { originOf } from '../chat-completions/model-address.js';
import { collect, request, user } from './collect.js';
import {
  type ChatBody,
  type ChatTool,
  type Refusal,
  type StrictRule,
  type StrictServer,
  strictServer,
} from './strict-server.js';
import { clientFor, MODEL, waits } from './upstream-client.js';

/** What must never be in a log. */
export const SECRET = 'the launch code of the silo is 0000';

/** A tool with a pattern in its schema. */
export const lookup: ToolDeclaration = {
  name: 'lookup',
  description: 'Finds things',
  parameters: { type: 'object', properties: { id: { type: 'string', pattern: '^a+$' } } },
};
/** A further tool with the same schema. */
export const second: ToolDeclaration = { ...lookup, name: 'second' };
/** A conversation with a call and its result. */
export const called: ModelMessage[] = [
  user(SECRET),
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_0001', name: 'lookup', arguments: '{"id":"a"}' }] },
  { role: 'tool', callId: 'call_0001', name: 'lookup', content: 'found' },
];
/** A conversation with two calls in one message. */
export const twoCalls: ModelMessage[] = [
  user(SECRET),
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'call_0001', name: 'lookup', arguments: '{}' },
      { id: 'call_0002', name: 'lookup', arguments: '{}' },
    ],
  },
  { role: 'tool', callId: 'call_0001', name: 'lookup', content: 'one' },
  { role: 'tool', callId: 'call_0002', name: 'lookup', content: 'two' },
];
/** A message with an image. */
export const image: ModelMessage = {
  role: 'user',
  content: [
    { type: 'text', text: SECRET },
    { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
  ],
};
/** A schema with a limit. */
export const schema = { type: 'object', properties: { n: { type: 'number', minimum: 1 } } };
/** Asks for an answer in this schema. */
export const asJson: ModelOptions = { responseFormat: { type: 'json_schema', name: 'answer', schema, strict: true } };

/** A rule that refuses some requests. */
export const when =
  (isRefused: (body: ChatBody) => boolean, refusal: Refusal): StrictRule =>
  (body) =>
    isRefused(body) ? refusal : undefined;
/** A rule that refuses a member of the body. */
export const has = (name: string, refusal: Refusal): StrictRule => when((body) => body[name] !== undefined, refusal);
/** A rule that refuses a member of messages. */
export const inMessages = (name: string, refusal: Refusal): StrictRule =>
  when(({ messages }) => messages.some((message) => message[name] !== undefined), refusal);
/** A refusal with a JSON body. */
export const json = (status: number, body: unknown): Refusal => ({ status, body });
/** The first letters of the roles of a request. */
export const roles = ({ messages }: ChatBody): string => messages.map(({ role }) => role[0]).join('');
/** The tools of a request. */
export const toolsOf = ({ tools = [] }: ChatBody): readonly ChatTool['function'][] =>
  tools.map((tool) => tool.function);
/** The contents of the messages of a request. */
export const contents = ({ messages }: ChatBody): readonly unknown[] => messages.map(({ content }) => content);
/** What pydantic says of a member that it does not know. */
export const detail = (name: string): object => ({
  type: 'extra_forbidden',
  loc: ['body', name],
  msg: 'Extra inputs are not permitted',
  input: SECRET,
});
/** The state of a server that wants its thoughts back; `HOST` stands for its address. */
export const thinking = {
  'chat-completions': { origin: 'HOST', reasoning: { field: 'reasoning_content', text: 'Hm.' } },
};
/** `called` with further members of the answer. */
export const answered = (fields: object = {}): ModelMessage[] =>
  called.map((message) => (message.role === 'assistant' ? { ...message, ...fields } : message));

/** A refusal and its repair. */
export interface RepairCase {
  readonly rules: readonly StrictRule[];
  readonly messages?: readonly ModelMessage[];
  readonly tools?: readonly ToolDeclaration[];
  readonly options?: ModelOptions;
  /** Requests of the first call. Default: two. */
  readonly requests?: number;
  readonly expected: (last: ChatBody) => void;
}

/** Rows by what they are about. */
export type RepairRows = Readonly<Record<string, RepairCase>>;

/** State of a server, whatever its port. */
function own(messages: readonly ModelMessage[], url: string): ModelMessage[] {
  const origin = JSON.stringify(originOf(new URL(url), MODEL));
  return JSON.parse(JSON.stringify(messages).replaceAll('"HOST"', origin)) as ModelMessage[];
}

/** Tests each row: the first call is repaired and logged without content, the second one needs no repair. */
export function itRepairs(rows: RepairRows): void {
  let server: StrictServer | undefined;
  let lines: string[];
  beforeEach(() => {
    waits.length = 0;
    lines = [];
  });
  afterEach(() => server?.close());

  it.each(Object.entries(rows))(
    '%s',
    async (_, { rules, messages = [user(SECRET)], tools, options, requests = 2, expected }) => {
      server = await strictServer(...rules);
      const client = clientFor(server.url, {}, (line) => lines.push(line));
      const asked = request(own(messages, server.url), tools, options);
      expect((await collect(client, asked)).text).toBe('ok');
      expect(server.seen).toHaveLength(requests);
      expected(server.seen.at(-1) as ChatBody);
      const repairs = lines.filter((line) => line.includes('refused'));
      expect(repairs).toHaveLength(requests - 1);
      expect(lines.join()).not.toMatch(/launch code|0000|sk-/);
      expect(client.info.profile?.repairs).toHaveLength(requests - 1);

      expect((await collect(client, asked)).text).toBe('ok');
      expect(server.seen).toHaveLength(requests + 1);
      expected(server.seen.at(-1) as ChatBody);
      expect(lines.filter((line) => line.includes('refused'))).toHaveLength(requests - 1);
      expect(waits).toEqual([]);
    },
  );
}
