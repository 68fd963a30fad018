/** A JSON Schema, as far as forms are made from it. */
export type Schema = Readonly<Record<string, unknown>>;

/** An approval, or an input that an agent asks for. */
export interface Interrupt {
  readonly id: string;
  readonly kind: 'approval' | 'input';
  readonly status: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string | null;
  readonly toolName: string | null;
  readonly arguments: Record<string, unknown> | null;
  readonly serverLabel: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly mayEdit: boolean;
  readonly responseSchema: Schema | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly answeredAt: string | null;
  readonly resumedByRunId: string | null;
  readonly decision: unknown;
  readonly decidedBy?: { readonly userId?: string };
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Who the server takes this browser for. */
export interface Whoami {
  readonly tenantId: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly account?: string };
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly expiresAt: string | null;
}

/** The answer to an interrupt. */
export interface InterruptAnswer {
  readonly approve?: boolean;
  readonly reason?: string;
  readonly arguments?: Record<string, unknown>;
  readonly payload?: unknown;
  readonly cancel?: boolean;
}

/** Tokens that a run or a model call has used. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedTokens?: number;
}

/** A run in a list. */
export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agent: string;
  readonly wire: string;
  readonly status: string;
  readonly queuePosition: number | null;
  readonly model: string | null;
  readonly input: string | null;
  readonly attempt: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly usage: Usage | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The first run of the turn that it continues; null if it is the first. */
  readonly turn: { readonly id: string; readonly input: string | null } | null;
  readonly waitsFor: 'approval' | 'input' | 'client' | null;
  readonly interrupts: readonly RunInterrupt[];
}

/** Something that a run has asked. */
export interface RunInterrupt {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly toolName: string | null;
  readonly resumedByRunId: string | null;
}

/** A run in full. */
export interface RunDetail extends Run {
  readonly ordinal: number;
  readonly eventCount: number;
  readonly eventsRemovedAt: string | null;
  readonly worker: string | null;
  readonly takeovers: readonly { readonly attempt: number; readonly at: string }[];
}

/** A part of a run with a beginning and an end. */
export interface Span {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly parentId: string | null;
  readonly usage?: Usage;
  readonly callId?: string;
  readonly interruptId?: string;
  readonly details?: unknown;
}

/** A step of a journal. */
export interface Step {
  readonly key: string;
  readonly status: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly output: unknown;
}

/** What the server has stored of a request. */
export interface RunRequest {
  readonly wire: string;
  readonly agent: string;
  readonly input: readonly unknown[];
  readonly settings: unknown;
  readonly wireData: unknown;
}

/** What a run did, as spans. */
export interface Timeline {
  /** Of the run. */
  readonly status: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly spans: readonly Span[];
}

/** One event of a run log. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly event: unknown;
}

/** A page of events. */
export interface EventPage extends Page<LoggedEvent> {
  readonly total: number;
}

/** A session in a list. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messageCount: number;
  readonly lastRun: {
    readonly id: string;
    readonly status: string;
    readonly wire: string;
    readonly input: string | null;
  } | null;
}

/** A message of a session. */
export interface SessionMessage {
  readonly seq: number;
  readonly runId: string | null;
  readonly createdAt: string;
  readonly message: unknown;
}

/** The shared state of a session, and how it came about. */
export interface SessionState extends Page<StateChange> {
  readonly state: unknown;
  readonly updatedAt: string;
}

/** A change of the shared state. */
export interface StateChange {
  readonly runId: string;
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly initial?: boolean;
  readonly snapshot?: unknown;
  readonly patch?: unknown;
}

/** An agent that this browser may run. */
export interface Agent {
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly exposure: string;
  readonly recovery: string;
}

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly effects: string;
  readonly server: string;
  readonly timeoutMs: number;
  readonly mayAsk: boolean;
}

/** What the policy decides about a call. */
export interface PolicyAnswer {
  readonly decision: string;
  readonly rule: number | null;
  readonly reason: string | null;
  readonly arguments: unknown;
  readonly mayEdit?: boolean;
  readonly expiresInMs?: number;
  readonly approvers?: { readonly roles?: readonly string[]; readonly notOwner?: boolean };
}

/** A configured MCP server. */
export interface McpServer {
  readonly label: string;
  readonly state: string;
  readonly required: boolean;
  readonly tools: readonly string[];
}

/** An API key, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly account: string;
  readonly name: string | null;
  readonly status: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** An uploaded image. */
export interface Attachment {
  readonly id: string;
  readonly userId: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly createdAt: string;
  /** Null while a session refers to it. */
  readonly deleteAfter: string | null;
  readonly url: string;
}
