import { isPlainObject, type JsonObject } from '../../../common/index.js';
import { dataOf, type Message } from '../../../events/index.js';
import type { AttachmentSource } from '../../attachment/index.js';
import type { AgentContext } from '../../agent.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { callsOf, imagesOf, isCall, isCallOutput, outputsOf } from '../../prompt/tool-traffic.js';
import { bareCall, toPrompt, withOwnAttachments } from '../../prompt/prompt.js';
import { validHistory } from '../../prompt/valid-history.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import { withSentFiles } from './remote-files.js';
import { asText } from './json-fields.js';
import type {
  DecidedCall,
  Decision,
  GivenDecision,
  GivenInput,
  KeptExchange,
  NamedMessage,
  Turn,
} from './remote-kind.js';
import type { RemoteNames } from './remote-names.js';

/** The member of a message's state that remote agents keep. */
const KEPT = 'remote_agent';

/** What earlier exchanges with one agent have kept with the messages of a conversation. */
export interface KeptExchanges {
  /** The last one; undefined if there is none. */
  readonly last: KeptExchange | undefined;
  /** The messages after it. */
  readonly since: readonly Message[];
  /** The exchanges that asked for approvals, by our interrupts. */
  readonly approvals: ReadonlyMap<string, { readonly requestId: string; readonly exchange: KeptExchange }>;
  /** The upstream's ids of calls, by ours. */
  readonly calls: ReadonlyMap<string, string>;
  /** The upstream's ids of messages, by ours. */
  readonly messages: ReadonlyMap<string, string>;
  /** Decisions that were not told yet, by our interrupts. */
  readonly decided: ReadonlyMap<string, GivenDecision>;
}

/** What is stored with the messages of a boundary. */
export function keptState(agent: string, exchange: KeptExchange): JsonObject {
  return { [KEPT]: { agent, ...exchange } as unknown as JsonObject };
}

/** What earlier runs have kept of their exchanges with an agent. */
export function keptIn({ history, providerStates = new Map() }: AgentContext, agent: string): KeptExchanges {
  let last: KeptExchange | undefined;
  let since = 0;
  const approvals = new Map<string, { requestId: string; exchange: KeptExchange }>();
  const calls = new Map<string, string>();
  const messages = new Map<string, string>();
  history.forEach(({ id }, index) => {
    const exchange = exchangeIn(providerStates.get(id), agent);
    if (!exchange) return;
    last = exchange;
    since = index + 1;
    for (const [interrupt, requestId] of Object.entries(exchange.approvals))
      approvals.set(interrupt, { requestId, exchange });
    for (const [own, theirs] of Object.entries(exchange.calls)) calls.set(own, theirs);
    for (const [own, theirs] of Object.entries(exchange.messages ?? {})) messages.set(own, theirs);
  });
  // What an earlier exchange has kept was told since.
  const decided = new Map(Object.entries(last?.decided ?? {}));
  return { last, since: history.slice(since), approvals, calls, messages, decided };
}

function exchangeIn(text: string | undefined, agent: string): KeptExchange | undefined {
  if (text?.includes(`"${KEPT}"`) !== true) return undefined;
  const state: unknown = JSON.parse(text);
  const kept: unknown = isPlainObject(state) ? state[KEPT] : undefined;
  return isPlainObject(kept) && kept['agent'] === agent ? (kept as unknown as KeptExchange) : undefined;
}

/** What else an exchange is made with. */
export interface TurnSetting {
  readonly round: number;
  readonly inputs: readonly GivenInput[];
  readonly before: JsonObject | undefined;
  /** See `RemoteProtocol`. */
  readonly isNamed: boolean;
  readonly canBranch: boolean;
}

