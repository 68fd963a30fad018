import type { JsonObject } from '../../../common/index.js';
import { CALL_PERMISSION, type Message, type OpenInterrupt, textOf } from '../../../events/index.js';
import type { AskedInterrupt, SettledInterrupt } from '../../interrupt/index.js';
import type { AgentContext, AgentOutcome } from '../../agent.js';
import { answerWith, refuseCall } from '../../loop/answer-call.js';
import { writeRequest } from '../../loop/approvals.js';
import { CallIds } from '../../loop/call-ids.js';
import { refusalOf, unapproved } from '../../loop/decided-calls.js';
import { callsOf, isCallOutput, outputsOf } from '../../prompt/tool-traffic.js';
import { waitingOutcome } from './remote-outcome.js';

/** How the ids of calls begin that stand for a message to a remote agent. */
const PREFIX = 'confirm_';
/** Metadata of a sentence of ours that no upstream gets: the call that it is about. */
const ABOUT = 'remote_confirmation';
/** The step of a question that is asked. */
const STEP = 'remote:confirm';
/** What the call of a message that may be sent results in. */
const SENT = 'Approved: the message goes to the agent.';
/** The most of the words that a person is shown, in characters. The last ones are kept. */
const MOST_SHOWN = 16 * 1024;

/** What a conversation has to do with the confirmations of one remote agent. */
export interface Confirmations {
  /** The ids of messages that the agent does not get: what was not approved, and the questions themselves. */
  readonly withheld: ReadonlySet<string>;
  /** What the user says to the agent that nobody was asked about. */
  readonly open: readonly Message[];
}

/** What confirmations are read from. */
export interface ConfirmationSetting {
  /** The remote agent. */
  readonly agent: string;
  /** How many messages of the history are older than the last exchange with it: they were sent. */
  readonly sent: number;
}

/**
 * Reads what was asked of people before messages went to a remote agent (`confirm`). A call stands for the words before
 * it, and its result for the decision.
 */
export function confirmationsIn(
  { history, input, resumption }: Pick<AgentContext, 'history' | 'input' | 'resumption'>,
  { agent, sent }: ConfirmationSetting,
): Confirmations {
  const messages = [...history, ...input];
  const approved = new Set([
    ...messages
      .filter((one) => isCallOutput(one) && one.metadata?.['denied'] !== true)
      .flatMap(outputsOf)
      .map(({ callId }) => callId),
    ...resumption.approvals.filter(({ status }) => status === 'approved').map(({ callId }) => callId),
  ]);
  const withheld = new Set<string>();
  let open: Message[] = [];
  for (const [index, message] of messages.entries()) {
    if (index === sent) open = [];
    const calls = callsOf(message).filter(({ id }) => id.startsWith(PREFIX));
    const isOurs = calls.length > 0 || outputsOf(message).some(({ callId }) => callId.startsWith(PREFIX));
    if (isOurs || message.metadata?.[ABOUT] !== undefined) withheld.add(message.id);
    else if (isWords(message)) open.push(message);
    if (!calls.some(({ name }) => name === agent)) continue;
    if (!calls.some(({ id }) => approved.has(id))) for (const { id } of open) withheld.add(id);
    open = [];
  }
  return { withheld, open };
}

/** A conversation without what the agent does not get. */
export function withoutWithheld<Context extends Pick<AgentContext, 'history' | 'input'>>(
  context: Context,
  { withheld }: Confirmations,
): Context {
  if (withheld.size === 0) return context;
  const isSent = ({ id }: Message): boolean => !withheld.has(id);
  return Object.assign({}, context, {
    history: context.history.filter(isSent),
    input: context.input.filter(isSent),
  });
}

/** What a remote agent asks with. */
export interface ConfirmationQuestion extends ConfirmationSetting {
  /** Whether anything has to be asked. Decisions count in any case. */
  readonly isRequired: boolean;
  /** The same for the same upstream. */
  readonly hash: string;
  /** How long the question waits, in milliseconds. */
  readonly expiresInMs: number;
}

/**
 * Lets a person approve a message before it goes to a remote agent: shows what was decided, and asks for what was not.
 *
 * @returns how the run ends without the agent; undefined: the agent may be asked
 */
export async function confirmed(
  context: AgentContext,
  question: ConfirmationQuestion,
): Promise<AgentOutcome | undefined> {
  const decided = context.resumption.approvals.filter(
    ({ callId, toolName }) => callId?.startsWith(PREFIX) === true && toolName === question.agent,
  );
  for (const one of decided) await showDecision(context, one);
  const refused = decided.find(({ status }) => status !== 'approved');
  const { open } = confirmationsIn(context, question);
  if (question.isRequired && (open.length > 0 || !isContinuation(context))) return ask(context, open, question);
  if (!refused || open.length > 0 || decided.some(({ status }) => status === 'approved')) return undefined;
  sayRefusal(context, refused);
  return { kind: 'completed' };
}

