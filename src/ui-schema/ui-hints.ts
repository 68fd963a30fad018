import type { JsonObject } from '../common/index.js';

/**
 * How a tool or an agent would have its answer shown. All of it may be left out; what is not understood
 * is dropped. `items` are texts, objects with the same keys as a hint, or nodes (`{type: 'table', …}`).
 */
export interface UiHints {
  readonly title?: string;
  readonly body?: string;
  /** info, success, warning, error or pending. */
  readonly status?: string;
  /** The text of the badge; without it the status in capitals. */
  readonly badge?: string;
  readonly theme?: string;
  readonly fields?: readonly { readonly label: string; readonly value: string | number | boolean }[];
  readonly items?: readonly (string | UiHints | JsonObject)[];
  readonly actions?: readonly { readonly label: string; readonly action: JsonObject }[];
  readonly image?: { readonly url: string; readonly alt?: string };
}
