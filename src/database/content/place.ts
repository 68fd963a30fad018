/**
 * The place of content in the database, which it is bound to when it is sealed.
 *
 * @param row the key of the row, of parts that never change
 */
export function placeOf(table: string, column: string, row: string): string {
  return `${table}.${column} ${row}`;
}

/** The place of a column of a run. */
export function runPlace(
  column: 'request' | 'wire_data' | 'state_before' | 'digests' | 'input_sealed',
  sessionRowId: number,
  ordinal: number,
): string {
  return placeOf('runs', column, `${sessionRowId}.${ordinal}`);
}

/** The place of events of a run. Those in `run_results` are copies with the same numbers. */
export function chunkPlace(runRowId: number, firstSeq: number): string {
  return placeOf('run_event_chunks', 'body', `${runRowId}.${firstSeq}`);
}

/** The place of the output of a step. */
export function stepPlace(runRowId: number, key: string): string {
  return placeOf('run_steps', 'output', `${runRowId}.${key}`);
}

/** The place of a column of a message. */
export function messagePlace(column: 'body' | 'provider_state', sessionRowId: number, seq: number): string {
  return placeOf('messages', column, `${sessionRowId}.${seq}`);
}

/** The place of the state of a session. */
export function statePlace(sessionRowId: number): string {
  return placeOf('sessions', 'state', String(sessionRowId));
}

/** The place of a column of an interrupt. */
export function interruptPlace(
  column: 'arguments' | 'reason' | 'message' | 'response_schema' | 'decision',
  sessionRowId: number,
  id: string,
): string {
  return placeOf('interrupts', column, `${sessionRowId}.${id}`);
}

/** The place of the content of a line of the audit trail. */
export function auditPlace(lineNo: number): string {
  return placeOf('audit_payloads', 'content', String(lineNo));
}

/** The place of the body of a delivery. @param id unique, as in the header `webhook-id` */
export function deliveryPlace(id: string): string {
  return placeOf('webhook_deliveries', 'body', id);
}

/** The place of a column of a schedule. */
export function schedulePlace(column: 'input' | 'metadata' | 'model_options', id: string): string {
  return placeOf('schedules', column, id);
}

/** The place of the bytes of an attachment. @param path in the object store */
export function objectPlace(path: string): string {
  return placeOf('attachments', 'bytes', path);
}
