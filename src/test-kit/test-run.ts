import { callsOf, isCallOutput, outputsOf } from '../agent/index.js';
import type { JsonObject } from '../common/index.js';
import { type AgentResponse, type ErrorModel, type Message, textOf, type Usage } from '../events/index.js';
import type { InterruptView } from '../agent/interrupt/index.js';
import type { InterruptAnswer, RunState } from '../run/index.js';

/** A tool call of a run, with its result if it has one. */
export interface TestToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them; text that is not JSON as it is. */
  readonly arguments: unknown;
  /** The result that the model received; undefined for a call that waits. */
  readonly output: string | undefined;
}

/** What a run is read from: the server of the test. */
export interface RunSource {
  /** Answers an interrupt and waits for the run that continues. */
  answer(answer: InterruptAnswer): Promise<FinishedRun>;
  /** The frames of a run on a wire. */
  frames(runId: string, wire: string): Promise<readonly unknown[]>;
}

/** A run that has ended, as an author of agents looks at it. */
export class FinishedRun {
  constructor(
    readonly id: string,
    /** How it ended. */
    readonly state: RunState,
    private readonly response: AgentResponse,
    /** The approvals and questions that it waits for, oldest first. */
    readonly interrupts: readonly InterruptView[],
    private readonly source: RunSource,
  ) {}

  /** The session, for the next run of the same conversation. */
  get sessionId(): string {
    return this.response.session_id ?? '';
  }

  /** All messages that the run wrote: reasoning, calls, results, answers. */
  get messages(): readonly Message[] {
    return this.response.output ?? [];
  }

  /** The text of the answer: what the assistant's messages say, joined. */
  get text(): string {
    return this.messages
      .filter(({ type, role }) => type === 'message' && role === 'assistant')
      .map(textOf)
      .join('');
  }

  /** The calls of all tools, in the order of the model. */
  get toolCalls(): readonly TestToolCall[] {
    const outputs = new Map(
      this.messages
        .filter(isCallOutput)
        .flatMap(outputsOf)
        .map(({ callId, output }) => [callId, output]),
    );
    return this.messages
      .flatMap(callsOf)
      .map(({ id, name, arguments: args }) => ({ id, name, arguments: parsed(args), output: outputs.get(id) }));
  }

  /** The tool calls that wait for an approval. */
  get approvals(): readonly InterruptView[] {
    return this.interrupts.filter(({ kind }) => kind === 'approval');
  }

  /** Why the run failed; null if it did not. */
  get error(): ErrorModel | null {
    return this.response.error;
  }

  /** Tokens of all model calls. */
  get usage(): Usage | null {
    return this.response.usage;
  }

  /**
   * What a client of a wire sees of this run: the JSON of each event of its stream.
   *
   * @param wire a name of `?protocol=`: `agent-api`, `responses`, `ag-ui`, `ag-kit` or `runs`
   */
  frames(wire: string): Promise<readonly unknown[]> {
    return this.source.frames(this.id, wire);
  }

  /**
   * Approves the only call that waits, and waits for the run that continues.
   *
   * @param editedArguments replace those of the model, where the policy allows it
   * @throws if none or several wait; AppError if the answer is not accepted
   */
  approve(editedArguments?: JsonObject): Promise<FinishedRun> {
    return this.decide({ approve: true, ...(editedArguments && { editedArguments }) });
  }

  /** Denies the only call that waits. @param reason for the model @throws as `approve` */
  deny(reason?: string): Promise<FinishedRun> {
    return this.decide({ approve: false, ...(reason !== undefined && { reason }) });
  }

  /** Answers the only question of the agent. @throws as `approve` */
  answer(payload: InterruptAnswer['payload']): Promise<FinishedRun> {
    return this.decide({ payload });
  }

  private decide(decision: Omit<InterruptAnswer, 'interruptId' | 'status'>): Promise<FinishedRun> {
    const [only, ...more] = this.interrupts;
    if (!only || more.length > 0) {
      throw new Error(`The run waits for ${this.interrupts.length} answers, not for one: it is ${this.state}`);
    }
    return this.source.answer({ interruptId: only.id, status: 'resolved', ...decision });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