/** What is asked of an upstream in one exchange (contract gateway, section C). */
export async function turnOf(
  context: AgentContext,
  config: RemoteAgentConfig,
  {
    names,
    attachments,
    kept,
  }: { readonly names: RemoteNames; readonly attachments: AttachmentSource; readonly kept: KeptExchanges },
  { round, inputs, before, isNamed, canBranch }: TurnSetting,
): Promise<Turn> {
  const { runId, sessionId, principal, history, input, subagent } = context;
  const { tenantId, userId } = principal;
  const conversation = names.of('conversation', config.name, tenantId, userId, sessionId, subagent?.path ?? '');
  const last = config.history === 'remote' ? kept.last : undefined;
  const isBranch = last !== undefined && !canBranch && (last.conversation ?? conversation) !== conversation;
  const after = isBranch ? undefined : last;
  const send = (messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> =>
    withSentFiles(withOwnAttachments(messages, principal, context.authority !== null), config.files, attachments);
  const whole = (): Promise<readonly ModelMessage[]> => {
    const { messages } = toPrompt('', [...history, ...input], context.providerStates, context.callEnds);
    return send(validHistory(messages, { systemAnywhere: true }));
  };
  const fresh = (messages: readonly Message[]): ModelMessage[] =>
    messages.flatMap((message) => newMessages(message, kept.calls));
  const all = isNamed ? namedMessages([...history, ...input], before, kept) : [];
  const named = await sentMessages(
    after && isNamed ? namedMessages([...kept.since, ...input], before, kept) : all,
    send,
  );
  return {
    context,
    round,
    id: names.of('run', config.name, runId, subagent?.path ?? '', round),
    conversation,
    user: userName(config, names, tenantId, userId),
    messages: isNamed ? [] : await (after ? send(fresh([...kept.since, ...input])) : whole()),
    whole: isNamed ? () => Promise.resolve([]) : whole,
    news: isNamed ? [] : await send(fresh(input)),
    named,
    known: all,
    after,
    isBranch,
    // The first exchange of a run tells them.
    decisions: round === 0 ? decisionsOf(context, kept) : [],
    inputs,
    before,
  };
}

/** The messages one by one, each with the upstream's id if it has one; then those of the exchange before. */
function namedMessages(
  messages: readonly Message[],
  before: JsonObject | undefined,
  kept: KeptExchanges,
): readonly NamedMessage[] {
  const said = (before?.['messages'] ?? []) as unknown as readonly Message[];
  const ids = new Map([...kept.messages, ...Object.entries((before?.['ids'] ?? {}) as Record<string, string>)]);
  return [...messages, ...said].flatMap((message) =>
    singleMessages(message, kept.calls).map((one) => ({ id: ids.get(message.id) ?? message.id, message: one })),
  );
}

/** Messages with their files as the upstream gets them. */
async function sentMessages(
  named: readonly NamedMessage[],
  send: (messages: readonly ModelMessage[]) => Promise<readonly ModelMessage[]>,
): Promise<readonly NamedMessage[]> {
  const sent: NamedMessage[] = [];
  for (const { id, message } of named) sent.push(...(await send([message])).map((one) => ({ id, message: one })));
  return sent;
}

/** A message by itself: a call without its result, too. */
function singleMessages(message: Message, calls: ReadonlyMap<string, string>): ModelMessage[] {
  if (!isCall(message)) return newMessages(message, calls);
  const toolCalls = callsOf(message).map((call) =>
    Object.assign({}, bareCall(call), { id: calls.get(call.id) ?? call.id }),
  );
  return toolCalls.length === 0 ? [] : [{ role: 'assistant', content: '', toolCalls }];
}

/** The decisions that a run was started with, and those that were kept because others were missing. */
export function givenDecisions(
  { resumption }: AgentContext,
  { approvals, decided }: KeptExchanges,
): ReadonlyMap<string, GivenDecision> {
  const given = new Map<string, GivenDecision>();
  for (const [id, decision] of decided) if (approvals.has(id)) given.set(id, decision);
  for (const { id, status, decision } of resumption.approvals) {
    if (!approvals.has(id)) continue;
    const said = decision?.['reason'];
    const why = status === 'expired' ? 'It was not approved in time.' : undefined;
    const reason = typeof said === 'string' && said !== '' ? said : why;
    given.set(id, { approve: status === 'approved', ...(reason !== undefined && { reason }) });
  }
  return given;
}

/** The decisions that are told now. Those of other agents are not. */
function decisionsOf(context: AgentContext, kept: KeptExchanges): readonly Decision[] {
  if (context.resumption.approvals.length === 0) return [];
  const calls = requestedCalls(context.history);
  return [...givenDecisions(context, kept)].flatMap(([id, { approve, reason }]): Decision[] => {
    const asked = kept.approvals.get(id);
    if (!asked) return [];
    const { handle, isKept, shown } = asked.exchange;
    const call = calls.get(id);
    return [{ requestId: asked.requestId, handle, isKept, shown, approve, reason, ...(call && { call }) }];
  });
}

/** The calls that people were asked to approve, by our interrupts. */
function requestedCalls(history: readonly Message[]): ReadonlyMap<string, DecidedCall> {
  const requests = history.filter(({ type }) => type === 'mcp_approval_request');
  return new Map(
    requests.map((message): [string, DecidedCall] => {
      const { id, name, arguments: text, server_label: label } = dataOf(message) ?? {};
      const callId = asText(message.metadata?.['call_id']);
      return [asText(id), { callId, name: asText(name), arguments: asText(text), label: asText(label) }];
    }),
  );
}

function userName(
  { name, user }: RemoteAgentConfig,
  names: RemoteNames,
  tenantId: string,
  userId: string,
): string | undefined {
  if (user === 'none') return undefined;
  return user === 'plain' ? userId : names.of('user', name, tenantId, userId);
}

/** One message for an upstream that knows those before it: results keep the upstream's ids of their calls. */
function newMessages(message: Message, calls: ReadonlyMap<string, string>): ModelMessage[] {
  if (!isCallOutput(message)) return toPrompt('', [message]).messages;
  return outputsOf(message).map(({ callId, output }) => {
    return { role: 'tool', callId: calls.get(callId) ?? callId, name: '', content: output, images: imagesOf(message) };
  });
}