/** True for a run that goes on with what was allowed: after a decision, with an answer or with results of the client. */
function isContinuation({ resumption, input }: AgentContext): boolean {
  return resumption.approvals.length > 0 || resumption.inputs.length > 0 || input.some(isCallOutput);
}

async function showDecision(context: AgentContext, one: SettledInterrupt): Promise<void> {
  const call = { callId: one.callId ?? '', name: one.toolName ?? '', arguments: one.argumentsText };
  const approval = { approvalId: one.id, outputType: 'plugin_call_output' } as const;
  if (one.status !== 'approved') {
    await refuseCall(context, call, approval, { sentence: refusalOf(one), why: unapproved(one) });
    return;
  }
  await answerWith(context, { callId: call.callId, name: call.name, output: SENT, isError: false }, call, approval);
}

/** Tells the user that the agent was not asked. */
function sayRefusal(context: AgentContext, { status, callId, decision }: SettledInterrupt): void {
  const why = status === 'expired' ? 'it was not approved in time' : 'it was not approved';
  const said = decision?.['reason'];
  const reason = typeof said === 'string' && said !== '' ? ` The reason: ${said}` : '';
  const message = context.response.createMessageBuilder('assistant', 'message');
  message.created();
  message.inProgress();
  message.createContentBuilder('text').addTextDelta(`The message was not sent to the agent: ${why}.${reason}`);
  message.complete({ metadata: { [ABOUT]: callId } });
}

/** Asks once, in all attempts of the run. */
function ask(context: AgentContext, open: readonly Message[], question: ConfirmationQuestion): AgentOutcome {
  const { journal, response } = context;
  const stored = journal.finished(STEP, question.hash)?.output['item'];
  if (stored) return outcomeOf(stored as unknown as OpenInterrupt);
  const { agent, expiresInMs } = question;
  const call = { call_id: callIdFor(context), name: agent, arguments: JSON.stringify(argumentsOf(open)) };
  const shown = response.createMessageBuilder('assistant', 'plugin_call');
  shown.created({ metadata: { [CALL_PERMISSION]: 'possible' } });
  shown.inProgress();
  shown.createContentBuilder('data').addDataDelta(call);
  shown.complete({ metadata: { [CALL_PERMISSION]: 'needed' } });
  const request = response.createMessageBuilder('assistant', 'mcp_approval_request');
  const item: OpenInterrupt = {
    id: request.id.replace(/^msg_/, 'apr_'),
    kind: 'approval',
    call_id: call.call_id,
    tool_name: agent,
    arguments: call.arguments,
    server_label: 'local',
    reason: null,
    message: `The message goes to the remote agent ${agent}, with the conversation so far. Is that allowed?`,
    response_schema: null,
    may_edit: false,
    expires_at: Date.now() + expiresInMs,
  };
  writeRequest(request, item);
  journal.finish(STEP, question.hash, { item: item as unknown as JsonObject }, [shown.id, request.id]);
  return outcomeOf(item);
}

function outcomeOf(item: OpenInterrupt): AgentOutcome {
  const asked: AskedInterrupt = { item, key: null };
  return waitingOutcome([asked], []);
}

/** What a person decides about: the words, and how many files go with them. */
function argumentsOf(open: readonly Message[]): JsonObject {
  const words = open.map(textOf).filter(Boolean).join('\n\n');
  const message = words.length <= MOST_SHOWN ? words : `…${words.slice(-MOST_SHOWN).toWellFormed()}`;
  const files = open.flatMap(({ content }) => content ?? []).filter(({ type }) => FILES.has(type)).length;
  return { message, ...(files > 0 && { files }) };
}

const FILES: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'file']);

/** An id that no attempt of this run has shown. */
function callIdFor({ runId, history, input, shownCallIds, signal }: AgentContext): string {
  const known = [...history, ...input].flatMap(callsOf).map(({ id }) => id);
  const ids = new CallIds(runId, [...known, ...shownCallIds], signal);
  const wanted = `${PREFIX}${runId.replace(/[^A-Za-z0-9]/g, '').slice(-16)}`;
  for (let index = 0; ; index += 1) {
    const id = ids.next(0, index, wanted);
    if (id.startsWith(PREFIX)) return id;
  }
}

function isWords({ role, type }: Message): boolean {
  return role === 'user' && (type === 'message' || type === 'a2ui_action');
}
