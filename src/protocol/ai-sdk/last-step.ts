import type { Chunk, Level } from './chunk.types.js';

/** A call of the last step, as a page has it. */
interface StepCall {
  /** True while nothing says that the server makes it. */
  isPages: boolean;
  /** True once it has an output or an error. */
  isAnswered: boolean;
}

/**
 * The last step of an answer as the SDK's helpers for sending by itself see it: they send an answer whose last step has
 * calls of the page, all of them answered (contract ui-message-stream, section 0, rule 8).
 */
export class LastStep {
  private readonly calls = new Map<string, StepCall>();

  constructor(private readonly level: Level) {}

  /** True if a page would send the answer by itself. */
  get isSent(): boolean {
    const own = [...this.calls.values()].filter(({ isPages }) => isPages);
    return own.length > 0 && own.every(({ isAnswered }) => isAnswered);
  }

  /** Takes the chunks that follow, and returns them. */
  take<T extends readonly Chunk[]>(chunks: T): T {
    for (const chunk of chunks) this.next(chunk);
    return chunks;
  }

  private next(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
      case 'reset-step':
        this.calls.clear();
        return;
      case 'tool-input-start':
      case 'tool-input-available':
      case 'tool-input-error': {
        const isAnswered = chunk.type === 'tool-input-error';
        this.calls.set(chunk.toolCallId, { isPages: chunk.providerExecuted !== true, isAnswered });
        return;
      }
      case 'tool-output-available':
      case 'tool-output-error': {
        const call = this.calls.get(chunk.toolCallId);
        if (!call) return;
        call.isAnswered = !('preliminary' in chunk);
        // Not every client of level 5 takes it from outputs.
        if (chunk.providerExecuted && this.level > 5) call.isPages = false;
        return;
      }
      default:
    }
  }
}
