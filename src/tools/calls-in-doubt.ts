import { AppError } from '../common/index.js';
import { type ToolCall, toolInputHash, type ToolJournal, toolStepKey } from './tool-call.js';
import type { ServerTool } from './tool.js';

/*
 * A call is in doubt when an earlier attempt of the run started it and the server stopped before its result was
 * stored: whether it took effect is not known. The declared effects of the tool decide whether it is repeated
 * (contract runs-api, section 10, rule 4).
 */

/**
 * Refuses a call in doubt that must not be made twice. Calls of tools with other effects may be repeated.
 *
 * @throws AppError TOOL_IN_DOUBT
 */
export function refuseInDoubt(tool: ServerTool, call: ToolCall, journal: ToolJournal): void {
  if (tool.effects !== 'unsafe' || !journal.inDoubt(toolStepKey(call.callId))) return;
  throw new AppError(
    'TOOL_IN_DOUBT',
    `The server stopped while the tool "${tool.name}" was running; whether it took effect is not known and it was not repeated`,
  );
}

/**
 * Records that a call starts, unless an earlier attempt has recorded it. Calls without effects need no record.
 *
 * @throws AppError TOOL_IN_DOUBT as `refuseInDoubt`
 */
export async function beginCall(tool: ServerTool, call: ToolCall, journal: ToolJournal): Promise<void> {
  refuseInDoubt(tool, call, journal);
  const key = toolStepKey(call.callId);
  if (tool.effects !== 'none' && !journal.inDoubt(key)) await journal.begin(key, toolInputHash(call));
}
