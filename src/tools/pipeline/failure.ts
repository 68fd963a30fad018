import { AppError } from '../../common/index.js';
import { ToolError } from '../tool-error.js';
import type { ServerTool } from '../tool.js';
import { DeadlineError } from './deadline.js';

/** What the model is told of a call that threw. `isPublic` is false when the cause belongs in the log. */
export interface FailureSentence {
  readonly failure: 'failed' | 'timeout';
  readonly sentence: string;
  readonly isPublic: boolean;
}

/** Shows the words of a `ToolError` or `AppError`; of any other error nothing. */
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
