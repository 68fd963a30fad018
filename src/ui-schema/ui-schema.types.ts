import type { JsonObject } from '../common/index.js';

/** The status of a card or a badge. */
export type UiStatus = 'info' | 'success' | 'warning' | 'error' | 'pending';

/** The colour theme of a card. */
export type UiTheme = 'default' | 'light' | 'dark';

/** The action of a button. */
export interface UiAction {
  readonly type: 'open_url' | 'send_message' | 'tool_approve' | 'tool_reject';
  readonly payload: { readonly [key: string]: string };
}

/** A node that contains or separates other nodes. */
export type UiLayoutNode =
  | {
      readonly type: 'stack';
      readonly direction?: 'horizontal';
      readonly gap?: 'none' | 'sm' | 'md' | 'lg';
      readonly appearance?: 'card' | 'section';
      readonly children: readonly UiNode[];
    }
  | { readonly type: 'grid'; readonly columns: number; readonly children: readonly UiNode[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly children: readonly UiNode[] }
  | { readonly type: 'divider' };

/** A node with content. */
export type UiLeafNode =
  | {
      readonly type: 'text';
      readonly content: string;
      readonly role: 'title' | 'subtitle' | 'body' | 'caption' | 'code';
    }
  | { readonly type: 'badge'; readonly label: string; readonly status: UiStatus }
  | { readonly type: 'kv'; readonly items: readonly { readonly label: string; readonly value: string }[] }
  | { readonly type: 'image'; readonly url: string; readonly alt: string }
  | { readonly type: 'link'; readonly label: string; readonly url: string }
  | { readonly type: 'button'; readonly label: string; readonly action: UiAction }
  | { readonly type: 'progress'; readonly value: number | null }
  | { readonly type: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Any node of a UiSchemaRenderer. */
export type UiNode = UiLayoutNode | UiLeafNode;

/** The compiled user interface of an answer, version 2.0 (contract runs-api, section 9). */
export interface UiSchemaRenderer {
  readonly version: '2.0';
  /** BCP 47 tag. */
  readonly locale: string;
  readonly status: UiStatus;
  readonly theme: UiTheme;
  readonly root: UiLayoutNode;
}

/**
 * Hints of a tool or an agent for showing its answer. All keys are optional; unknown ones are ignored. `items`
 * are texts, objects with the same keys as a hint, or nodes (`{type: 'table', …}`).
 */
export interface UiHints {
  readonly title?: string;
  readonly body?: string;
  /** info, success, warning, error or pending. */
  readonly status?: string;
  /** The text of the badge. Default: the status in upper case. */
  readonly badge?: string;
  readonly theme?: string;
  readonly fields?: readonly { readonly label: string; readonly value: string | number | boolean }[];
  readonly items?: readonly (string | UiHints | JsonObject)[];
  readonly actions?: readonly { readonly label: string; readonly action: JsonObject }[];
  readonly image?: { readonly url: string; readonly alt?: string };
}
