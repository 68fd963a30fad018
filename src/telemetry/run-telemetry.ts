import { Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AppError, OTHER } from '../common/index.js';
import { GenAiMetrics } from './gen-ai.metrics.js';
import { ServerLog } from './server-log.js';
import { GEN_AI, OPERATIONS, PARLEY } from './tracing/attributes.js';
import { type Span, Tracing } from './tracing/tracing.js';

/** The run that is observed. */
export interface ObservedRun {
  readonly id: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly agentType: string;
  readonly attempt: number;
  readonly leaseOwner: string | null;
  readonly request: { readonly trace?: RunTrace };
}

/** What a run keeps of traces, so that any process can continue them. */
export interface RunTrace {
  /** The `traceparent` of the request that started the run. */
  readonly parent: string;
  /** That of the run that it continues. */
  readonly continues?: string;
}

/** A model call that begins. */
export interface ObservedCall {
  readonly provider: string;
  /** The requested model. */
  readonly model: string;
  /** The model of the configuration: only that one has a label of its own in metrics. */
  readonly configuredModel: string;
  /** The prompt; read only if contents are recorded. */
  readonly input: unknown;
}

/** How a model call ended. */
export interface ObservedAnswer {
  readonly finishReason: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  /** The answer; read only if contents are recorded. */
  readonly output: unknown;
}

/** Observes the executions of runs: logs, spans and metrics. */
@Injectable()
export class RunObserver {
  constructor(
    private readonly log: ServerLog,
    private readonly tracing: Tracing,
    private readonly metrics: GenAiMetrics,
  ) {}

  /** Begins to observe one execution of a run. */
  begin(run: ObservedRun): RunTelemetry {
    const { trace } = run.request;
    const taken = run.attempt > 1 ? trace?.parent : undefined;
    const links = [taken, trace?.continues].filter((link) => link !== undefined);
    const span = this.tracing.start(`${OPERATIONS.agent} ${run.agentType}`, {
      kind: 'internal',
      parent: trace?.parent,
      links,
      attributes: {
        [GEN_AI.operation]: OPERATIONS.agent,
        [GEN_AI.agentName]: run.agentType,
        [GEN_AI.conversation]: run.sessionId,
        [PARLEY.runId]: run.id,
        [PARLEY.attempt]: run.attempt,
      },
    });
    const fields = { run_id: run.id, session_id: run.sessionId, tenant_id: run.tenantId, worker_id: run.leaseOwner };
    const openLog = (): Logger =>
      this.log.child({ context: 'Run', ...fields, ...(span && { trace_id: span.traceId }) });
    return new RunTelemetry(openLog, span, this.tracing, this.metrics);
  }
}

/** One execution of a run as logs, spans and metrics show it. */
export class RunTelemetry {
  private isOver = false;
  private opened: Logger | undefined;

  /** @param openLog makes `log`; called when it is used first, because most runs log nothing */
  constructor(
    private readonly openLog: () => Logger,
    private readonly span: Span | undefined,
    private readonly tracing: Tracing,
    private readonly metrics: GenAiMetrics,
  ) {}

  /** Its lines name the run, the session, the tenant, the worker and the trace. */
  get log(): Logger {
    return (this.opened ??= this.openLog());
  }

  /** The `traceparent` of the execution, for requests to other servers; undefined if it is not traced. */
  get traceparent(): string | undefined {
    return this.span?.traceparent;
  }

  /** Begins a model call. */
  chat(call: ObservedCall): ChatTelemetry {
    const span = this.tracing.start(`${OPERATIONS.chat} ${call.model}`, {
      kind: 'client',
      parent: this.span?.traceparent,
      attributes: {
        [GEN_AI.operation]: OPERATIONS.chat,
        [GEN_AI.provider]: call.provider,
        [GEN_AI.requestModel]: call.model,
        ...(this.tracing.capturesContent && { [GEN_AI.inputMessages]: JSON.stringify(call.input) }),
      },
    });
    return new ChatTelemetry(call, span, this.tracing, this.metrics);
  }

