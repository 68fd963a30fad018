import type { Carried } from '../../common/index.js';
import type { Caller } from './caller.js';

/** The trace that a run request belongs to, as a member of the request. */
export function traceOf({ traceparent }: Pick<Caller, 'traceparent'>): { readonly traceparent?: string } {
  return traceparent === undefined ? {} : { traceparent };
}

/**
 * What headers of a request set of its run, as members of the run request: the endpoint that is told of the end of the
 * run, which the field `webhook_id` of its metadata may name, too, and what it carries on to remote agents.
 *
 * @param metadata what the client says about the run, unchecked
 * @throws AppError as `CarriedHeaders.of`
 */
export function sentWith(
  { webhook, carried }: Pick<Caller, 'webhook' | 'carried'>,
  metadata?: Readonly<Record<string, unknown>> | null,
): { readonly webhook?: string; readonly carried?: Carried } {
  const named = webhook ?? metadata?.['webhook_id'];
  return {
    ...(typeof named === 'string' && named !== '' && { webhook: named }),
    ...(carried && { carried }),
  };
}
