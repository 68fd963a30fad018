import { VERSION } from '../common/index.js';
import type { OutgoingHttp } from '../outgoing/index.js';
import type { ComposedDelivery } from './outbox-channel.js';
import { webhookHeaders } from './signature.js';

const TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read. */
const MOST_BYTES = 1024;

/** The outcome of a request. */
export interface PostOutcome {
  /** Of the answer; undefined without one. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** The beginning of the answer, or a sentence that says what went wrong. */
  readonly text: string;
  readonly durationMs: number;
}

/**
 * Makes one request of the outbox: signed, within 15 s, without following redirects (contract hooks, section A3). Never
 * rejects.
 *
 * @param now milliseconds since the epoch
 */
export async function post(http: OutgoingHttp, request: ComposedDelivery, now: number): Promise<PostOutcome> {
  const { url, body, contentType, headers, id, secrets, isLoopbackAllowed, isHttpAllowed = false } = request;
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  try {
    const answer = await http.send(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': contentType,
        'user-agent': `Parley/${VERSION}`,
        ...headers,
        ...webhookHeaders(id, body, now, secrets),
      },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
      isCutAllowed: true,
      isLoopbackAllowed,
      isHttpAllowed,
    });
    const retryAfter = answer.headers['retry-after']?.toString();
    return { status: answer.status, retryAfter, text: answer.body.toString('utf8'), durationMs: durationMs() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { status: undefined, retryAfter: undefined, text, durationMs: durationMs() };
  }
}

/** Whether the receiver has accepted a request. */
export function isTaken({ status }: PostOutcome): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** The label of metrics for the outcome of a request. */
export function outcomeLabel(outcome: PostOutcome): 'sent' | 'unreachable' | 'refused' {
  if (isTaken(outcome)) return 'sent';
  return outcome.status === undefined ? 'unreachable' : 'refused';
}
