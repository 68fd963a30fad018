import type { Json, JsonObject } from '../../../common/index.js';
import { exactObjectIn, isPlainObject, isUser, withIntegerTexts } from '../../../common/index.js';
import { type ContentSeals, interruptPlace, type TenantSeal } from '../../../database/index.js';
import type { OpenInterrupt } from '../../../events/index.js';
import type { ApprovalBinding } from '../../tools/index.js';
import { hasDecided } from '../decided-by.js';
import type { Approvers, DecidedBy, InterruptStatus, InterruptView, SettledInterrupt } from '../interrupt.types.js';

/** A row of `interrupts` as plain SQL returns it. */
export interface InterruptRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly session_no: number;
  readonly session_id: string;
  readonly run_no: number;
  readonly run_id: string;
  readonly waiting_run_no: number;
  readonly kind: 'approval' | 'input';
  readonly status: InterruptStatus;
  readonly call_id: string | null;
  readonly input_key: string | null;
  readonly tool_name: string | null;
  readonly arguments: string | null;
  readonly arguments_hash: string | null;
  readonly server_label: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly response_schema: string | null;
  readonly may_edit: number;
  readonly decision: string | null;
  readonly resumed_by_run_no: number | null;
  readonly resumed_by_run_id: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly answered_at: number | null;
  readonly approvers: string | null;
  readonly decided_by: string | null;
  readonly binding: string | null;
}

/** The columns of `InterruptRow`. */
export const INTERRUPT_COLUMNS = `no, id, tenant_id, user_id, session_no, session_id, run_no, run_id, waiting_run_no, kind, status, call_id,
  input_key, tool_name, arguments, arguments_hash, server_label, reason, message, response_schema, may_edit, decision,
  resumed_by_run_no, resumed_by_run_id, created_at, expires_at, answered_at, approvers, decided_by,
  binding`;

/** The content of a row in the clear. Only within `ContentSeals.reading`. @throws UnreadableContent */
export function openedRow<Row extends InterruptRow>(row: Row, content: ContentSeals): Row {
  const { tenant_id: tenantId, session_no: session, id } = row;
  return {
    ...row,
    arguments: content.text(tenantId, interruptPlace('arguments', session, id), row.arguments),
    reason: content.text(tenantId, interruptPlace('reason', session, id), row.reason),
    message: content.text(tenantId, interruptPlace('message', session, id), row.message),
    response_schema: content.json(tenantId, interruptPlace('response_schema', session, id), row.response_schema),
    decision: content.json(tenantId, interruptPlace('decision', session, id), row.decision),
  };
}

/** A row whose content cannot be decrypted. */
export function withoutContent<Row extends InterruptRow>(row: Row): Row {
  return { ...row, arguments: null, reason: null, message: null, response_schema: null, decision: null };
}

/** The columns with content of a row, as they are stored. */
export function sealedColumns(
  seal: TenantSeal,
  session: number,
  item: OpenInterrupt,
): Pick<InterruptRow, 'arguments' | 'reason' | 'message' | 'response_schema'> {
  const { id, response_schema: schema } = item;
  return {
    arguments: seal.text(interruptPlace('arguments', session, id), item.arguments),
    reason: seal.text(interruptPlace('reason', session, id), item.reason),
    message: seal.text(interruptPlace('message', session, id), item.message),
    response_schema: seal.json(interruptPlace('response_schema', session, id), schema && JSON.stringify(schema)),
  };
}

/** A row as callers see it. @param now a pending interrupt is expired at this time if its time has passed */
export function interruptView(row: InterruptRow, now: number): InterruptView {
  const isOver = row.status === 'pending' && row.expires_at !== null && row.expires_at <= now;
  return {
    id: row.id,
    kind: row.kind,
    status: isOver ? 'expired' : row.status,
    runId: row.run_id,
    sessionId: row.session_id,
    userId: row.user_id,
    callId: row.call_id,
    toolName: row.tool_name,
    arguments: argumentsOf(row.arguments),
    modelArguments: row.arguments,
    serverLabel: row.server_label,
    reason: row.reason,
    message: row.message,
    responseSchema: objectOf(row.response_schema),
    mayEdit: row.may_edit === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    answeredAt: row.answered_at,
    resumedByRunId: row.resumed_by_run_id,
    decision: objectOf(row.decision),
    approvers: objectOf(row.approvers) as unknown as Approvers | null,
    binding: objectOf(row.binding) as unknown as ApprovalBinding | null,
    decidedBy: objectOf(row.decided_by) as unknown as DecidedBy | null,
  };
}

/** A row as the resumed run sees it. */
export function settledInterrupt(row: InterruptRow): SettledInterrupt {
  const view = interruptView(row, 0);
  const { arguments: edited, argumentsText: exact } = view.decision ?? {};
  return {
    key: row.input_key,
    argumentsText: edited === undefined ? (row.arguments ?? '') : textOf(edited, exact),
    ...view,
  };
}

/** A row as an event of the log. */
export function openInterrupt(row: InterruptRow): OpenInterrupt {
  return {
    id: row.id,
    kind: row.kind,
    call_id: row.call_id,
    tool_name: row.tool_name,
    arguments: row.arguments,
    server_label: row.server_label,
    reason: row.reason,
    message: row.message,
    response_schema: objectOf(row.response_schema),
    may_edit: row.may_edit === 1,
    expires_at: row.expires_at,
  };
}

/** @param exact the text, if JSON cannot have all of its integers */
function textOf(edited: Json, exact: Json | undefined): string {
  return typeof exact === 'string' ? exact : JSON.stringify(edited);
}

function argumentsOf(text: string | null): JsonObject | null {
  const args = exactObjectIn(text ?? '');
  return args ? (withIntegerTexts(args) as JsonObject) : null;
}

function objectOf(text: string | null): JsonObject | null {
  if (text === null || text.trim() === '') return null;
  const value = JSON.parse(text) as Json;
  return isPlainObject(value) ? value : null;
}

/** The decision of a user under a pseudonym; undefined if somebody else has decided. */
export function decidedUnder(decided: DecidedBy, userId: string, pseudonym: string): DecidedBy | undefined {
  if (!hasDecided(decided, userId)) return undefined;
  const { actor } = decided;
  const isActor = isUser(actor, userId);
  return {
    ...decided,
    actor: isActor ? { ...actor, id: pseudonym } : actor,
    userId: decided.userId === userId ? pseudonym : decided.userId,
  };
}
