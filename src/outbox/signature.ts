import { createHash, createHmac } from 'node:crypto';

/** How secrets begin (Standard Webhooks). */
const PREFIX = 'whsec_';

/** Identifies a request to its receiver: the same on every attempt and from every process. */
export function webhookId(parts: readonly (string | number)[]): string {
  return `msg_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}`;
}

/**
 * The headers of Standard Webhooks (contract a2a, section 10).
 *
 * @param now milliseconds since the epoch, of this attempt
 * @param secrets those that sign: base64 behind `whsec_`. Others sign nothing
 */
export function webhookHeaders(
  id: string,
  body: string,
  now: number,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.flatMap((secret) => {
    const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.alloc(0);
    if (key.length === 0) return [];
    return [`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`];
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}
