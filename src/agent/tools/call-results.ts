import { AppError, exactJsonText } from '../../common/index.js';
import { DeadlineError } from './deadline.js';
import { type ServerTool, ToolError } from './tool.js';
import { type ToolCall, toolInputHash, type ToolJournal, toolStepKey } from './tool-call.js';

/** The answer to the model for a call that threw. If `isPublic` is false, the error goes to the log only. */
interface FailureSentence {
  readonly failure: 'failed' | 'timeout';
  readonly sentence: string;
  readonly isPublic: boolean;
}

/** The message of a `ToolError` or `AppError`; other errors are not disclosed. */
export function failureSentence(tool: ServerTool, error: unknown): FailureSentence {
  if (error instanceof DeadlineError) {
    const doubt = tool.effects === 'none' ? '' : ' It may have taken effect all the same.';
    const sentence = `The tool failed: it did not answer within ${error.milliseconds / 1000} s.${doubt}`;
    return { failure: 'timeout', sentence, isPublic: true };
  }
  if (error instanceof ToolError || error instanceof AppError) {
    return { failure: 'failed', sentence: `The tool failed: ${error.message}`, isPublic: true };
  }
  return { failure: 'failed', sentence: 'The tool failed because of an internal error.', isPublic: false };
}

/** A result as text: a string unchanged, any other value as JSON, with bigints as integers. @throws TypeError if JSON cannot represent it */
export function outputText(value: unknown): string {
  const text = typeof value === 'string' ? value : (exactJsonText(value) ?? 'null');
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/**
 * Limits a text to `limitBytes` bytes of UTF-8. A longer one is cut between two characters and ends with a
 * sentence that says so, which counts towards the limit.
 */
export function boundText(text: string, limitBytes: number): string {
  if (text.length * 3 <= limitBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limitBytes) return text;
  const mark = `\n[The output was cut here: it has ${bytes.length} bytes and the limit is ${limitBytes}.]`;
  let end = Math.max(0, limitBytes - Buffer.byteLength(mark));
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end) + mark;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

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
