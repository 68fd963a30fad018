import { type AppError, assertUnreachable, type JsonObject } from '../../../common/index.js';
import type { AskedInterrupt } from '../../interrupt/index.js';
import type { AgentOutcome } from '../../agent.js';
import type { AskedQuestions, ExchangeEnd, StoredBoundary } from './remote-kind.js';
import type { RemoteWriter } from './remote-writer.js';

/** What an exchange with a remote agent ends with. */
export type ExchangeOutcome =
  | { readonly kind: 'outcome'; readonly outcome: AgentOutcome }
  | ({ readonly kind: 'questions'; readonly kept: JsonObject } & AskedQuestions)
  | { readonly kind: 'failure'; readonly error: AppError };

/** The outcome that the last boundary of an exchange has. */
export function outcomeIn(boundary: StoredBoundary | undefined): ExchangeOutcome | undefined {
  return boundary?.told['outcome'] as unknown as ExchangeOutcome | undefined;
}

/**
 * What an exchange ends with.
 *
 * @param asking its id, and what the next exchange gets, which answers its questions
 */
export function outcomeOf(
  end: ExchangeEnd,
  { asked, questions, clientCallIds }: Pick<RemoteWriter, 'asked' | 'questions' | 'clientCallIds'>,
  { exchange, kept }: { readonly exchange: string; readonly kept: () => JsonObject },
): ExchangeOutcome {
  switch (end.kind) {
    case 'failed':
      return { kind: 'failure', error: end.error };
    case 'incomplete':
      return { kind: 'outcome', outcome: { kind: 'incomplete', reason: end.reason } };
    case 'completed':
      // Approvals are first: whoever answers the run's questions need not be allowed to decide them.
      if (questions.length > 0 && asked.length === 0) return { kind: 'questions', exchange, questions, kept: kept() };
      return { kind: 'outcome', outcome: waitingOutcome(asked, clientCallIds) };
    default:
      return assertUnreachable(end);
  }
}

/** How a run ends whose exchange is over: it may wait for approvals, or for the client. @param callIds of the client */
export function waitingOutcome(asked: readonly AskedInterrupt[], callIds: readonly string[]): AgentOutcome {
  if (asked.length === 0 && callIds.length === 0) return { kind: 'completed' };
  const isApproval = asked.length > 0;
  return {
    kind: 'interrupted',
    reason: isApproval ? 'approval' : 'client_tool',
    message: isApproval ? 'The agent needs permission to continue.' : null,
    callIds,
    responseSchema: null,
    asked,
  };
}

/** Stops after which another process continues the exchange. */
const HANDOVERS: ReadonlySet<unknown> = new Set(['shutdown', 'lost', 'failover']);

/** True if another process continues what was stopped here. */
export function isHandedOver({ aborted, reason }: AbortSignal): boolean {
  const kind: unknown = reason instanceof Error ? (reason as { readonly kind?: unknown }).kind : undefined;
  return aborted && HANDOVERS.has(kind);
}
