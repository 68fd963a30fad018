import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ExactObject,
  exactJsonText,
  exactObjectIn,
  hasBigint,
  isPlainObject,
  type Json,
  type JsonObject,
  measureJson,
  type Reach,
  type Requester,
  withIntegerTexts,
  withRoundedIntegers,
} from '../../common/index.js';
import {
  type CallPreview,
  type ClientTime,
  fittedArguments,
  inexactInteger,
  restoredIntegers,
  SchemaValidator,
  type ToolCaller,
  type ToolDeclaration,
  ToolInvoker,
  ToolRegistry,
  type ToolRestriction,
  VALUE_LIMITS,
} from '../tools/index.js';
import type { ValidatedAnswer } from './ports/interrupt-store.js';
import type { InterruptAnswer, InterruptView } from './interrupt.types.js';
import { assertMayAnswer, decidedByOf, holdsUnder, isBoundTo, isEdited } from './approver.js';
import { Interrupts } from './ports/interrupts.js';

/** Answers that fit their interrupts, and whose interrupts they are. */
export interface ValidatedAnswers {
  readonly answers: readonly ValidatedAnswer[];
  readonly userId: string;
  readonly sessionId: string;
  /** The ids of the runs that opened them, in the order of the answers. */
  readonly runIds: readonly string[];
  /** The interrupts, in the order of the answers. */
  readonly views: readonly InterruptView[];
}

/** The run that continues with answers, as far as the policy asks for it. */
export interface ContinuedRun extends Pick<ToolCaller, 'authority' | 'agentType'> {
  readonly clientTools: readonly ToolDeclaration[];
  readonly toolRestrictions?: readonly ToolRestriction[];
  readonly clientTime?: ClientTime;
}

/** A valid answer, whoever gives it. */
type Answer = Omit<ValidatedAnswer, 'decidedBy'>;

/**
 * Validates answers against their interrupts: who may answer, what an approval may change, what an input
 * must look like. Whether an interrupt is still pending is checked when the answer is stored.
 */
@Injectable()
export class AnswerValidator {
  constructor(
    private readonly interrupts: Interrupts,
    private readonly tools: ToolRegistry,
    private readonly validator: SchemaValidator,
    private readonly invoker: ToolInvoker,
  ) {}

  /**
   * @throws AppError INTERRUPT_NOT_FOUND (unknown, foreign, or of different sessions),
   *   INVALID_PARAMETER (no decision, edits that are not allowed or not valid, an input that does not
   *   match its schema, two answers to one interrupt), PERMISSION_DENIED (an interrupt that the requester may not
   *   answer)
   * @param requester null without authentication
   */
  async validate(
    reach: Reach,
    requester: Requester | null,
    answers: readonly InterruptAnswer[],
  ): Promise<ValidatedAnswers> {
    const views = await Promise.all(answers.map((answer) => this.find(reach, answer.interruptId)));
    const [first] = views;
    if (!first) throw new AppError('INVALID_PARAMETER', 'At least one answer is required');
    if (new Set(views.map(({ id }) => id)).size < views.length) throw refusal('interruptId', 'is answered twice');
    const foreign = views.find((view) => view.sessionId !== first.sessionId || view.userId !== first.userId);
    if (foreign) throw new AppError('INTERRUPT_NOT_FOUND');
    for (const view of views) assertMayAnswer(view, requester);
    const decidedBy = requester && decidedByOf(requester);
    const validated: ValidatedAnswer[] = [];
    for (const [index, view] of views.entries()) {
      const answer = answers[index];
      if (answer) validated.push({ decidedBy, ...(await this.validateOne(view, answer)) });
    }
    const { userId, sessionId } = first;
    return { answers: validated, userId, sessionId, runIds: views.map(({ runId }) => runId), views };
  }

  /**
   * Decides edited arguments anew by the policy: an approval holds for no call that another rule asks about.
   * Tools that only the process which executes the run has are checked there, before the call.
   *
   * @param requester whoever answers; null without authentication
   * @throws AppError PERMISSION_DENIED; INVALID_PARAMETER for arguments that the tool does not accept, and where the tool
   *   that was meant is not available
   */
  async assertEdits(
    reach: Reach,
    requester: Requester | null,
    { answers, views }: Pick<ValidatedAnswers, 'answers' | 'views'>,
    run: ContinuedRun,
  ): Promise<void> {
    if (!answers.some(isEdited)) return;
    const tools = await this.tools.toolSet(run.clientTools, {
      authority: run.authority,
      restrictions: run.toolRestrictions,
    });
    for (const [index, answer] of answers.entries()) {
      const view = views[index];
      if (!view || !isEdited(answer)) continue;
      const resolved = tools.resolve(view.toolName ?? '');
      if (resolved.kind !== 'server' && this.tools.hasToolsAtWorkersOnly) continue;
      if (resolved.kind !== 'server' || !isBoundTo(view, resolved.tool)) throw unavailable(view);
      const principal = { tenantId: reach.tenantId, userId: view.userId };
      const { authority, agentType, clientTime } = run;
      const caller = { principal, authority, agentType, timeZone: clientTime?.device_timezone ?? 'UTC' };
      const args = exactArguments(answer.decision);
      const preview = this.invoker.preview(resolved.tool, args, caller);
      if ('problem' in preview) throw refusal('arguments', `are not valid: ${preview.problem}`);
      assertSameRule(preview, view, { requester, run });
    }
  }

