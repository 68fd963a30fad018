import { AgentRegistry } from '../../agent/index.js';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type ErrorCode, type Principal, userReach } from '../../common/index.js';
import { Interrupts } from '../../agent/interrupt/index.js';
import { type BusyPolicy, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { type Caller, checkedUserId, namedUser, type NamedUser, sentWith } from '../../access/index.js';
import { FieldReader } from '../http/bodies/field-reader.js';
import { sessionOwner, submissionIn } from '../wire/submission.js';
import type { AgUiEvent, AgUiGeneration, AgUiMessage } from './ag-ui.types.js';
import { AgUiEncoder, type AgUiEncoderOptions } from './ag-ui.encoder.js';
import type { KeyCase, KEY_CASES } from './key-case.js';
import { toAgUiMessages } from './message-encoder.js';
import { decodeRunInput, type RunAgentInput } from './run-input.decoder.js';
import { runRequestOf } from './run-request.js';

/** What a wire determines of a request apart from its body. */
export interface StartOptions {
  readonly wire: string;
  readonly caller: Caller;
  /** The agent that the path names. */
  readonly agentId?: string | undefined;
  /** The user that the request names outside its body. */
  readonly user?: NamedUser | undefined;
  readonly onBusy: BusyPolicy;
}

/** A decoded RunAgentInput, and the run that it asks for. */
export interface AgUiRequest {
  readonly input: RunAgentInput;
  readonly request: RunRequest;
}

/** An accepted run, or a refused resumption: that is a stream of one event (contract ag-ui, section 2.5). */
export type StartedRun =
  | {
      readonly kind: 'accepted';
      readonly input: RunAgentInput;
      readonly run: RunView;
    }
  | { readonly kind: 'refused'; readonly input: RunAgentInput; readonly event: AgUiEvent };

/** How a stream is written. */
export type FrameOptions = Pick<AgUiEncoderOptions, 'keyCase' | 'frameOf' | 'framesOf'>;

/** Errors that concern the open interrupts of a thread. */
const INTERRUPT_CODES: ReadonlySet<ErrorCode> = new Set([
  'INTERRUPT_PENDING',
  'INTERRUPT_NOT_FOUND',
  'INTERRUPT_ALREADY_ANSWERED',
  'INTERRUPT_EXPIRED',
]);

/**
 * Starts runs from RunAgentInputs and makes the encoders of their streams, for every wire that speaks AG-UI. It knows
 * no framework: `AG_UI_RUNS` provides it.
 */
export class AgUiRuns {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly agents: AgentRegistry,
    private readonly attachments: MessageAttachments,
  ) {}

  /**
   * The run that a RunAgentInput asks for.
   *
   * @throws AppError as `decodeRunInput`, `submissionIn`; AGENT_NOT_FOUND also for an agent that the caller may not run
   */
  async decode(body: unknown, options: StartOptions): Promise<AgUiRequest> {
    const input = decodeRunInput(body);
    const { threadId } = input;
    const { caller, onBusy, user, wire } = options;
    const naming = { named: inputUser(input, caller, user), unnamed: threadId };
    const { principal, requester, traceparent } = await submissionIn(this.sessions, caller, threadId, naming);
    const agentType = this.agentOf(input, options);
    const trace = traceparent !== undefined && { traceparent };
    const owner = { principal, requester, ...trace, ...sentWith(caller, input.forwardedProps) };
    return { input, request: runRequestOf(input, { agentType, onBusy, wire, ...owner }) };
  }

  /**
   * Accepts a decoded run. A request for a thread with open interrupts must answer all of them; a repeated request
   * replays its run before that is checked.
   *
   * @throws AppError as `Runs.accept`
   */
  async start({ input, request }: AgUiRequest): Promise<StartedRun> {
    try {
      const { run } = await this.runs.accept(await this.withoutExpired(request));
      return { kind: 'accepted', input, run };
    } catch (error) {
      if (!isInterruptError(error, request)) throw error;
      return { kind: 'refused', input, event: { type: 'RUN_ERROR', message: error.message, code: error.code } };
    }
  }

  /**
   * The encoder of any run, whichever wire started it.
   *
   * @param options.generation default: that of the run's own client
   */
  encoder(run: RunView, options: FrameOptions & { generation?: AgUiGeneration }): AgUiEncoder {
    const { generation = generationOf(run.wireData['protocolVersion']), ...frames } = options;
    return new AgUiEncoder({
      threadId: run.sessionId,
      runId: run.runKey ?? run.runId,
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      generation,
      history: () => this.history(run, generation),
      ...frames,
    });
  }

  /**
   * The owner of a thread. Without authentication, a thread without a user has a user of its own, as on the other wires.
   *
   * @param user the user that the request names outside its body, which precedes the forwarded properties
   * @throws AppError as `sessionOwner`; INVALID_PARAMETER for a user in the forwarded properties that cannot be stored
   */
  ownerOf(
    input: Pick<RunAgentInput, 'threadId' | 'forwardedProps'>,
    caller: Caller,
    user?: NamedUser,
  ): Promise<Principal> {
    const { threadId } = input;
    return sessionOwner(this.sessions, caller, threadId, { named: inputUser(input, caller, user), unnamed: threadId });
  }

  /** The messages of a thread up to a run's own output: what its client shows when the run starts. */
  private async history(run: RunView, generation: AgUiGeneration): Promise<readonly AgUiMessage[]> {
    const before = await this.sessions.before(run, run);
    const input = await this.runs.input(userReach(run), run.runId);
    const messages = [...before.map(({ message }) => message), ...input];
    return toAgUiMessages(this.attachments.shown(messages, run), generation);
  }

  /** Clients cancel an expired interrupt to confirm that they know; nothing is left to answer. */
  private async withoutExpired(request: RunRequest): Promise<RunRequest> {
    const { answers = [], reach } = request;
    if (!answers.some(({ status }) => status === 'cancelled')) return request;
    const open = await Promise.all(
      answers.map(async ({ interruptId, status }) => {
        if (status !== 'cancelled') return true;
        return (await this.interrupts.find(reach, interruptId))?.status !== 'expired';
      }),
    );
    return { ...request, answers: answers.filter((_, index) => open[index]) };
  }

  /** Without a name, and as `default`, the default agent; the core checks whether the caller may run it. */
  private agentOf(input: RunAgentInput, { agentId, caller: { authority } }: StartOptions): string {
    const { defaultName: defaultAgent } = this.agents;
    const named = agentId ?? new FieldReader(input.forwardedProps, 'forwardedProps').string('agent_type');
    if (named === undefined || (named === 'default' && !this.agents.isKnownTo(authority, 'default')))
      return defaultAgent;
    const isOffered = this.agents.isKnownTo(authority, named) || (!authority && named === defaultAgent);
    if (!isOffered) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${named}`);
    return named;
  }
}

/** The provider of `AgUiRuns`. Needs `Sessions`, and all else from global modules. */
export const AG_UI_RUNS = {
  provide: AgUiRuns,
  inject: [Runs, Sessions, Interrupts, AgentRegistry, MessageAttachments],
  useFactory: (...parts: ConstructorParameters<typeof AgUiRuns>): AgUiRuns => new AgUiRuns(...parts),
};

/** The spelling of keys that a setting means for a client (contract ag-ui, section 6, rule 2). */
export function keyCaseOf(setting: (typeof KEY_CASES)[number], protocolVersion: string | undefined): KeyCase {
  if (setting !== 'auto') return setting;
  return protocolVersion === undefined ? 'both' : 'camel';
}

/** The client generation; clients send their version from 1.0 on. */
export function generationOf(protocolVersion: unknown): AgUiGeneration {
  return typeof protocolVersion === 'string' && !protocolVersion.startsWith('0.') ? 'v1' : 'v0';
}

/** The user that a request names: outside its body, or in the forwarded properties. */
function inputUser(
  { forwardedProps }: Pick<RunAgentInput, 'forwardedProps'>,
  caller: Caller,
  user: NamedUser | undefined,
): NamedUser | undefined {
  return caller.oneUser(user, forwardedUser(forwardedProps, 'user_id'), forwardedUser(forwardedProps, 'userId'));
}

/** Values of other types are the client's own. */
function forwardedUser(props: RunAgentInput['forwardedProps'], name: 'user_id' | 'userId'): NamedUser | undefined {
  const value = props[name];
  const field = `forwardedProps.${name}`;
  return typeof value === 'string' ? namedUser(field, checkedUserId(value, field)) : undefined;
}

/** True for errors of a resumption, which are sent as RUN_ERROR in a stream instead of an HTTP status. */
function isInterruptError(error: unknown, { answers = [] }: RunRequest): error is AppError {
  if (!(error instanceof AppError)) return false;
  return INTERRUPT_CODES.has(error.code) || (error.code === 'INVALID_PARAMETER' && answers.length > 0);
}
