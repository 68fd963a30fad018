import type { ChatBody, ChatMessage, StrictRule } from './strict-server.js';

/** What a model server takes, as its documentation and its users' reports say: a double refuses everything else. */
export interface ServerDouble {
  /** The host of its base URL; undefined for a server at any address. */
  readonly host?: string;
  /** For a server at any address: what its list of models says. */
  readonly ownedBy?: string;
  readonly model: string;
  /** Members of the body that it knows besides the common ones; absent: it ignores unknown ones. */
  readonly knows?: readonly string[];
  /** Members of the body that it refuses. */
  readonly refuses?: readonly string[];
  /** Values of `tool_choice`; an object is `named`. Default: all. */
  readonly choices?: readonly string[];
  /** Types of `response_format`. Default: all. */
  readonly formats?: readonly string[];
  /** Members that messages may have besides role and content; absent: all. */
  readonly messageMembers?: readonly string[];
  /** Rules for messages, by their names in `MESSAGE_CHECKS`. */
  readonly checks?: readonly (keyof typeof MESSAGE_CHECKS)[];
  readonly more?: (body: ChatBody) => string | undefined;
}

/** Members that every server knows. */
const COMMON = [
  'model',
  'messages',
  'stream',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'stop',
  'response_format',
];

const rolesOf = (messages: readonly ChatMessage[]): string =>
  messages.map(({ role, tool_calls: calls }) => (role === 'assistant' && calls ? 'c' : role[0])).join('');
const isOfResults = (one: ChatMessage): boolean => JSON.stringify(one).includes('of the tool results');
const isBlank = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.trim() === '';

/** What servers want of messages; each says what is wrong. */
export const MESSAGE_CHECKS = {
  systemFirst: ({ messages }) =>
    /.s/.test(rolesOf(messages)) ? 'System message must be at the beginning.' : undefined,
  noSystem: ({ messages }) => (/s/.test(rolesOf(messages)) ? 'System role not supported' : undefined),
  alternate: ({ messages }) => {
    const turns = rolesOf(messages).replace(/[stc]/g, '');
    return /^(ua)*u?$/.test(turns) ? undefined : `Conversation roles must alternate: ${turns}`;
  },
  noUserAfterTool: ({ messages }) =>
    rolesOf(messages).includes('tu') ? "Unexpected role 'user' after role 'tool'" : undefined,
  lastIsUser: ({ messages }) => (rolesOf(messages).endsWith('u') ? undefined : 'Last message must have role user'),
  singleCalls: ({ messages }) =>
    messages.some(({ tool_calls: calls }) => (calls?.length ?? 0) > 1)
      ? 'This model only supports single tool-calls at once!'
      : undefined,
  nineCharacters: ({ messages }) => {
    const ids = messages.flatMap(({ tool_call_id: id, tool_calls: calls = [] }) => [
      ...(id === undefined ? [] : [id]),
      ...calls.map((call) => call.id),
    ]);
    return ids.every((id) => /^[a-zA-Z0-9]{9}$/.test(id as string)) ? undefined : 'Tool call id must be 9 characters';
  },
  shortIds: ({ messages }) =>
    messages.every(({ tool_calls: calls = [] }) => calls.every(({ id }) => /^[a-zA-Z0-9_-]{1,40}$/.test(id)))
      ? undefined
      : 'string_above_max_length: tool_calls[0].id',
  answered: ({ messages }) => {
    const open = messages.flatMap((message, at) =>
      (message.tool_calls ?? []).filter(({ id }) => !messages.slice(at + 1).some(({ tool_call_id: of }) => of === id)),
    );
    return open.length === 0 ? undefined : "An assistant message with 'tool_calls' must be followed by tool messages";
  },
  strings: ({ messages }) =>
    messages.some(({ role, content }) => role !== 'user' && Array.isArray(content))
      ? 'content must be a string'
      : undefined,
  allStrings: ({ messages }) =>
    messages.some(({ content }) => Array.isArray(content) && content.every(({ type }) => type === 'text'))
      ? 'content must be a string'
      : undefined,
  noBlanks: ({ messages }) => (messages.some(isBlank) ? 'text content blocks must be non-empty' : undefined),
  noEmptyAssistant: ({ messages }) =>
    messages.some((one) => one.role === 'assistant' && !one.tool_calls && isBlank(one))
      ? 'assistant must not be empty'
      : undefined,
  resultNames: ({ messages }) => {
    const calls = messages.flatMap(({ tool_calls: made = [] }) => made);
    const nameOf = (id: unknown): string | undefined => calls.find((call) => call.id === id)?.function.name;
    const isNamed = messages.every(({ role, name, tool_call_id: id }) => role !== 'tool' || name === nameOf(id));
    return isNamed ? undefined : 'function_response.name must match';
  },
  dataUrls: (body) =>
    /"url":"https?:/.test(JSON.stringify(body.messages)) ? 'only data URLs are supported' : undefined,
  thoughtsBack: ({ messages }) =>
    messages.every(({ tool_calls: calls, reasoning_content: thought }) => !calls || typeof thought === 'string')
      ? undefined
      : 'The reasoning_content in the thinking mode must be passed back',
  thoughtsOfTurn: ({ messages }) => {
    const begin = messages.findLastIndex((one) => one.role === 'user' && !isOfResults(one));
    const odd = messages.slice(0, begin).find((message) => message['reasoning_content'] !== undefined);
    if (odd) return 'reasoning_content of an earlier turn in the input';
    const missing = messages.slice(begin).find((one) => one.tool_calls && typeof one['reasoning_content'] !== 'string');
    return missing && 'The reasoning_content in the thinking mode must be passed back';
  },
  thoughtsOfLastCalls: ({ messages }) => {
    const last = messages.findLast(({ tool_calls: calls }) => calls);
    const after = last ? messages.slice(messages.indexOf(last)) : [];
    const isOver = after.some((one) => one.role === 'user' && !isOfResults(one));
    return last && !isOver && !last['reasoning_content'] ? 'reasoning_content of the turn is missing' : undefined;
  },
  detailsBack: ({ messages }) =>
    messages.every((one) => !one.tool_calls || Array.isArray(one['reasoning_details']))
      ? undefined
      : 'reasoning_details are missing',
  signaturesBack: ({ messages }) =>
    messages.every(({ tool_calls: calls }) => !calls || calls[0]?.['extra_content'])
      ? undefined
      : 'missing a thought_signature',
  partsBack: ({ messages }) =>
    messages.every(({ tool_calls: calls, content }) => !calls || JSON.stringify(content).includes('"thinking"'))
      ? undefined
      : 'thinking parts are missing',
  crowded: ({ messages }) =>
    messages.some((one) => one.tool_calls && one.content && one['reasoning'])
      ? 'Cannot pass both content and thinking in an assistant message with tool calls!'
      : undefined,
  toolsForCalls: ({ messages, tools }) =>
    !tools && messages.some(({ role }) => role === 'tool') ? 'expects the `tools=` param' : undefined,
} satisfies Record<string, (body: ChatBody) => string | undefined>;

