import { Injectable } from '@nestjs/common';
import { IdFactory, isPlainObject } from '../../common/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { type AgUiEvent, AgUiRuns, normaliseRunInput, type StartedRun } from '../ag-ui-events/index.js';
import { requestPrincipal } from '../http/index.js';
import { type FrameEncoder } from '../wire/index.js';
import type { AgKitAccepted, AgKitAsker } from './ag-kit-intake.js';
import { agUiFrame } from './ag-ui.frames.js';

/** A run and the encoder of its stream, or the whole stream when there is nothing to run. */
export type AgUiAnswer =
  | { readonly kind: 'run'; readonly accepted: AgKitAccepted; readonly encoder: FrameEncoder }
  | { readonly kind: 'frames'; readonly frames: readonly string[] };

type Body = Readonly<Record<string, unknown>>;

/** Dialect B: AG-UI on the path of AG-Kit (contract ag-kit, section 6.2). */
@Injectable()
export class AgUiIntake {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly interrupts: Interrupts,
    private readonly ids: IdFactory,
  ) {}

  /**
   * Accepts a run. Ids that are missing or blank are made; an empty list of messages asks for an empty
   * run, which the mini-program's client needs to come to an end.
   *
   * @throws AppError as `AgUiRuns.start`
   */
  async answer(body: Body, { agentType, userId }: AgKitAsker): Promise<AgUiAnswer> {
    const input = this.completed(normaliseRunInput(body));
    const { threadId, runId, messages, resume } = input;
    const answers = Array.isArray(resume) && resume.length > 0;
    const command = answers ? undefined : commandOf(input);
    if (command !== undefined) input['resume'] = await this.commanded(String(threadId), command, userId);
    else if (!answers && Array.isArray(messages) && messages.length === 0)
      return empty(String(threadId), String(runId));
    const started = await this.runs.start(input, {
      wire: 'ag-kit',
      agentId: agentType,
      defaultAgent: agentType,
      userId,
      onBusy: 'reject',
    });
    if (started.kind === 'refused') return { kind: 'frames', frames: [agUiFrame(started.event)] };
    return { kind: 'run', ...this.accepted(started) };
  }

  private accepted(started: Extract<StartedRun, { kind: 'accepted' }>) {
    const { run, principal } = started;
    const encoder = this.runs.encoder(started, { frameOf: agUiFrame });
    return { accepted: { runId: run.runId, principal }, encoder };
  }

  private completed(input: Record<string, unknown>): Record<string, unknown> {
    for (const [key, prefix] of [
      ['threadId', ''],
      ['runId', 'run_'],
    ] as const) {
      const value = input[key];
      if (value === undefined || (typeof value === 'string' && value.trim() === '')) input[key] = this.ids.next(prefix);
    }
    return input;
  }

  /** The vendor's older way to resume: it names no question, so it answers the first that is open. */
  private async commanded(threadId: string, payload: unknown, userId: string | undefined): Promise<unknown[]> {
    const { tenantId } = requestPrincipal(undefined);
    const scope = userId === undefined ? { tenantId } : { tenantId, userId };
    const [asked] = await this.interrupts.pending(scope, threadId);
    return asked ? [{ interruptId: asked.id, status: 'resolved', payload }] : [];
  }
}

function commandOf({ forwardedProps }: Body): unknown {
  const command = isPlainObject(forwardedProps) ? forwardedProps['command'] : undefined;
  const value = isPlainObject(command) ? command['resume'] : undefined;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function empty(threadId: string, runId: string): AgUiAnswer {
  const events: readonly AgUiEvent[] = [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'RUN_FINISHED', threadId, runId },
  ];
  return { kind: 'frames', frames: events.map(agUiFrame) };
}