  private async find(reach: Reach, id: string): Promise<InterruptView> {
    const view = await this.interrupts.find(reach, id);
    if (!view) throw new AppError('INTERRUPT_NOT_FOUND');
    return view;
  }

  private validateOne(view: InterruptView, answer: InterruptAnswer): Promise<Answer> | Answer {
    if (answer.status === 'cancelled') return { id: view.id, status: 'cancelled', decision: withReason({}, answer) };
    return view.kind === 'approval' ? this.validateApproval(view, answer) : this.validateInput(view, answer);
  }

  private async validateApproval(view: InterruptView, answer: InterruptAnswer): Promise<Answer> {
    const approve = answer.approve ?? approvalIn(answer.payload);
    if (approve === undefined) throw refusal('approve', 'is required: true or false');
    const { editedArguments: edited } = answer;
    if (!approve || edited === undefined) {
      return { id: view.id, status: approve ? 'approved' : 'denied', decision: withReason({ approve }, answer) };
    }
    if (!view.mayEdit) throw refusal('arguments', 'must not be changed for this approval');
    const tool = view.toolName === null ? undefined : await this.tools.find(view.toolName);
    // Otherwise whoever executes the run validates them before the call.
    if (!tool && !this.tools.hasToolsAtWorkersOnly) throw unavailable(view);
    refuseTooLarge('arguments', edited);
    const args = editedArguments(edited, view);
    refuseTooLarge('arguments', args);
    const fitted = tool ? fittedArguments(args, tool) : { args };
    if ('problem' in fitted) throw refusal('arguments', `are not valid: ${fitted.problem}`);
    const isChecked = tool !== undefined && tool.isUnchecked !== true;
    const violation = isChecked && this.validator.violation(tool.parameters, withRoundedIntegers(fitted.args));
    if (violation) throw refusal('arguments', `are not valid: ${violation}`);
    const decision: JsonObject = { approve, arguments: withIntegerTexts(args) };
    if (hasBigint(args)) decision['argumentsText'] = exactJsonText(args) ?? '{}';
    return { id: view.id, status: 'approved', decision: withReason(decision, answer) };
  }

  private validateInput(view: InterruptView, answer: InterruptAnswer): Answer {
    refuseTooLarge('payload', answer.payload);
    const payload = answer.payload ?? null;
    const violation = view.responseSchema && this.validator.violation(view.responseSchema, payload);
    if (violation) throw refusal('payload', `is not valid: ${violation.replace('the arguments object', 'it')}`);
    return { id: view.id, status: 'answered', decision: withReason({ payload }, answer) };
  }
}

/** Edited arguments, with the integers of the model where they were left. */
function editedArguments(edited: Json, { modelArguments }: InterruptView): ExactObject {
  const args = restoredIntegers(edited, exactObjectIn(modelArguments ?? ''));
  if (!isPlainObject(args)) throw refusal('arguments', 'must be an object');
  const inexact = inexactInteger(args);
  if (inexact === undefined) return args;
  const rule = `have the integer ${inexact}, which is beyond 2^53 and need not be the one that was meant`;
  throw refusal('arguments', `${rule}; the Agent API takes arguments as JSON text`);
}

/** The arguments of a decision, as they are executed. */
function exactArguments({ arguments: args, argumentsText: exact }: JsonObject): JsonObject {
  const read = typeof exact === 'string' ? exactObjectIn(exact) : undefined;
  return (read ?? args ?? {}) as JsonObject;
}

/** @throws AppError PERMISSION_DENIED where the approval does not hold for the call with its new arguments */
function assertSameRule(
  { decision, ruleKey }: Extract<CallPreview, { readonly decision: unknown }>,
  view: InterruptView,
  { requester: by, run }: { readonly requester: Requester | null; readonly run: ContinuedRun },
): void {
  // The model learns of a denial.
  if (decision.effect !== 'ask') return;
  const { approvers, mayEdit } = decision;
  const startedBy = run.authority?.actor ?? null;
  const rule = { key: ruleKey, mayEdit, approvers: approvers && Object.assign({}, approvers, { startedBy }) };
  if (holdsUnder(rule, view, { isEdited: true, by })) return;
  throw new AppError(
    'PERMISSION_DENIED',
    'With these arguments, the call needs an approval under another rule of the policy: deny this one, and let the agent ask again',
  );
}

function unavailable({ toolName }: InterruptView): AppError {
  return refusal('arguments', `cannot be validated: the tool ${toolName} is not available`);
}

/** The decision in a payload, which some clients send instead of `approve`. */
function approvalIn(payload: InterruptAnswer['payload']): boolean | undefined {
  if (!isPlainObject(payload)) return undefined;
  const value = payload['approved'] ?? payload['approve'];
  return typeof value === 'boolean' ? value : undefined;
}

function withReason(decision: JsonObject, { reason }: InterruptAnswer): JsonObject {
  return reason === undefined ? decision : Object.assign({}, decision, { reason });
}

/** Before anything copies it or applies a schema to it. */
function refuseTooLarge(path: string, value: unknown): void {
  const { problem } = measureJson(value, VALUE_LIMITS);
  if (problem !== undefined) throw refusal(path, problem);
}

function refusal(path: string, rule: string): AppError {
  const message = `${path} ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}
