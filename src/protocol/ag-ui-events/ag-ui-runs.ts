import { AgentRegistry } from '../../agent/index.js';
import { AppError, type ErrorCode, type Principal } from '../../common/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { type BusyPolicy, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import type { Caller } from '../http/caller.js';
import { FieldReader } from '../http/field-reader.js';
import type { AgUiEvent, AgUiGeneration, AgUiMessage } from './ag-ui.types.js';
import { AgUiEncoder, type AgUiEncoderOptions } from './ag-ui.encoder.js';
import type { KeyCase, KEY_CASES } from './key-case.js';
import { toAgUiMessages } from './message-encoder.js';
import { decodeRunInput, type RunAgentInput } from './run-input.decoder.js';
import { runRequestOf } from './run-request.js';

/** What a wire determines of a request beside its body. */
export interface StartOptions {
  readonly wire: string;
  readonly caller: Pick<Caller, 'actingFor'>;
  /** The agent that the path names. */
  readonly agentId?: string | undefined;
  /** The user that the headers name. */
  readonly userId?: string | undefined;
  readonly onBusy: BusyPolicy;
}

/** An accepted run, or a refused resumption: that is a stream of one event (contract ag-ui, section 2.5). */
export type StartedRun =
  | {
      readonly kind: 'accepted';
      readonly principal: Principal;
      readonly input: RunAgentInput;
      readonly run: RunView;
    }
  | { readonly kind: 'refused'; readonly input: RunAgentInput; readonly event: AgUiEvent };

/** How a stream is written. */
export type FrameOptions = Pick<AgUiEncoderOptions, 'keyCase' | 'frameOf'>;

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
  ) {}

  /**
   * Accepts the run that a RunAgentInput asks for. A request for a thread with open interrupts must answer all
   * of them; a repeated request replays its run before that is checked.
   *
   * @throws AppError as `decodeRunInput`, `principalOf`, `Runs.accept`; AGENT_NOT_FOUND also for an internal agent
   */
  async start(body: unknown, options: StartOptions): Promise<StartedRun> {
    const input = decodeRunInput(body);
    const { caller, onBusy, userId, wire } = options;
    const principal = principalOf(input, caller, userId);
    const agentType = this.agentOf(input, options);
    const request = runRequestOf(input, { principal, agentType, onBusy, wire });
    try {
      const { run } = await this.runs.accept(await this.withoutExpired(request));
      return { kind: 'accepted', principal, input, run };
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
  encoder(principal: Principal, run: RunView, options: FrameOptions & { generation?: AgUiGeneration }): AgUiEncoder {
    const { generation = generationOf(run.wireData['protocolVersion']), ...frames } = options;
    return new AgUiEncoder({
      threadId: run.sessionId,
      runId: run.runKey ?? run.runId,
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      generation,
      history: () => this.history(principal, run, generation),
      ...frames,
    });
  }

  /** The messages of a thread up to a run's own output: what its client shows when the run starts. */
  private async history(
    principal: Principal,
    run: RunView,
    generation: AgUiGeneration,
  ): Promise<readonly AgUiMessage[]> {
    const before = await this.sessions.before(principal, run);
    const input = await this.runs.input(principal, run.runId);
    return toAgUiMessages([...before.map(({ message }) => message), ...input], generation);
  }

  /** Clients cancel an expired interrupt to confirm that they know; nothing is left to answer. */
  private async withoutExpired(request: RunRequest): Promise<RunRequest> {
    const { answers = [], principal } = request;
    if (!answers.some(({ status }) => status === 'cancelled')) return request;
    const open = await Promise.all(
      answers.map(async ({ interruptId, status }) => {
        if (status !== 'cancelled') return true;
        return (await this.interrupts.find(principal, interruptId))?.status !== 'expired';
      }),
    );
    return { ...request, answers: answers.filter((_, index) => open[index]) };
  }

  private agentOf(input: RunAgentInput, { agentId }: StartOptions): string {
    const { defaultName: defaultAgent } = this.agents;
    const named =
      agentId ?? new FieldReader(input.forwardedProps, 'forwardedProps').string('agent_type') ?? defaultAgent;
    const isDefault = named === defaultAgent || (named === 'default' && !this.agents.isPublic('default'));
    if (isDefault) return defaultAgent;
    if (!this.agents.isPublic(named)) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${named}`);
    return named;
  }
}

/** The provider of `AgUiRuns`. Needs `Sessions`, and `Runs`, `Interrupts` and `AgentRegistry` from global modules. */
export const AG_UI_RUNS = {
  provide: AgUiRuns,
  inject: [Runs, Sessions, Interrupts, AgentRegistry],
  useFactory: (runs: Runs, sessions: Sessions, interrupts: Interrupts, agents: AgentRegistry): AgUiRuns =>
    new AgUiRuns(runs, sessions, interrupts, agents),
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

/**
 * The owner of a thread. A thread without a user has a user of its own, as on the other wires.
 *
 * @param userId the user that the headers name; before that of the forwarded properties
 * @throws AppError INVALID_PARAMETER for a user in the forwarded properties that cannot be stored
 */
export function principalOf(
  { threadId, forwardedProps }: Pick<RunAgentInput, 'threadId' | 'forwardedProps'>,
  caller: Pick<Caller, 'actingFor'>,
  userId?: string,
): Principal {
  return caller.actingFor(userId ?? forwardedUser(forwardedProps), threadId);
}

function forwardedUser({ user_id, userId }: RunAgentInput['forwardedProps']): string | undefined {
  const named = user_id ?? userId;
  if (typeof named !== 'string' || named === '') return undefined;
  return new FieldReader({ user_id: named }, 'forwardedProps').string('user_id', { min: 1, max: 256 });
}

/** True for errors of a resumption, which are sent as RUN_ERROR in a stream instead of an HTTP status. */
function isInterruptError(error: unknown, { answers = [] }: RunRequest): error is AppError {
  if (!(error instanceof AppError)) return false;
  return INTERRUPT_CODES.has(error.code) || (error.code === 'INVALID_PARAMETER' && answers.length > 0);
}
