import { Injectable } from '@nestjs/common';
import { AppError, canonicalJson, fingerprint, isPlainObject, userReach } from '../../common/index.js';
import { dataMessage, dataOf, type Message, OUTPUT_TYPES } from '../../events/index.js';
import { Interrupts, type InterruptView, isInterruptId } from '../../agent/interrupt/index.js';
import { type InterruptAnswer, Runs, type RunView } from '../../run/index.js';
import { TEXT_OUTPUT, UI_METADATA } from './ai-sdk-data.js';
import type { ChatRequest, ReportedDecision, ReportedOutput } from './chat-request.decoder.js';
import { looksLikeJson } from './client-json.js';
import { Turns } from './turns.js';

/** What the answers in a request do. */
export type FoundAnswers =
  /** The turn goes on with them. */
  | {
      readonly kind: 'answers';
      readonly answers: readonly InterruptAnswer[];
      /** The outputs of all calls that the client makes. */
      readonly input: readonly Message[];
      /** The same answers make the same run. */
      readonly runKey: string;
    }
  /** The turn has gone on with these very answers before. */
  | { readonly kind: 'joined'; readonly run: RunView }
  /** Outputs of some calls of the client: the turn waits for the others. */
  | { readonly kind: 'waiting' };

/** What the client reports in the parts of its last message. */
interface Reported {
  readonly decisions: readonly ReportedDecision[];
  readonly outputs: readonly ReportedOutput[];
}

const NOTHING: Reported = { decisions: [], outputs: [] };

/**
 * Matches what a client reports with what the ledger holds open (contract ui-message-stream, sections A3 and C). What
 * names nothing that is open decides nothing.
 */
@Injectable()
export class TurnAnswers {
  constructor(
    private readonly runs: Runs,
    private readonly turns: Turns,
    private readonly interrupts: Interrupts,
  ) {}

  /**
   * @param turn the last one of the chat, oldest run first
   * @throws AppError NOTHING_NEW, INTERRUPT_ALREADY_ANSWERED (by another decision), INTERRUPT_EXPIRED
   */
  async of(turn: readonly RunView[], run: RunView, request: ChatRequest): Promise<FoundAnswers> {
    const { last } = request;
    const reported = last.role === 'assistant' ? last : NOTHING;
    const isWaiting = run.state === 'interrupted';
    const pending = isWaiting ? await this.interrupts.pending(userReach(run), run.sessionId) : [];
    const open = isWaiting ? await this.openCalls(turn) : [];
    const { given, joined } = await this.newAnswers(turn, pending, request.answers);
    const answers = [...given, ...decisionsOn(pending, reported, given)];
    const outputs = open.flatMap((id) => reported.outputs.findLast(({ callId }) => callId === id) ?? []);
    const isComplete = outputs.length === open.length;
    if (answers.length > 0 || (outputs.length > 0 && isComplete)) {
      const input = isComplete ? outputs.map((output) => outputMessage(output)) : [];
      const runKey = `ui:${fingerprint(['answers', answers, isComplete ? outputs : []])}`;
      return { kind: 'answers', answers, input, runKey };
    }
    if (outputs.length > 0) return { kind: 'waiting' };
    return { kind: 'joined', run: await this.answered(turn, reported, joined) };
  }

  /**
   * The answers of the body without those that the turn has gone on with already, by this page or elsewhere, and the runs
   * that have.
   *
   * @throws AppError INTERRUPT_ALREADY_ANSWERED (in another way), INTERRUPT_EXPIRED
   */
  private async newAnswers(
    turn: readonly RunView[],
    pending: readonly InterruptView[],
    answers: readonly InterruptAnswer[],
  ): Promise<{ readonly given: readonly InterruptAnswer[]; readonly joined: readonly string[] }> {
    const given: InterruptAnswer[] = [];
    const joined: string[] = [];
    for (const answer of answers) {
      const isOpen = pending.some(({ id }) => id === answer.interruptId);
      const view = isOpen ? undefined : await this.asked(turn, answer.interruptId);
      if (!view || view.status === 'pending') given.push(answer);
      else if (view.status === 'expired') throw new AppError('INTERRUPT_EXPIRED');
      else if (!isAlike(answer, view)) throw new AppError('INTERRUPT_ALREADY_ANSWERED');
      else if (view.resumedByRunId !== null) joined.push(view.resumedByRunId);
    }
    return { given, joined };
  }

