import { Injectable } from '@nestjs/common';
import { type Caller, traceOf, sentWith } from '../../access/index.js';
import { parseReference } from '../../agent/attachment/index.js';
import { AppError, fingerprint, IdFactory, isPlainObject, type JsonObject, userReach } from '../../common/index.js';
import { type ContentInput, type Message, messageOf } from '../../events/index.js';
import { type BusyPolicy, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { clientState } from '../ag-ui-events/index.js';
import { submissionIn } from '../wire/index.js';
import { AttachmentLocator } from './attachment-locator.js';
import { plainAddress } from './history/image-address.js';
import type { ResumeRequest } from './input/resume.decoder.js';
import type { RunInput } from './input/run-input.js';
import { clientRunId } from './run-names.js';

/** The name of this wire in the ledger. */
export const RUNS_WIRE = 'runs';

/** What `POST /runs` answers. */
export interface TaskAccepted {
  /** The server's id of the run. */
  readonly taskId: string;
  /** The session's id. */
  readonly threadId: string;
  /** The client's id of the run. */
  readonly runId: string;
  /** Whether this request created the thread. */
  readonly created: boolean;
}

/** How a run is submitted, apart from its input. */
export interface SubmissionOptions {
  /** What happens when the thread already has an active run. */
  readonly onBusy: BusyPolicy;
  /** The language that the client accepts best: a BCP 47 tag. */
  readonly locale: string | undefined;
}

/** An accepted run, and whether the same request had been accepted before. */
export interface Submission {
  /** The body of the answer. */
  readonly answer: TaskAccepted;
  /** True when the same request was accepted before; the run is then the one made at that time. */
  readonly replayed: boolean;
  readonly run: RunView;
}

/** Accepts runs and checks the rules that need the database (contract runs-api, section 2.2, rules 18 to 21). */
@Injectable()
export class RunSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly attachments: AttachmentLocator,
    private readonly ids: IdFactory,
  ) {}

  /**
   * @throws AppError ATTACHMENT_URL_INVALID, SESSION_NOT_FOUND, RUN_ID_CONFLICT, SESSION_BUSY, QUEUE_FULL,
   *   SHUTTING_DOWN; then nothing is written
   */
  async submit(caller: Caller, input: RunInput, options: SubmissionOptions): Promise<Submission> {
    const { principal, requester } = await submissionIn(this.sessions, caller, input.threadId);
    const references = await this.attachments.locate(principal, input);
    const request = runRequest({ principal, requester }, input, references, options);
    const sent = { ...traceOf(caller), ...sentWith(caller) };
    const accepted = await this.runs.accept({ newRunId: this.ids.uuid(), ...request, ...sent });
    if (!accepted.created) verifyRepeated(accepted.run, request);
    const { runId: taskId, sessionId: threadId } = accepted.run;
    return {
      answer: { taskId, threadId, runId: input.runId, created: accepted.createdSession },
      replayed: !accepted.created,
      run: accepted.run,
    };
  }

  /**
   * Accepts the run that goes on with answers to interrupts of a run's thread.
   *
   * @throws AppError INTERRUPT_NOT_FOUND, INTERRUPT_ALREADY_ANSWERED, INTERRUPT_EXPIRED, INVALID_PARAMETER,
   *   RUN_ID_CONFLICT, QUEUE_FULL, SHUTTING_DOWN
   */
  async resume(
    caller: Caller,
    run: RunView,
    { answers, runId }: ResumeRequest,
    locale: string | undefined,
  ): Promise<Submission> {
    const principal = { tenantId: run.tenantId, userId: run.userId };
    const accepted = await this.runs.accept({
      principal,
      reach: userReach(principal),
      requester: caller.requesterFor(),
      ...traceOf(caller),
      ...sentWith(caller),
      wire: RUNS_WIRE,
      sessionId: run.sessionId,
      newRunId: this.ids.uuid(),
      ...(runId !== undefined && { runKey: runId }),
      parentRunId: clientRunId(run),
      agentType: run.agentType,
      input: [],
      clientTools: [],
      modelOptions: {},
      forwardedProps: {},
      onBusy: 'enqueue',
      ...(locale !== undefined && { locale }),
      answers,
    });
    const { runId: taskId, sessionId: threadId } = accepted.run;
    return {
      answer: { taskId, threadId, runId: runId ?? taskId, created: false },
      replayed: !accepted.created,
      run: accepted.run,
    };
  }
}

