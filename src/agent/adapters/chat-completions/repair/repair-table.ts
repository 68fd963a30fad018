import { FIELD_ROWS } from './field-repairs.js';
import { MESSAGE_ROWS } from './message-repairs.js';
import type { Refused, Repair, RepairRow } from './repair.js';
import { TOOL_ROWS } from './tool-repairs.js';

/** What several servers refuse with status 500: every failure of a template, and what the model cannot see. */
const TEMPLATE_ROWS: readonly RepairRow[] = [
  MESSAGE_ROWS.order,
  TOOL_ROWS.parallelCalls,
  TOOL_ROWS.callIds,
  MESSAGE_ROWS.crowdedMessages,
  TOOL_ROWS.anySchema,
  TOOL_ROWS.noTools,
  MESSAGE_ROWS.nullContents,
  MESSAGE_ROWS.contents,
];

/** In the order in which they are tried: specific sentences before mere names. */
const ROWS: readonly RepairRow[] = [
  FIELD_ROWS.effortWithTools,
  MESSAGE_ROWS.missingThoughts,
  MESSAGE_ROWS.missingSignature,
  MESSAGE_ROWS.crowdedMessages,
  TOOL_ROWS.neededTools,
  TOOL_ROWS.callIds,
  TOOL_ROWS.parallelCalls,
  TOOL_ROWS.oneTool,
  TOOL_ROWS.anySchema,
  MESSAGE_ROWS.formatWithTools,
  MESSAGE_ROWS.nullContents,
  TOOL_ROWS.noTools,
  MESSAGE_ROWS.messageMembers,
  FIELD_ROWS.limit,
  FIELD_ROWS.usage,
  FIELD_ROWS.sampling,
  FIELD_ROWS.effort,
  FIELD_ROWS.optionalMembers,
  TOOL_ROWS.toolChoice,
  MESSAGE_ROWS.formats,
  MESSAGE_ROWS.contents,
  MESSAGE_ROWS.blankTexts,
  MESSAGE_ROWS.order,
  FIELD_ROWS.unknownMembers,
];

/**
 * The first repair of a refusal that the call has not made (contract model-servers, section 1.4); undefined if there is
 * none.
 *
 * @param made the kinds that the call has made
 */
export function repairFor(refused: Refused, made: ReadonlySet<string>): Repair | undefined {
  const rows = refused.refusal.status === 500 ? TEMPLATE_ROWS : ROWS;
  for (const row of rows) {
    const repair = row(refused);
    if (repair && !made.has(repair.kind)) return repair;
  }
  return undefined;
}