  /** A question that a run of the turn has asked; undefined for any other id. */
  private async asked(turn: readonly RunView[], id: string): Promise<InterruptView | undefined> {
    const [first] = turn;
    const view = first && isInterruptId(id) ? await this.interrupts.find(userReach(first), id) : undefined;
    return view && turn.some(({ runId }) => runId === view.runId) ? view : undefined;
  }

  /** The calls of the client that have no output in the turn, in order. */
  private async openCalls(turn: readonly RunView[]): Promise<readonly string[]> {
    const [responses, outputs] = await Promise.all([
      Promise.all(turn.map((run) => this.runs.response(userReach(run), run.runId))),
      Promise.all(turn.map((run) => this.turns.outputs(run))),
    ]);
    const messages = responses.flatMap(({ output }) => output ?? []);
    const answered = new Set(
      [...messages, ...outputs.flat()].filter(({ type }) => OUTPUT_TYPES.includes(type)).map(callIdOf),
    );
    return messages
      .filter(({ type, status }) => type === 'function_call' && status === 'completed')
      .map(callIdOf)
      .filter((id) => !answered.has(id));
  }

  /** The run with which the turn has gone on with the reported answers. */
  private async answered(turn: readonly RunView[], reported: Reported, joined: readonly string[]): Promise<RunView> {
    const found = new Set(joined);
    for (const { approvalId, approved } of reported.decisions) {
      const view = await this.asked(turn, approvalId);
      if (!view) continue;
      if (view.status === 'expired') throw new AppError('INTERRUPT_EXPIRED');
      if (view.status !== (approved ? 'approved' : 'denied')) throw new AppError('INTERRUPT_ALREADY_ANSWERED');
      if (view.resumedByRunId !== null) found.add(view.resumedByRunId);
    }
    for (const run of turn.slice(1)) {
      const given = await this.turns.outputs(run);
      const isSame = given.some((message) => {
        const { callId, output } = { callId: callIdOf(message), output: dataOf(message)?.['output'] };
        return reported.outputs.some((one) => one.callId === callId && one.output === output);
      });
      if (isSame) found.add(run.runId);
    }
    const run = turn.findLast(({ runId }) => found.has(runId));
    if (!run) throw new AppError('NOTHING_NEW', 'The last message answers nothing that is open');
    return run;
  }
}

function decisionsOn(
  pending: readonly InterruptView[],
  { decisions }: Reported,
  given: readonly InterruptAnswer[],
): readonly InterruptAnswer[] {
  const open = new Set(pending.map(({ id }) => id));
  for (const { interruptId } of given) open.delete(interruptId);
  return decisions
    .filter(({ approvalId }) => open.delete(approvalId))
    .map(({ approvalId, approved, reason }) => ({
      interruptId: approvalId,
      status: 'resolved',
      approve: approved,
      ...(reason !== undefined && { reason }),
    }));
}

/** Whether an answer says what was decided. */
function isAlike({ status, approve, payload }: InterruptAnswer, view: InterruptView): boolean {
  if (status === 'cancelled') return view.status === 'cancelled';
  if (view.kind === 'approval') {
    const given = approve ?? (isPlainObject(payload) ? (payload['approved'] ?? payload['approve']) : undefined);
    return view.status === (given === true ? 'approved' : 'denied');
  }
  return (
    view.status === 'answered' && canonicalJson(payload ?? null) === canonicalJson(view.decision?.['payload'] ?? null)
  );
}

function outputMessage({ callId, output, isText, isError }: ReportedOutput): Message {
  const metadata = {
    ...(isError && { is_error: true }),
    ...(isText && looksLikeJson(output) && { [UI_METADATA]: TEXT_OUTPUT }),
  };
  return dataMessage({
    id: `msg_of_${fingerprint([callId, output]).slice(0, 32)}`,
    role: 'tool',
    type: 'function_call_output',
    data: { call_id: callId, output },
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

function callIdOf(message: Message): string {
  const id = dataOf(message)?.['call_id'];
  return typeof id === 'string' ? id : '';
}
