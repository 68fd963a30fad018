import { fingerprint } from '../../../../common/index.js';
import { asObject, type Fields, objectAt, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { either } from './ag-ui-fields.js';

/** A call whose arguments are coming. */
export interface OpenCall {
  readonly name: string;
  arguments: string;
}

/** What questions are about. */
export interface Asking {
  readonly runId: string;
  /** The calls of the run, by their ids. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly writer: RemoteWriter;
}

/** Approvals where all are; otherwise questions, which are answered one after the other. */
export function askFor(interrupts: readonly Fields[], { runId, calls, writer }: Asking): void {
  if (interrupts.every((one) => isApproval(one, writer))) {
    for (const one of interrupts) askApproval(one, { runId, calls, writer });
    return;
  }
  for (const [index, one] of interrupts.entries()) {
    const schema = objectAt(one, 'responseSchema');
    const reason = textAt(objectAt(one, 'metadata'), 'reason') ?? textAt(one, 'reason') ?? 'input_required';
    writer.question({
      key: keyOf(runId, textAt(one, 'id') ?? String(index)),
      reason,
      message: textAt(one, 'message') ?? reason,
      ...(Object.keys(schema).length > 0 && { responseSchema: asObject(schema) }),
    });
  }
}

/** A question about a call whose answer is yes or no. */
function isApproval(interrupt: Fields, writer: RemoteWriter): boolean {
  const callId = either(interrupt, 'toolCallId');
  if (callId === undefined || !(writer.knowsCall(callId) || textAt(interrupt, 'reason') === 'tool_call')) return false;
  const schema = objectAt(interrupt, 'responseSchema');
  if (textAt(schema, 'type') === 'boolean') return true;
  const properties = objectAt(schema, 'properties');
  return (
    ['approved', 'approve'].some((name) => textAt(objectAt(properties, name), 'type') === 'boolean') ||
    Object.keys(schema).length === 0
  );
}

function askApproval(interrupt: Fields, { calls, writer }: Asking): void {
  const callId = either(interrupt, 'toolCallId') ?? '';
  const known = calls.get(callId);
  const about = objectAt(interrupt, 'metadata');
  const label = textAt(about, 'serverLabel');
  const message = textAt(interrupt, 'message');
  writer.approval(textAt(interrupt, 'id') ?? callId, {
    callId,
    name: known?.name ?? textAt(about, 'toolName') ?? 'unknown_tool',
    arguments: known?.arguments || (textAt(about, 'arguments') ?? '{}'),
    ...(label !== undefined && { label }),
    ...(message !== undefined && { message }),
  });
}

/** The key of a question of a run, which its answer names. */
function keyOf(runId: string, interruptId: string): string {
  const key = `${runId.slice(0, 8)}/${interruptId}`;
  return key.length <= 256 ? key : `${runId.slice(0, 8)}/${fingerprint(interruptId).slice(0, 64)}`;
}
