import { createHash } from 'node:crypto';
import { fingerprint } from '../../common/index.js';
import type { ToolCall } from '../tool-call.js';

/** The journal's key of a call. */
export function toolStepKey(callId: string): string {
  return `tool:${callId}`;
}

/** What the journal compares to see that a resumed call is the same call. */
export function toolInputHash(call: ToolCall): string {
  return fingerprint({ name: call.name, arguments: call.arguments });
}

/** The same for every execution of a call, and different for every other call of every run. */
export function idempotencyKey(runId: string, callId: string): string {
  return createHash('sha256').update(`${runId}:${callId}`).digest('hex');
}
