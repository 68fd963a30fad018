import type { Artifact, Part, Task } from './a2a.types.js';
import type { StreamFormat } from './a2a.encoder.js';

/** Bytes of one frame at most: clients refuse longer ones. */
const MOST_BYTES = 4 * 1024 * 1024 - 1024;
/** Characters of a text that is sent in pieces. */
const PIECE = 512 * 1024;

/**
 * The first frames of a stream: the task, if need be without the oldest messages of its history. A text is never cut: if
 * the task is still too long, its artifacts follow as updates (contract a2a, section 7.3).
 */
export function taskFrames(task: Task, format: StreamFormat): readonly string[] {
  const frame = (one: Task): string => format.first(format.shapes.taskFrame(one));
  const whole = frame(task);
  if (fits(whole)) return [whole];
  for (let history = task.history.slice(1); ; history = history.slice(1)) {
    const shorter = frame({ ...task, history });
    if (fits(shorter)) return [shorter];
    if (history.length === 0) break;
  }
  const ids = { taskId: task.taskId, contextId: task.contextId };
  const pieces = task.artifacts.flatMap((artifact) =>
    piecesOf(artifact).map((piece, index, all) =>
      format.first(
        format.shapes.updateFrame(ids, {
          kind: 'artifact',
          artifact: piece,
          append: index > 0,
          lastChunk: index === all.length - 1,
        }),
      ),
    ),
  );
  return [frame({ ...task, history: [], artifacts: [] }), ...pieces];
}

function fits(frame: string): boolean {
  return frame.length * 3 <= MOST_BYTES || Buffer.byteLength(frame) <= MOST_BYTES;
}

function piecesOf({ artifactId, name, parts }: Artifact): readonly Artifact[] {
  const pieces = parts.flatMap((part): readonly Part[] => {
    if (!('text' in part) || part.text.length <= PIECE) return [part];
    const characters = Array.from({ length: Math.ceil(part.text.length / PIECE) }, (_, at) =>
      part.text.slice(at * PIECE, (at + 1) * PIECE),
    );
    return characters.map((text) => ({ ...part, text }));
  });
  return pieces.map((part, index) => ({
    artifactId,
    ...(index === 0 && name !== undefined && { name }),
    parts: [part],
  }));
}
