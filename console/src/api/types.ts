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
