import type { Json, JsonObject } from '../../common/index.js';
import type { ErrorModel, InterruptEvent, OpenInterrupt, Usage } from '../../events/index.js';
import type { A2aMessage, Part, StatusUpdate, TaskIds, TaskStatus } from './a2a.types.js';

/** The run that a message of a status is about. */
type OfRun = TaskIds & { readonly runId: string };

/** One open question as a data part (contract a2a, section 9.1). */
export interface Question {
  readonly type: 'approval_request' | 'input_request' | 'client_tool_call';
  readonly id: string;
  readonly callId?: string | undefined;
  readonly tool?: Json | undefined;
  readonly arguments?: Json | undefined;
  readonly [name: string]: Json | undefined;
}

/**
 * The status of a run that waits: the question as a text for people, and as data for programs (contract a2a, section 9.1).
 *
 * @param calls those of the client's tools that wait for their results
 */
export function questionOf(
  run: OfRun,
  event: InterruptEvent,
  calls: readonly Question[],
  { at, isOutOfBand }: { readonly at: number; readonly isOutOfBand: boolean },
): TaskStatus {
  const items = event.items.length > 0 || calls.length > 0 ? event.items : [itemOf(event)];
  const questions = [...items.map(questionItem), ...calls];
  const isAuth = isOutOfBand && calls.length === 0 && items.every(({ kind }) => kind === 'approval');
  const text = questions.map((question) => sentenceOf(question, isAuth)).join('\n');
  const data = questions.map((question): Part => ({ data: present(question), mediaType: 'application/json' }));
  const parts = isAuth ? [{ text }] : [{ text }, ...data];
  return { state: isAuth ? 'auth-required' : 'input-required', at, message: ofAgent(run, `q_${run.runId}`, parts) };
}

/** The status of a run that failed: one text, and the code (contract a2a, section 6.3). */
export function failedStatus(
  run: OfRun,
  error: ErrorModel | null,
  { at, isRejected = false }: { readonly at: number; readonly isRejected?: boolean },
): StatusUpdate {
  const { code = 'AGENT_ERROR', message: sentence = 'The agent failed' } = error ?? {};
  const metadata = { code, ...(code === 'TIMEOUT' && { timedOut: true }) };
  const message = { ...ofAgent(run, `s_${run.runId}`, [{ text: sentence || code }]), metadata };
  return { kind: 'status', status: { state: isRejected ? 'rejected' : 'failed', at, message }, metadata };
}

/** The last update of a task whose questions were given up, or were answered by nobody in time (contract a2a, section 6.2). */
export function closedStatus(run: OfRun, { isExpired, at }: { isExpired: boolean; at: number }): StatusUpdate {
  if (!isExpired) return { kind: 'status', status: { state: 'canceled', at } };
  return failedStatus(run, { code: 'INTERRUPT_EXPIRED', message: 'Nobody answered in time' }, { at });
}

/** What a run has used, for a client that asked for progress. */
export function usageMetadata(usage: Usage): JsonObject {
  const {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens,
    reasoning_tokens,
    cached_tokens,
  } = usage;
  return {
    type: 'usage',
    inputTokens,
    outputTokens,
    totalTokens: total_tokens ?? inputTokens + outputTokens,
    ...(reasoning_tokens !== undefined && { reasoningTokens: reasoning_tokens }),
    ...(cached_tokens !== undefined && { cachedInputTokens: cached_tokens }),
  };
}

function ofAgent({ taskId, contextId }: OfRun, messageId: string, parts: readonly Part[]): A2aMessage {
  return { messageId, role: 'agent', taskId, contextId, parts };
}

/** The question of an event that lists none: an agent of a team may end a run so. */
function itemOf({ id, reason, message, response_schema }: InterruptEvent): OpenInterrupt {
  return {
    id,
    kind: reason === 'approval' ? 'approval' : 'input',
    call_id: null,
    tool_name: null,
    arguments: null,
    server_label: null,
    reason: null,
    message,
    response_schema,
    may_edit: false,
    expires_at: null,
  };
}

function questionItem(item: OpenInterrupt): Question {
  return {
    type: item.kind === 'approval' ? 'approval_request' : 'input_request',
    id: item.id,
    tool: item.tool_name ?? undefined,
    callId: item.call_id ?? undefined,
    arguments: item.arguments === null ? undefined : argumentsOf(item.arguments),
    serverLabel: item.server_label ?? undefined,
    reason: item.reason ?? undefined,
    message: item.message ?? undefined,
    mayEdit: item.kind === 'approval' ? item.may_edit : undefined,
    expiresAt: item.expires_at === null ? undefined : new Date(item.expires_at).toISOString(),
    responseSchema: item.response_schema ?? undefined,
  };
}

function sentenceOf({ type, tool, arguments: args, message, callId, id }: Question, isAuth: boolean): string {
  if (type === 'input_request') return typeof message === 'string' && message !== '' ? message : 'An input is needed.';
  const name = typeof tool === 'string' ? tool : (callId ?? id);
  const json = JSON.stringify(args ?? {});
  if (type === 'client_tool_call') return `${name} is to be called by the client, with ${json}.`;
  return `${name} wants to run with ${json}. ${isAuth ? 'A person has to decide.' : 'Answer "approve" or "deny".'}`;
}

function argumentsOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function present(question: Question): JsonObject {
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== undefined)) as JsonObject;
}
