import type { RateDecision } from './rate-limits.js';

/** Where clients of OpenAI's API look for their own names of these headers. */
const OPENAI_PATHS = /^\/(compatible-mode\/)?v1\//;

/** The headers that tell a client how much is left (contract access, section 6). */
export function rateHeaders({ buckets }: RateDecision, path: string): Record<string, string> {
  const headers: Record<string, string> = {
    'ratelimit-policy': buckets
      .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    ratelimit: buckets
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
  if (OPENAI_PATHS.test(path)) {
    const [{ limit, remaining, resetSeconds }] = buckets;
    headers['x-ratelimit-limit-requests'] = String(limit);
    headers['x-ratelimit-remaining-requests'] = String(remaining);
    headers['x-ratelimit-reset-requests'] = `${resetSeconds}s`;
  }
  return headers;
}
