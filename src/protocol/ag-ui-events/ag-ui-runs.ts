import type { AgentRegistry } from '../../agent/index.js';
import { AppError, type Principal } from '../../common/index.js';
import type { Interrupts } from '../../interrupt/index.js';
import type { BusyPolicy, Runs, RunView } from '../../run/index.js';
import type { Sessions } from '../../session/index.js';
import { FieldReader } from '../http/field-reader.js';
import { requestPrincipal } from '../http/principal.js';
import type { AgUiEvent, AgUiGeneration } from './ag-ui.types.js';
import { AgUiEncoder, type AgUiEncoderOptions } from './ag-ui.encoder.js';
import type { KeyCase, KEY_CASES } from './output-keys.js';
import { acceptRun, isInterruptError } from './run-acceptance.js';
import { decodeRunInput, type RunAgentInput } from './run-input.decoder.js';
import { runRequestOf } from './run-request.js';
import { historyOf } from './thread-history.js';

/** What the wires that speak AG-UI need of the server. */
export interface AgUiPorts {
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly interrupts: Interrupts;
  readonly agents: AgentRegistry;
}

/** What a wire decides of a request beside its body. */
export interface StartOptions {
  readonly wire: string;
  /** The agent that the path names. */
  readonly agentId?: string | undefined;
  readonly defaultAgent: string;
  /** The user that the headers name. */
  readonly userId?: string | undefined;
  readonly onBusy: BusyPolicy;
}

/** An accepted run, or why a resumption was refused: that is told in the stream (contract ag-ui, section 2.5). */
export type StartedRun =
  | {
      readonly kind: 'accepted';
      readonly principal: Principal;
      readonly input: RunAgentInput;
      readonly run: Pick<RunView, 'runId' | 'sessionId' | 'ordinal'>;
    }
  | { readonly kind: 'refused'; readonly input: RunAgentInput; readonly event: AgUiEvent };

/** How a stream is written beside what its run says. */
export type StreamOptions = Pick<AgUiEncoderOptions, 'keyCase' | 'frameOf' | 'input'>;

/** Starts runs from RunAgentInputs and writes their streams. Made of ports; knows no framework. */
export class AgUiRuns {
  constructor(private readonly ports: AgUiPorts) {}

  /** @throws AppError as `decodeRunInput`, `principalOf`, `Runs.accept`; AGENT_NOT_FOUND also for an internal agent */
  async start(body: unknown, options: StartOptions): Promise<StartedRun> {
    const input = decodeRunInput(body);
    const principal = principalOf(input, options.userId);
    const agentType = this.agentOf(input, options);
    const { onBusy, wire } = options;
    const request = runRequestOf(input, { principal, agentType, onBusy, wire });
    try {
      return { kind: 'accepted', principal, input, run: await acceptRun(this.ports, request) };
    } catch (error) {
      if (!isInterruptError(error, request)) throw error;
      return { kind: 'refused', input, event: { type: 'RUN_ERROR', message: error.message, code: error.code } };
    }
  }

  /** The encoder of a run that a request of this input started. */
  encoder(started: Extract<StartedRun, { kind: 'accepted' }>, options: StreamOptions): AgUiEncoder {
    const { principal, run, input } = started;
    const generation = generationOf(input.protocolVersion);
    return new AgUiEncoder({
      threadId: input.threadId,
      runId: input.runId,
      ...(input.parentRunId !== undefined && { parentRunId: input.parentRunId }),
      generation,
      history: () => historyOf(this.ports, principal, run, generation),
      ...options,
    });
  }

  /** The encoder of any run, whichever wire started it: as its own client asked for, else such as every client takes. */
  encoderOf(principal: Principal, run: RunView, options: StreamOptions & { generation?: AgUiGeneration }): AgUiEncoder {
    const generation = options.generation ?? generationOf(run.wireData['protocolVersion']);
    return new AgUiEncoder({
      threadId: run.sessionId,
      runId: run.runKey ?? run.runId,
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      generation,
      history: () => historyOf(this.ports, principal, run, generation),
      ...options,
    });
  }

  private agentOf(input: RunAgentInput, { agentId, defaultAgent }: StartOptions): string {
    const named =
      agentId ?? new FieldReader(input.forwardedProps, 'forwardedProps').string('agent_type') ?? defaultAgent;
    if (named === defaultAgent || (named === 'default' && !this.isPublic('default'))) return defaultAgent;
    if (!this.isPublic(named)) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${named}`);
    return named;
  }

  private isPublic(name: string): boolean {
    return this.ports.agents.isPublic(name);
  }
}

/** The case of keys that a setting means for a client (contract ag-ui, section 6, rule 2). */
export function keyCaseOf(setting: (typeof KEY_CASES)[number], protocolVersion: string | undefined): KeyCase {
  if (setting !== 'auto') return setting;
  return protocolVersion === undefined ? 'both' : 'camel';
}

/** Clients announce themselves from 1.0 on. */
export function generationOf(protocolVersion: unknown): AgUiGeneration {
  return typeof protocolVersion === 'string' && !protocolVersion.startsWith('0.') ? 'v1' : 'v0';
}

/**
 * A thread whose user nobody names is a user of its own, as on the other wires.
 *
 * @throws AppError INVALID_PARAMETER for a user in the forwarded properties that no database keeps
 */
export function principalOf(input: Pick<RunAgentInput, 'threadId' | 'forwardedProps'>, userId?: string): Principal {
  if (userId !== undefined) return requestPrincipal(userId);
  const { user_id, userId: camel } = input.forwardedProps;
  const named = user_id ?? camel;
  if (typeof named !== 'string' || named === '') return requestPrincipal(input.threadId);
  return requestPrincipal(
    new FieldReader({ user_id: named }, 'forwardedProps').string('user_id', { min: 1, max: 256 }),
  );
}
