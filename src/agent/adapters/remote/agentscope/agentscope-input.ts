import { assertUnreachable, type JsonObject } from '../../../../common/index.js';
import type { ModelMessage, ModelPart } from '../../../ports/model-client.js';
import type { Decision, GivenInput, Turn } from '../remote-kind.js';
import { callOf, confirmationOf } from './agentscope-ids.js';

/** How the server names itself in messages. */
const USER = 'user';
const ASSISTANT = 'assistant';
/** The result of a call that nobody has answered. */
const NO_ANSWER = 'No answer.';

/** The key of a question for the result of a call. */
export const RESULT_KEY = 'result:';

/** What an exchange begins with: answers to what the last one has asked, or messages. */
export function inputOf(turn: Turn): JsonObject | JsonObject[] {
  const { decisions, inputs, messages, news, context, id } = turn;
  if (decisions.length > 0) return confirmResult(decisions);
  const results = [...inputs.map(givenResult), ...(inputs.length > 0 ? [] : news).flatMap(toolResult)];
  const [first] = results;
  if (first) {
    const { replyId } = first;
    const blocks = results.filter((one) => one.replyId === replyId).map(({ block }) => block);
    return { type: 'EXTERNAL_EXECUTION_RESULT', reply_id: replyId, execution_results: blocks };
  }
  const instructions = context.instructions === '' ? [] : [message('system', 'system', [text(context.instructions)])];
  const said = [...instructions, ...foldedMessages(messages)];
  const last = said.at(-1) ?? message(USER, USER, [text('')]);
  // By its id the exchange is found again.
  return [...said.slice(0, -1), { ...last, id }];
}

/** True if an exchange begins with answers: it goes on with a reply that waits for them. */
export function isAnswer({ decisions, inputs, news }: Pick<Turn, 'decisions' | 'inputs' | 'news'>): boolean {
  return decisions.length > 0 || inputs.length > 0 || news.some(({ role }) => role === 'tool');
}

/** The calls that an exchange answers, as AgentScope names them. */
export function answeredCalls({ decisions, inputs, news }: Turn): readonly { replyId: string; callId: string }[] {
  return [
    ...decisions.map(({ requestId }) => confirmationOf(requestId)),
    ...inputs.map(({ key }) => callOf(key.slice(RESULT_KEY.length))),
    ...news.flatMap((one) => (one.role === 'tool' ? [callOf(one.callId)] : [])),
  ];
}

function confirmResult(decisions: readonly Decision[]): JsonObject {
  const asked = decisions.map(({ requestId, approve }) => ({ ...confirmationOf(requestId), approve }));
  const replyId = asked[0]?.replyId ?? '';
  const results = asked
    .filter((one) => one.replyId === replyId)
    .map(({ callId, name, input, approve }): JsonObject => {
      return { confirmed: approve, tool_call: { type: 'tool_call', id: callId, name, input, state: 'asking' } };
    });
  return { type: 'USER_CONFIRM_RESULT', reply_id: replyId, confirm_results: results };
}

interface CallResult {
  readonly replyId: string;
  readonly block: JsonObject;
}

function givenResult({ key, value, isRefused }: GivenInput): CallResult {
  const output = isRefused ? NO_ANSWER : typeof value === 'string' ? value : JSON.stringify(value);
  return resultOf(key.slice(RESULT_KEY.length), output, isRefused ? 'error' : 'success');
}

function toolResult(one: ModelMessage): CallResult[] {
  return one.role === 'tool' ? [resultOf(one.callId, one.content, 'success')] : [];
}

function resultOf(call: string, output: string, state: string): CallResult {
  const { replyId, callId, name } = callOf(call);
  return { replyId, block: { type: 'tool_result', id: callId, name, output, state } };
}

/** Messages of AgentScope: what an assistant says and does until the user's next message is one. */
function foldedMessages(messages: readonly ModelMessage[]): JsonObject[] {
  const folded: JsonObject[] = [];
  for (const one of messages) {
    const next = messageOf(one);
    const last = folded.at(-1);
    if (last?.['role'] === ASSISTANT && next['role'] === ASSISTANT) {
      last['content'] = [...(last['content'] as JsonObject[]), ...(next['content'] as JsonObject[])];
    } else folded.push(next);
  }
  return folded;
}

function messageOf(one: ModelMessage): JsonObject {
  switch (one.role) {
    case 'system':
      return message('system', 'system', [text(one.content)]);
    case 'user':
      return message(USER, USER, one.content.map(blockOf));
    case 'assistant':
      return message(ASSISTANT, ASSISTANT, [
        ...(one.content === '' ? [] : [text(one.content)]),
        ...one.toolCalls.map(({ id, name, arguments: input }): JsonObject => {
          return { type: 'tool_call', id, name, input, state: 'finished' };
        }),
      ]);
    case 'tool':
      return message(ASSISTANT, ASSISTANT, [
        { type: 'tool_result', id: one.callId, name: one.name, output: one.content, state: 'success' },
      ]);
    default:
      return assertUnreachable(one);
  }
}

function message(role: string, name: string, content: JsonObject[]): JsonObject {
  return { role, name, content };
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

function blockOf(part: ModelPart): JsonObject {
  switch (part.type) {
    case 'text':
      return text(part.text);
    case 'image':
      return dataBlock(part.url, part.mimeType ?? 'image/png', null);
    case 'audio':
      return dataBlock(`data:audio/${part.format};base64,${part.data}`, 'audio/wav', null);
    case 'file':
      return dataBlock(part.data ?? part.url ?? '', 'application/octet-stream', part.filename);
    default:
      return assertUnreachable(part);
  }
}

function dataBlock(address: string, type: string, name: string | null): JsonObject {
  const [, mediaType = type, data] = /^data:([^;,]+)?;base64,(.*)$/s.exec(address) ?? [];
  const source: JsonObject =
    data === undefined && /^https?:/.test(address)
      ? { type: 'url', url: address, media_type: type }
      : { type: 'base64', data: data ?? address, media_type: mediaType };
  return { type: 'data', source, ...(name !== null && { name }) };
}
