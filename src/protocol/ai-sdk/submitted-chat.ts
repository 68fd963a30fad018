import { fingerprint } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { Level } from './chunk.types.js';

/** What a request is answered with. */
export type SubmittedChat =
  /** A run that was accepted, now or by an earlier request that this one repeats: its own part of the turn. */
  | { readonly kind: 'run'; readonly run: RunView }
  /** What the session has already: a turn, from one of its runs on. */
  | {
      readonly kind: 'turn';
      readonly turn: readonly RunView[];
      readonly from: RunView;
      /** The id that the page has given its answer. Absent: that of the turn. */
      readonly messageId?: string;
    }
  /** The turn waits for further answers. */
  | {
      readonly kind: 'waiting';
      readonly turn: readonly RunView[];
      readonly messageId: string;
      readonly level: Level;
    };

/** The name of a request for a run: the same parts make the same run. */
export function keyOf(...parts: readonly unknown[]): string {
  return `ui:${fingerprint(parts)}`;
}
