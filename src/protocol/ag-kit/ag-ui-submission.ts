import { Injectable } from '@nestjs/common';
import { IdFactory, isPlainObject } from '../../common/index.js';
import { Interrupts } from '../../agent/interrupt/index.js';
import { type AgUiEvent, AgUiRuns, generationOf, normaliseRunInput } from '../ag-ui-events/index.js';
import { parseFieldText } from '../http/bodies/json-text.js';
import type { AgKitAccepted, AgKitAsker, JsonBody } from './ag-kit-submission.js';
import { agUiFrames } from './ag-kit.wire.js';

/** Accepts runs from requests of dialect B, which is AG-UI (contract ag-kit, section 6.2). */
@Injectable()
export class AgUiSubmission {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly interrupts: Interrupts,
    private readonly ids: IdFactory,
  ) {}

  /**
   * Returns the accepted run, or the frames of the whole stream: those of a refused resumption, or of the empty
   * run for an empty list of messages, which the mini-program's client needs to come to an end.
   *
   * @throws AppError as `AgUiRuns.start`
   */
  async accept(
    body: JsonBody,
    { agentType, caller, user }: AgKitAsker,
  ): Promise<AgKitAccepted | { readonly frames: readonly string[] }> {
    const input = this.completed(normaliseRunInput(body));
    const { threadId, runId, messages, resume } = input;
    const hasAnswers = Array.isArray(resume) && resume.length > 0;
    const command = hasAnswers ? undefined : commandOf(input);
    if (command !== undefined) {
      // The vendor's older way to resume names no interrupt: it answers the first open one.
      const [first] = await this.interrupts.pending(caller.reachOf(user), String(threadId));
      input['resume'] = first ? [{ interruptId: first.id, status: 'resolved', payload: command }] : [];
    } else if (!hasAnswers && Array.isArray(messages) && messages.length === 0) {
      return { frames: emptyRun(String(threadId), String(runId)) };
    }
    const options = { wire: 'ag-kit', caller, agentId: agentType, user, onBusy: 'reject' as const };
    const started = await this.runs.start(await this.runs.decode(input, options));
    if (started.kind === 'refused') return { frames: agUiFrames(started.event) };
    const { run } = started;
    const generation = generationOf(started.input.protocolVersion);
    return { run, encoder: this.runs.encoder(run, { generation, framesOf: agUiFrames }) };
  }

  /** Missing and blank ids are generated: here those of thread and run, by the decoder those of messages. */
  private completed(input: Record<string, unknown>): Record<string, unknown> {
    if (isBlank(input['threadId'])) input['threadId'] = this.ids.next('');
    if (isBlank(input['runId'])) input['runId'] = this.ids.next('run_');
    const { messages } = input;
    if (!Array.isArray(messages)) return input;
    const withId = (message: unknown): unknown =>
      isPlainObject(message) && message['id'] !== undefined && isBlank(message['id'])
        ? { ...message, id: undefined }
        : message;
    return { ...input, messages: messages.map(withId) };
  }
}

function isBlank(id: unknown): boolean {
  return id === undefined || (typeof id === 'string' && id.trim() === '');
}

function commandOf({ forwardedProps }: JsonBody): unknown {
  const command = isPlainObject(forwardedProps) ? forwardedProps['command'] : undefined;
  const value = isPlainObject(command) ? command['resume'] : undefined;
  if (typeof value !== 'string') return value;
  return parseFieldText(value, 'forwardedProps.command.resume', value);
}

function emptyRun(threadId: string, runId: string): readonly string[] {
  const events: readonly AgUiEvent[] = [
    { type: 'RUN_STARTED', threadId, runId },
    { type: 'RUN_FINISHED', threadId, runId },
  ];
  return events.flatMap(agUiFrames);
}
