import { hash } from 'node:crypto';
import type { WireRules } from '../profiles/wire-rules.js';

const SHORT = /^[a-zA-Z0-9_-]{1,40}$/;
const NINE = /^[a-zA-Z0-9]{9}$/;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** An id of a call as a server takes it: unchanged where it may be, else a hash, the same one in every request. */
export function wireCallId(id: string, rule: WireRules['callIds']): string {
  if (rule === 'any' || (rule === 'short' ? SHORT : NINE).test(id)) return id;
  const digest = hash('sha256', id, 'buffer');
  if (rule === 'short') return `call_${digest.toString('hex').slice(0, 32)}`;
  return Array.from(digest.subarray(0, 9), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