  /** Begins a call of a tool of the server. @param text the arguments, recorded only if contents are */
  tool(name: string, callId: string, text: string): ToolTelemetry {
    const span = this.tracing.start(`${OPERATIONS.tool} ${name}`, {
      kind: 'internal',
      parent: this.span?.traceparent,
      attributes: {
        [GEN_AI.operation]: OPERATIONS.tool,
        [GEN_AI.toolName]: name,
        [GEN_AI.toolCallId]: callId,
        ...(this.tracing.capturesContent && { [GEN_AI.toolArguments]: text }),
      },
    });
    return new ToolTelemetry(name, span, this.tracing, this.metrics);
  }

  /** The execution is over. Only the first call counts. @param outcome the state of the run, or why it ended without one */
  end(outcome: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.span?.set({ [PARLEY.outcome]: outcome });
    this.span?.end(outcome === 'failed' ? outcome : undefined);
  }
}

/** One model call. */
export class ChatTelemetry {
  private readonly startedAt = performance.now();
  private readonly labels: readonly [operation: string, provider: string, model: string];
  private hasBegun = false;
  private isOver = false;

  constructor(
    { provider, model, configuredModel }: ObservedCall,
    private readonly span: Span | undefined,
    private readonly tracing: Tracing,
    private readonly metrics: GenAiMetrics,
  ) {
    this.labels = [OPERATIONS.chat, provider, model === configuredModel ? model : OTHER];
  }

  /** For the header of the request to the model server; undefined if it is not traced. */
  get traceparent(): string | undefined {
    return this.span?.traceparent;
  }

  /** Events have arrived. Only the first call counts. */
  arrived(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.metrics.firstChunk.with(...this.labels).observe(this.seconds);
  }

  /** The answer is complete. */
  answered({ finishReason, usage, output }: ObservedAnswer): void {
    this.span?.set({
      [GEN_AI.finishReasons]: [finishReason],
      ...(usage && { [GEN_AI.inputTokens]: usage.input_tokens, [GEN_AI.outputTokens]: usage.output_tokens }),
      ...(this.tracing.capturesContent && { [GEN_AI.outputMessages]: JSON.stringify(output) }),
    });
    if (usage) {
      this.metrics.tokens.with(...this.labels, 'input').observe(usage.input_tokens);
      this.metrics.tokens.with(...this.labels, 'output').observe(usage.output_tokens);
    }
    this.end(undefined);
  }

  /** The call has ended without a complete answer. Without effect after `answered`. */
  failed(error: unknown): void {
    this.end(errorType(error));
  }

  private end(error: string | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.metrics.duration.with(...this.labels, error ?? 'none').observe(this.seconds);
    this.span?.end(error);
  }

  private get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }
}

/** One call of a tool. */
export class ToolTelemetry {
  private readonly startedAt = performance.now();

  constructor(
    private readonly name: string,
    private readonly span: Span | undefined,
    private readonly tracing: Tracing,
    private readonly metrics: GenAiMetrics,
  ) {}

  /** For what the tool calls; undefined if it is not traced. */
  get traceparent(): string | undefined {
    return this.span?.traceparent;
  }

  /** The call was answered. @param isKnown false for a name that only the model knows */
  answered({ output, failure }: { readonly output: string; readonly failure?: string }, isKnown: boolean): void {
    if (this.tracing.capturesContent) this.span?.set({ [GEN_AI.toolResult]: output });
    this.end(failure, isKnown);
  }

  /** The call has ended the run. */
  failed(error: unknown): void {
    this.end(errorType(error), true);
  }

  private end(failure: string | undefined, isKnown: boolean): void {
    const tool = isKnown ? this.name : OTHER;
    this.metrics.toolCalls.with(tool, failure ?? 'ok').add();
    this.metrics.toolDuration.with(tool).observe((performance.now() - this.startedAt) / 1000);
    this.span?.end(failure);
  }
}

/** A word from a small set: a code of the catalogue, or the class of the error. */
function errorType(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error && error.name === 'RunStop' ? 'stopped' : OTHER;
}
