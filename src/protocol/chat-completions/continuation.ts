import { Injectable } from '@nestjs/common';
import { AppError, fingerprint, type Json, type Reach } from '../../common/index.js';
import { type AgentResponse, CALL_TYPES, type Message, OUTPUT_TYPES } from '../../events/index.js';
import { type InterruptAnswer, Runs, type RunView } from '../../run/index.js';
import { OpenAiError } from '../openai/index.js';
import { APPROVAL_TOOL, callReference, completionDataOf, INPUT_TOOL } from './completion-info.js';
import { type DecodedMessage, NOT_ANSWERED, resultMessage } from './message.decoder.js';
import { callDataOf } from './told-calls.js';

/** A waiting run that the results of a request are for. */
export interface Continuation {
  readonly run: RunView;
  /** Its results, and what the user says behind them. */
  readonly input: readonly Message[];
  /** The same results make the same run. */
  readonly runKey: string;
}

/** Equal for equal messages, in whatever form a client sends them. */
export function digestOf(messages: readonly DecodedMessage[]): string {
  return fingerprint(messages.map(({ identity }) => identity));
}

/** The messages behind the last answer: what is new in a request. */
export function newMessages(messages: readonly DecodedMessage[]): readonly DecodedMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
}

/**
 * The answers to approvals and questions that a client got as calls (contract chat-completions, section C2).
 *
 * @throws OpenAiError for a result that is neither an approval nor a denial
 */
export function answersOf(messages: readonly DecodedMessage[]): readonly InterruptAnswer[] {
  const names = new Map(messages.flatMap(({ calls }) => calls.map(({ id, name }) => [id, name] as const)));
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return messages.slice(from).flatMap(({ result }, at) => {
    if (!result) return [];
    const name = names.get(result.callId);
    if (name === APPROVAL_TOOL) return [decisionOf(result, `messages[${from + at}].content`)];
    if (name === INPUT_TOOL) return [{ interruptId: result.callId, status: 'resolved', payload: jsonOf(result.text) }];
    return [];
  });
}

/** Finds the runs that wait for the results of requests (contract chat-completions, section B3). */
@Injectable()
export class Continuations {
  constructor(private readonly runs: Runs) {}

  /**
   * The run that waits for the results of a request.
   *
   * @param sessionId the session that the request names; without one the earlier messages must be those that the run
   *   was given, otherwise the run is closed
   * @returns undefined if the results are for no run
   */
  async find(
    reach: Reach,
    messages: readonly DecodedMessage[],
    sessionId: string | undefined,
  ): Promise<Continuation | undefined> {
    const fresh = newMessages(messages);
    const references = fresh.flatMap(({ result }) => callReference(result?.callId ?? '') ?? []);
    const [first] = references;
    if (!first || references.some(({ runId, token }) => runId !== first.runId || token !== first.token))
      return undefined;
    const run = await this.runs.view(reach, first.runId).catch(unknownRun);
    const data = run && completionDataOf(run);
    if (!run || data?.token !== first.token) return undefined;
    if (sessionId !== undefined) {
      if (run.sessionId !== sessionId) return undefined;
    } else if (data.digest !== digestOf(messages.slice(0, messages.length - fresh.length - 1))) {
      if (run.state === 'interrupted') await this.runs.cancel(reach, run.runId);
      return undefined;
    }
    const open = openCalls(await this.runs.response(reach, run.runId));
    const input = resultsFor(open, fresh);
    return input && { run, input, runKey: `results:${fingerprint([first.runId, digestOf(fresh)])}` };
  }
}

/** The calls of a run that have no output, in order. */
export function openCalls({ output }: AgentResponse): readonly string[] {
  const messages = output ?? [];
  const answered = new Set(
    messages.filter(({ type }) => OUTPUT_TYPES.includes(type)).map((one) => callDataOf(one).callId),
  );
  return messages
    .filter(({ type, status }) => type === 'function_call' && CALL_TYPES.includes(type) && status === 'completed')
    .map((message) => callDataOf(message).callId)
    .filter((id) => !answered.has(id));
}

/** The results under the ids of the log, those that are missing, and what follows them; undefined for an unknown call. */
function resultsFor(open: readonly string[], fresh: readonly DecodedMessage[]): readonly Message[] | undefined {
  const outputs = new Map<string, Message>();
  const others: Message[] = [];
  for (const { result, messages } of fresh) {
    const reference = result && callReference(result.callId);
    if (!reference) {
      if (!result) others.push(...messages);
      continue;
    }
    const callId = open[reference.position];
    const [message] = messages;
    if (callId === undefined || !message) return undefined;
    outputs.set(callId, resultMessage(message.id, callId, result.text));
  }
  const [some] = outputs.values();
  const missing = open.filter((id) => !outputs.has(id));
  missing.forEach((id, at) => outputs.set(id, resultMessage(`${some?.id ?? 'msg'}_${at}`, id, NOT_ANSWERED)));
  return [...outputs.values(), ...others];
}

function decisionOf({ callId, text }: { callId: string; text: string }, path: string): InterruptAnswer {
  const word = text.trim().toLowerCase();
  const answer = { interruptId: callId, status: 'resolved' } as const;
  if (word === 'approved' || word === 'denied') return { ...answer, approve: word === 'approved' };
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['approved'] === 'boolean') {
    const { approved, reason, arguments: edited } = value;
    return {
      ...answer,
      approve: approved,
      ...(typeof reason === 'string' && { reason }),
      ...(edited !== undefined && edited !== null && { editedArguments: edited }),
    };
  }
  const message = `${path} must be approved, denied, or a JSON object with the member approved`;
  throw new OpenAiError('INVALID_PARAMETER', message, path);
}

/** A text that is no JSON is a value by itself. */
function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function unknownRun(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
  throw error;
}
