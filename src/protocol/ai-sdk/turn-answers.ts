import { Injectable } from '@nestjs/common';
import { AppError, fingerprint, userReach } from '../../common/index.js';
import { dataMessage, dataOf, type Message, OUTPUT_TYPES } from '../../events/index.js';
import { Interrupts, type InterruptView } from '../../interrupt/index.js';
import { type InterruptAnswer, Runs, type RunView } from '../../run/index.js';
import type { ChatRequest, ReportedDecision, ReportedOutput } from './chat-request.decoder.js';
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
    const { last, answers: given } = request;
    const reported = last.role === 'assistant' ? last : NOTHING;
    const isWaiting = run.state === 'interrupted';
    const pending = isWaiting ? await this.interrupts.pending(userReach(run), run.sessionId) : [];
    const open = isWaiting ? await this.openCalls(turn) : [];
    const answers = [...given, ...decisionsOn(pending, reported, given)];
    const outputs = open.flatMap((id) => reported.outputs.findLast(({ callId }) => callId === id) ?? []);
    const isComplete = outputs.length === open.length;
    if (answers.length > 0 || (outputs.length > 0 && isComplete)) {
      const input = isComplete ? outputs.map((output) => outputMessage(output)) : [];
      const runKey = `ui:${fingerprint(['answers', answers, isComplete ? outputs : []])}`;
      return { kind: 'answers', answers, input, runKey };
    }
    if (outputs.length > 0) return { kind: 'waiting' };
    return { kind: 'joined', run: await this.answered(turn, reported) };
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
  private async answered(turn: readonly RunView[], reported: Reported): Promise<RunView> {
    const last = turn.at(-1);
    const found = new Set<string>();
    for (const { approvalId, approved } of reported.decisions) {
      const view = last && (await this.interrupts.find(userReach(last), approvalId));
      if (!view || !turn.some(({ runId }) => runId === view.runId)) continue;
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

function outputMessage({ callId, output, isError }: ReportedOutput): Message {
  return dataMessage({
    id: `msg_of_${fingerprint([callId, output]).slice(0, 32)}`,
    role: 'tool',
    type: 'function_call_output',
    data: { call_id: callId, output },
    ...(isError && { metadata: { is_error: true } }),
  });
}

function callIdOf(message: Message): string {
  const id = dataOf(message)?.['call_id'];
  return typeof id === 'string' ? id : '';
}
