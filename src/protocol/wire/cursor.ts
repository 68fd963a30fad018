import { AppError } from '../../common/index.js';
import type { FrameCursor } from './stream-options.js';

/** The error for a cursor beyond the end, which could never be satisfied. @param field the one that has the cursor */
export function cursorAhead(field: string, sentence: string): AppError {
  return new AppError('CURSOR_AHEAD', sentence, { details: [{ path: field, message: sentence }] });
}

/**
 * Where a reader is that has the first frames of a run already.
 *
 * @param sentence as for `cursorAhead`; gets how many frames there are
 * @param error for wires that have an error of their own
 */
export function frameCursor(
  seen: number,
  field: string,
  sentence: (count: number) => string,
  error = cursorAhead,
): FrameCursor {
  return { seen, ahead: (count) => error(field, sentence(count)) };
}

/** A cursor that is the number of frames, in the field `after`. */
export function afterFrames(seen: number): FrameCursor {
  return frameCursor(seen, 'after', (count) => `after is ${seen}, but this run has ${count} frames so far`);
}

/**
 * A cursor in the field `starting_after`: the number of the last event that the client has, where events are numbered from 0.
 *
 * @param value -1 if absent
 * @param thing what has the events
 */
export function startingAfter(
  value: string | undefined,
  thing: 'run' | 'response',
  error?: typeof cursorAhead,
): FrameCursor {
  const after = Number(value ?? -1);
  const sentence = (count: number): string => {
    const last = `the last event of this ${thing} has the sequence_number ${count - 1}`;
    return `starting_after is ${after}, but ${last}`;
  };
  return frameCursor(after + 1, 'starting_after', sentence, error);
}
