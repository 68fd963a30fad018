import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, fingerprint, isPlainObject, userReach } from '../../common/index.js';
import type { OpenInterrupt } from '../../events/index.js';
import { Interrupts, isInterruptId, openInterrupt } from '../../agent/interrupt/index.js';
import { type InterruptAnswer, Runs } from '../../run/index.js';
import { Calls, FORM_KEY, type McpCall } from './calls.js';
import { answerIn, formOf } from './fold/forms.js';
import { McpError } from './mcp.errors.js';
import { type McpSession, McpSessions } from './mcp-sessions.js';
import type { RpcId } from './mcp.types.js';

/** What the answers of a client have done. */
export interface Answered {
  /** The questions that it is asked again. */
  readonly missing: readonly OpenInterrupt[];
  /** Whether it has closed a form without a decision, or may not decide. */
  readonly isDismissed: boolean;
}

/** Errors of answers that come too late: somebody else was quicker. */
const LATE: readonly string[] = [
  'INTERRUPT_ALREADY_ANSWERED',
  'INTERRUPT_EXPIRED',
  'INTERRUPT_NOT_FOUND',
  'RUN_ID_CONFLICT',
];

/** Takes what people have answered in forms (contract mcp-server, section 7.1). */
@Injectable()
export class FormAnswers {
  constructor(
    private readonly runs: Runs,
    private readonly interrupts: Interrupts,
    private readonly calls: Calls,
    private readonly sessions: McpSessions,
  ) {}

  /**
   * The answer to a form on a stream of a session. It is in the ledger when this resolves.
   *
   * @param result undefined for an error of the client
   * @throws McpError INVALID_PARAMS with the status 400 for a question that the session was not asked, or an answer that
   *   does not fit; AppError PERMISSION_DENIED
   */
  async respond(id: RpcId, result: unknown, session: McpSession, caller: Caller): Promise<void> {
    const interruptId = String(id);
    const view = isInterruptId(interruptId) ? await this.interrupts.find(caller.reach, interruptId) : undefined;
    const owner = view && { tenantId: caller.tenantId, userId: view.userId };
    const call = view && owner && (await this.calls.find(userReach(owner), view.runId));
    if (!view || call?.data?.session !== session.id) {
      throw new McpError('INVALID_PARAMS', 'This session was not asked that', { status: 400 });
    }
    if (view.status !== 'pending') return;
    const found = answerIn(openInterrupt(view), isPlainObject(result) ? result : { action: 'cancel' });
    if (!found) throw new McpError('INVALID_PARAMS', 'The answer does not fit the form', { status: 400 });
    if (found.kind === 'dismissed') return this.sessions.dismiss(interruptId, caller.tenantId);
    try {
      await this.answer([found.answer], caller);
    } catch (error) {
      if (error instanceof AppError && error.code === 'PERMISSION_DENIED')
        await this.sessions.dismiss(interruptId, caller.tenantId);
      throw error;
    }
  }

  /**
   * The answers of a modern client to what its call has asked. Unknown ones are ignored, and those that are missing or do not
   * fit are asked for again.
   *
   * @param options.takesSome true: answers count although others are missing
   */
  async take(call: McpCall, responses: unknown, caller: Caller, { takesSome = false } = {}): Promise<Answered> {
    const given = isPlainObject(responses) ? responses : {};
    const questions = call.state === 'waiting' ? await this.calls.questions(call) : [];
    const open = questions.filter((item) => formOf(item, ''));
    const found = open.map((item) => ({
      item,
      answer: Object.hasOwn(given, item.id) ? answerIn(item, given[item.id]) : undefined,
    }));
    if (found.some(({ answer }) => answer?.kind === 'dismissed')) return { missing: [], isDismissed: true };
    const missing = found.filter(({ answer }) => !answer).map(({ item }) => item);
    const answers = found.flatMap(({ answer }) => (answer?.kind === 'answer' ? [answer.answer] : []));
    if (answers.length === 0 || (missing.length > 0 && !takesSome)) return { missing, isDismissed: false };
    try {
      await this.answer(answers, caller);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'PERMISSION_DENIED') return { missing: [], isDismissed: true };
      // What the agent's own schema refuses.
      if (error.code === 'INVALID_PARAMETER') return { missing: open, isDismissed: false };
      throw error;
    }
    return { missing: takesSome ? missing : [], isDismissed: false };
  }

  private async answer(answers: readonly InterruptAnswer[], caller: Caller): Promise<void> {
    const ids = answers.map(({ interruptId }) => interruptId).sort();
    const runKey = `${FORM_KEY}${fingerprint(ids).slice(0, 32)}`;
    try {
      await this.runs.answer(
        caller.reviewReach(caller.headerUser()),
        caller.requesterFor(caller.headerUser()),
        answers,
        { runKey },
      );
    } catch (error) {
      if (!(error instanceof AppError) || !LATE.includes(error.code)) throw error;
    }
  }
}
