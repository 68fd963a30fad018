import { Injectable } from '@nestjs/common';
import { fingerprint, isPlainObject, type Json, type JsonObject, userReach } from '../../common/index.js';
import { dataMessage, type Message } from '../../events/index.js';
import { Interrupts, type InterruptView } from '../../agent/interrupt/index.js';
import type { InterruptAnswer, RunChain } from '../../run/index.js';
import { SchemaValidator } from '../../agent/tools/index.js';
import { fieldError } from '../http/index.js';
import { A2aError } from './a2a.errors.js';
import { A2aSettings } from './a2a.settings.js';
import type { Part } from './a2a.types.js';
import { Tasks } from './tasks.js';

/** What a message to a task that waits does (contract a2a, section 9). */
export type FoundAnswers =
  /** The task goes on with them. */
  | { readonly kind: 'answers'; readonly answers: readonly InterruptAnswer[]; readonly outputs: readonly Message[] }
  /** All of it was answered so before. */
  | { readonly kind: 'repeat' }
  /** A message in place of an answer. */
  | { readonly kind: 'message' };

/** A data part that answers something. */
interface Answer {
  readonly type: 'approval' | 'input' | 'tool_result' | 'cancel';
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a task waits for. */
interface Open {
  readonly questions: readonly InterruptView[];
  /** The ids of the calls of the client's tools. */
  readonly calls: readonly string[];
}

const TYPES: readonly string[] = ['approval', 'input', 'tool_result', 'cancel'] satisfies Answer['type'][];
const YES: ReadonlySet<string> = new Set('approve approved yes y ok allow confirm 同意 批准 确认 是'.split(' '));
const NO: ReadonlySet<string> = new Set('deny denied no n reject 拒绝 不同意 否'.split(' '));

/** Matches the parts of a message with what its task has asked. */
@Injectable()
export class TaskAnswers {
  constructor(
    private readonly interrupts: Interrupts,
    private readonly tasks: Tasks,
    private readonly validator: SchemaValidator,
    private readonly settings: A2aSettings,
  ) {}

  /**
   * @throws AppError naming the part that cannot be an answer; A2aError UNSUPPORTED_OPERATION for what was answered
   *   otherwise
   */
  async of(chain: RunChain, parts: readonly Part[]): Promise<FoundAnswers> {
    const { last } = chain;
    const open: Open = {
      questions: await this.interrupts.pending(userReach(last), last.sessionId),
      calls: await this.openCalls(chain),
    };
    const given = parts.flatMap((part, index) => answerIn(part, `message.parts[${index}]`, open));
    if (given.length === 0) return this.textAlone(parts, open);
    const hasText = parts.some((part) => 'text' in part && part.text.trim() !== '');
    if (hasText && open.questions.length + open.calls.length > 1) {
      throw fieldError(
        'message.parts',
        'must not mix answers and text: several questions are open',
        'INVALID_PARAMETER',
      );
    }
    const answers: InterruptAnswer[] = [];
    const outputs: Message[] = [];
    let repeats = 0;
    const seen = new Set<string>();
    for (const answer of given) {
      const id = answer.type === 'tool_result' ? callOf(answer, open) : this.questionOf(answer, open);
      if (seen.has(id))
        throw fieldError(answer.path, 'answers a question that another part answers', 'INVALID_PARAMETER');
      seen.add(id);
      if (answer.type === 'tool_result') {
        outputs.push(outputOf(answer, id, open));
        continue;
      }
      const decided = interruptAnswer(answer, id);
      if (open.questions.some((question) => question.id === id)) answers.push(decided);
      else if (await this.isRepeated(chain, answer, decided)) repeats += 1;
    }
    if (answers.length === 0 && outputs.length === 0 && repeats > 0) return { kind: 'repeat' };
    const missing = open.calls.filter((id) => outputs.length > 0 && !seen.has(id));
    if (missing.length > 0) {
      const rule = `must have the results of all calls at once; missing: ${missing.join(', ')}`;
      throw fieldError('message.parts', rule, 'INVALID_PARAMETER');
    }
    return { kind: 'answers', answers, outputs };
  }

  /** The calls of the client's tools that a task waits for: as its status tells. */
  private async openCalls(chain: RunChain): Promise<readonly string[]> {
    const { fold } = await this.tasks.read(chain);
    const parts = fold.current.message?.parts ?? [];
    return parts.flatMap((part) => {
      const data = 'data' in part && isPlainObject(part.data) ? part.data : {};
      return data['type'] === 'client_tool_call' && typeof data['callId'] === 'string' ? [data['callId']] : [];
    });
  }

  /** A message of nothing but text (contract a2a, section 9.3). */
  private textAlone(parts: readonly Part[], { questions, calls }: Open): FoundAnswers {
    const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
    if (texts.length < parts.length || calls.length > 0) return { kind: 'message' };
    const text = texts.join('').trim();
    const word = text.toLowerCase();
    const [first] = questions;
    const isDecision = this.settings.textDecisions && (YES.has(word) || NO.has(word));
    if (isDecision && questions.length > 1 && questions.some(({ kind }) => kind === 'approval')) {
      const rule = 'cannot decide: several questions are open. Send a data part for each';
      throw fieldError('message.parts', rule, 'INVALID_PARAMETER');
    }
    if (!first || questions.length > 1) return { kind: 'message' };
    if (first.kind === 'approval') {
      if (!isDecision) return { kind: 'message' };
      return answering({ interruptId: first.id, status: 'resolved', approve: YES.has(word) });
    }
    const schema = first.responseSchema;
    for (const payload of [text, { text }]) {
      if (schema === null || !this.validator.violation(schema, payload)) {
        return answering({ interruptId: first.id, status: 'resolved', payload });
      }
    }
    return { kind: 'message' };
  }

