import { AppError } from '../../common/index.js';
import type { ServerTool } from '../tool.js';

/**
 * Refuses a call that may already have taken effect and must not be made twice (contract runs-api,
 * section 10, rule 4). Calls of tools with other effects may be made again.
 *
 * @throws AppError TOOL_IN_DOUBT
 */
export function refuseInDoubt(tool: ServerTool, inDoubt: boolean): void {
  if (!inDoubt || tool.effects !== 'unsafe') return;
  throw new AppError(
    'TOOL_IN_DOUBT',
    `The server stopped while the tool "${tool.name}" was running; whether it took effect is not known and it was not repeated`,
  );
}
