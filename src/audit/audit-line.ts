import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, isoTime, type JsonObject } from '../common/index.js';
import type { ServerKey } from '../config/index.js';
import { OPERATOR_TENANT } from './audit-act.js';

/** A line of the audit trail as it is stored. Users are pseudonyms. */
export interface StoredLine {
  /** Its place in the table: not in the chain. */
  readonly no: number;
  /** The tenant as it was called then; `OPERATOR_TENANT` for the operator's lines. */
  readonly tenant: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly action: string;
  readonly outcome: string;
  readonly actorKind: string;
  readonly actorId: string;
  readonly actorAccount: string | null;
  readonly onBehalfOf: string | null;
  readonly subjectKind: string | null;
  readonly subjectId: string | null;
  readonly runId: string | null;
  readonly interruptId: string | null;
  readonly callId: string | null;
  readonly toolName: string | null;
  readonly requestId: string | null;
  readonly network: string | null;
  readonly payloadHash: string | null;
  /** Canonical JSON of an object. */
  readonly details: string;
}

/** A line as people read it, and as it is sealed (contract access, section 8). */
export interface AuditLine {
  /** Its number in its chain, from 1; null until it is sealed. */
  readonly seq: number | null;
  /** ISO 8601. */
  readonly at: string;
  /** Null for a line of the operator. */
  readonly tenant: string | null;
  readonly action: string;
  readonly outcome: string;
  readonly actor: {
    readonly kind: string;
    readonly id: string;
    readonly account?: string;
    readonly keyId?: string;
  };
  readonly onBehalfOf?: string;
  readonly subject?: { readonly kind: string; readonly id: string };
  readonly runId?: string;
  readonly interruptId?: string;
  readonly callId?: string;
  readonly toolName?: string;
  readonly requestId?: string;
  readonly network?: string;
  readonly payloadHash?: string;
  readonly details: JsonObject;
}

/** What seals a line. */
export interface AuditSeal {
  /** HMAC-SHA-256 in hex. */
  readonly hash: string;
  /** Which key of `AUDIT_KEYS` made it. */
  readonly kid: string;
}

/** The end of a chain at some time: what was sealed until then cannot be cut off unnoticed. */
export interface Checkpoint {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * A stored line as it is sealed.
 *
 * @returns undefined for one that this server cannot have written
 */
export function lineOf(entry: StoredLine, seq: number | null): AuditLine | undefined {
  const details = detailsOf(entry.details);
  if (!details || !Number.isSafeInteger(entry.at) || Math.abs(entry.at) > LATEST) return undefined;
  if (entry.subjectKind === null && entry.subjectId !== null) return undefined;
  return {
    seq,
    at: isoTime(entry.at),
    tenant: entry.tenant === OPERATOR_TENANT ? null : entry.tenant,
    action: entry.action,
    outcome: entry.outcome,
    actor: {
      kind: entry.actorKind,
      id: entry.actorId,
      ...(entry.actorAccount !== null && { account: entry.actorAccount }),
      ...(entry.actorKind === 'key' && { keyId: entry.actorId }),
    },
    ...(entry.onBehalfOf !== null && { onBehalfOf: entry.onBehalfOf }),
    ...(entry.subjectKind !== null && { subject: { kind: entry.subjectKind, id: entry.subjectId ?? '' } }),
    ...(entry.runId !== null && { runId: entry.runId }),
    ...(entry.interruptId !== null && { interruptId: entry.interruptId }),
    ...(entry.callId !== null && { callId: entry.callId }),
    ...(entry.toolName !== null && { toolName: entry.toolName }),
    ...(entry.requestId !== null && { requestId: entry.requestId }),
    ...(entry.network !== null && { network: entry.network }),
    ...(entry.payloadHash !== null && { payloadHash: entry.payloadHash }),
    details,
  };
}

/** The hash before the first line of a chain. */
export function beginningOf(chain: string): string {
  return createHash('sha256').update(`parley audit chain\n${chain}`).digest('hex');
}

/** The hash that seals a line after another. @param previous the hash of the line before, or `beginningOf` its chain */
export function sealHash(key: ServerKey, previous: string, line: AuditLine): string {
  return createHmac('sha256', key.secret).update(previous).update(canonicalJson(line)).digest('hex');
}

/** What closes an export, so that its end cannot be cut off. */
export function endHash(
  key: ServerKey,
  end: { readonly chain: string; readonly seq: number; readonly hash: string },
): string {
  return createHmac('sha256', key.secret)
    .update(`parley audit export\n${canonicalJson({ chain: end.chain, seq: end.seq, hash: end.hash })}`)
    .digest('hex');
}

/** Stands for a content in its line, without telling what it is. @param salt hex, kept with the content */
export function payloadHash(salt: string, content: string): string {
  return createHmac('sha256', Buffer.from(salt, 'hex')).update(content).digest('hex');
}

/** The greatest time that a date can have. */
const LATEST = 8.64e15;

/** Another text of the same value is a change too. */
function detailsOf(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonObject;
    return canonicalJson(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}
