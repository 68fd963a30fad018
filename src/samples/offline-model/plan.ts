import type { JsonObject } from '../../common/index.js';

/** A tool call that the offline model makes. */
export interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What the offline model does with a turn: call tools, or say something. */
export type Plan =
  | { readonly kind: 'calls'; readonly calls: readonly PlannedCall[]; readonly why: string }
  | { readonly kind: 'text'; readonly text: string; readonly why: string };

/** A plan to say something; `why` is shown when the user asks to see the thinking. */
export function say(text: string, why: string): Plan {
  return { kind: 'text', text, why };
}