/** Compares what the core does not: the front-end's tools, the context, the other messages. */
function verifyRepeated({ wireData }: RunView, request: RunRequest): void {
  if (wireData['fingerprint'] !== request.wireData?.['fingerprint']) throw new AppError('RUN_ID_CONFLICT');
}

/** The input as the core takes it. `wireData` keeps what the replay and the comparison of requests need. */
function runRequest(
  { principal, requester }: Pick<RunRequest, 'principal' | 'requester'>,
  input: RunInput,
  references: readonly string[],
  { onBusy, locale }: SubmissionOptions,
): RunRequest {
  const kept = keptInput(input, references);
  const state = isPlainObject(input.state) ? clientState(input.state) : {};
  return {
    principal,
    reach: userReach(principal),
    requester,
    wire: RUNS_WIRE,
    sessionId: input.threadId,
    tenantUniqueId: true,
    runKey: input.runId,
    agentType: input.agentType,
    input: [userMessage(input, references)],
    // The front-end's tools are passed through and replayed; they never become tools of the server.
    clientTools: [],
    modelOptions: {},
    forwardedProps: kept['forwardedProps'] as JsonObject,
    onBusy,
    wireData: { input: kept, fingerprint: fingerprint(kept), references: [...references] },
    ...(input.parentRunId !== undefined && { parentRunId: input.parentRunId }),
    ...(locale !== undefined && { locale }),
    ...(input.clientTime && { clientTime: input.clientTime }),
    ...(Object.keys(state).length > 0 && { state }),
    ...(input.context.length > 0 && { systemPrompt: contextText(input) }),
  };
}

/** The request in one spelling, as RUN_STARTED repeats it and as repeated requests are recognised by. */
function keptInput(input: RunInput, references: readonly string[]): JsonObject {
  const { threadId, runId, parentRunId, state, messages, tools, context, agentType, clientTime } = input;
  return {
    threadId,
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    state,
    messages: [replayedUser(input, references), ...messages.slice(1)],
    tools: [...tools],
    context: context.map((item) => ({ ...item })),
    forwardedProps: { agent_type: agentType, ...(clientTime && { client_time: { ...clientTime } }) },
  };
}

/** The user's message as RUN_STARTED repeats it: attachments under their plain addresses, without signatures. */
function replayedUser(input: RunInput, references: readonly string[]): JsonObject {
  const [message = {}] = input.messages;
  if (references.length === 0) return message;
  let next = 0;
  const content = input.user.blocks.map((block): JsonObject => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    const reference = references[next++] ?? '';
    const mimeType = parseReference(reference)?.mimeType;
    const source = { type: 'url', value: plainAddress(reference), ...(mimeType !== undefined && { mimeType }) };
    return { type: 'image', source };
  });
  return { ...message, content };
}

/** The user's message as the model gets it: attachments as references to stored files. */
function userMessage(input: RunInput, references: readonly string[]): Message {
  let next = 0;
  const contents = input.user.blocks.map((block): ContentInput =>
    block.type === 'text' ? { type: 'text', text: block.text } : { type: 'image', image_url: references[next++] ?? '' },
  );
  return messageOf({ id: input.user.id, role: 'user' }, contents);
}

/** What the front-end says of the situation, for the model. */
function contextText(input: RunInput): string {
  const lines = input.context.map(({ description, value }) => `- ${description}: ${value}`);
  return `Context given by the application:\n${lines.join('\n')}`;
}