  /** The id of the question that a part answers; it may be left out where one of its kind is open. */
  private questionOf({ type, data, path }: Answer, { questions }: Open): string {
    const id = data['id'] ?? data['interruptId'];
    if (typeof id === 'string') return id;
    if (id !== undefined && id !== null) throw fieldError(`${path}.data.id`, 'must be a string');
    const ofKind = type === 'cancel' ? questions : questions.filter(({ kind }) => kind === type);
    const [only, another] = ofKind;
    if (only && !another) return only.id;
    throw fieldError(
      `${path}.data.id`,
      ofKind.length === 0 ? 'answers nothing that is open' : 'is required: several questions are open',
      'INVALID_PARAMETER',
    );
  }

  /** @throws AppError for an unknown question; A2aError for one that was answered otherwise */
  private async isRepeated({ root }: RunChain, { path }: Answer, answer: InterruptAnswer): Promise<boolean> {
    const view = await this.interrupts.find(userReach(root), answer.interruptId);
    if (view?.sessionId !== root.sessionId)
      throw fieldError(`${path}.data.id`, 'names no open question of the task', 'INVALID_PARAMETER');
    if (isSame(view, answer)) return true;
    throw new A2aError('UNSUPPORTED_OPERATION', 'The question was answered already', { taskId: root.runId });
  }
}

function answering(answer: InterruptAnswer): FoundAnswers {
  return { kind: 'answers', answers: [answer], outputs: [] };
}

/** A data part that answers something, with the aliases that are taken (contract a2a, section 9.2). */
function answerIn(part: Part, path: string, { questions }: Open): readonly Answer[] {
  if (!('data' in part) || !isPlainObject(part.data)) return [];
  const { data } = part;
  const { type } = data;
  if (typeof type === 'string' && TYPES.includes(type)) return [{ type: type as Answer['type'], path, data }];
  const approvals = questions.filter(({ kind }) => kind === 'approval');
  const isBare = type === undefined && approvals.length === 1 && decisionIn(data) !== undefined;
  return isBare ? [{ type: 'approval', path, data }] : [];
}

function decisionIn(data: Readonly<Record<string, unknown>>): boolean | undefined {
  const value = data['approved'] ?? data['approve'] ?? data['confirmed'];
  return typeof value === 'boolean' ? value : undefined;
}

function interruptAnswer({ type, data, path }: Answer, interruptId: string): InterruptAnswer {
  const reason = data['reason'];
  if (reason !== undefined && reason !== null && typeof reason !== 'string')
    throw fieldError(`${path}.data.reason`, 'must be a string');
  const why = typeof reason === 'string' ? { reason } : {};
  if (type === 'cancel') return { interruptId, status: 'cancelled', ...why };
  if (type === 'input') {
    const value = (data['value'] ?? null) as Json;
    return { interruptId, status: 'resolved', payload: value, ...why };
  }
  const approve = decisionIn(data);
  if (approve === undefined) throw fieldError(`${path}.data.approved`, 'must be true or false', 'INVALID_PARAMETER');
  const edited = data['arguments'];
  const isEdited = edited !== undefined && edited !== null && approve;
  return { interruptId, status: 'resolved', approve, ...why, ...(isEdited && { editedArguments: edited as Json }) };
}

function isSame({ status, decision }: InterruptView, answer: InterruptAnswer): boolean {
  if (answer.status === 'cancelled') return status === 'cancelled';
  if (answer.approve === undefined)
    return status === 'answered' && fingerprint(decision?.['payload'] ?? null) === fingerprint(answer.payload ?? null);
  return status === (answer.approve ? 'approved' : 'denied') && answer.editedArguments === undefined;
}

function callOf({ data, path }: Answer, { calls }: Open): string {
  const id = data['callId'] ?? data['call_id'] ?? data['id'];
  if (typeof id === 'string') return id;
  const [only, another] = calls;
  if (only !== undefined && another === undefined) return only;
  throw fieldError(`${path}.data.callId`, 'is required', 'MISSING_PARAMETER');
}

/** The result of a call as a message of the run that goes on. */
function outputOf({ data, path }: Answer, callId: string, { calls }: Open): Message {
  if (!calls.includes(callId))
    throw fieldError(`${path}.data.callId`, 'names no open call of the task', 'INVALID_PARAMETER');
  const value = (data['output'] ?? null) as Json;
  const output = typeof value === 'string' ? value : JSON.stringify(value);
  const isError = data['isError'] === true || data['is_error'] === true;
  return dataMessage({
    id: `msg_of_${fingerprint([callId, output]).slice(0, 32)}`,
    role: 'tool',
    type: 'function_call_output',
    data: { call_id: callId, output } satisfies JsonObject,
    ...(isError && { metadata: { is_error: true } }),
  });
}