/** The rule of a strict server that takes what a double takes. */
export function rulesOf(double: ServerDouble): StrictRule {
  return (body) => {
    const problem = problemOf(double, body);
    return problem === undefined ? undefined : { status: 400, body: { error: { message: problem } } };
  };
}

function problemOf(
  { knows, refuses = [], choices, formats, messageMembers, checks = [], more }: ServerDouble,
  body: ChatBody,
): string | undefined {
  for (const name of Object.keys(body)) {
    if (refuses.includes(name)) return `Unsupported parameter: ${name}`;
    if (knows && !COMMON.includes(name) && !knows.includes(name)) return `property '${name}' is unsupported`;
  }
  if ('max_tokens' in body && 'max_completion_tokens' in body) return 'both limits are set';
  if ('tool_choice' in body && !body.tools) return 'tool_choice without tools';
  if ('parallel_tool_calls' in body && !body.tools) return 'parallel_tool_calls without tools';
  const choice = typeof body['tool_choice'] === 'object' ? 'named' : body['tool_choice'];
  if (choice !== undefined && choices && !choices.includes(choice as string)) return 'tool_choice is not supported';
  const format = (body['response_format'] as { type?: string } | undefined)?.type;
  if (format !== undefined && formats && !formats.includes(format)) return `response_format ${format}`;
  if (format === 'json_object' && !/json/i.test(JSON.stringify(body.messages))) return "must contain the word 'json'";
  return messageProblem(body, messageMembers, checks) ?? more?.(body);
}

function messageProblem(
  body: ChatBody,
  members: readonly string[] | undefined,
  checks: NonNullable<ServerDouble['checks']>,
): string | undefined {
  for (const message of body.messages) {
    const odd = Object.keys(message).find((name) => members && !['role', 'content', ...members].includes(name));
    if (odd !== undefined) return `messages: property '${odd}' is unsupported`;
  }
  return [...checks, 'answered' as const].map((name) => MESSAGE_CHECKS[name](body)).find((problem) => problem);
}
