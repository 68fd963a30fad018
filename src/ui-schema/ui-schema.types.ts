/** The mood of a card or a badge. */
export type UiStatus = 'info' | 'success' | 'warning' | 'error' | 'pending';

/** How a card is coloured. */
export type UiTheme = 'default' | 'light' | 'dark';

/** What a button does. */
export interface UiAction {
  readonly type: 'open_url' | 'send_message' | 'tool_approve' | 'tool_reject';
  readonly payload: { readonly [key: string]: string };
}

/** A node that holds others, or parts them. */
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

/** A node that shows something. */
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

/** The compiled picture of an answer, version 2.0 (contract runs-api, section 9). */
export interface UiSchemaRenderer {
  readonly version: '2.0';
  /** BCP 47 tag. */
  readonly locale: string;
  readonly status: UiStatus;
  readonly theme: UiTheme;
  readonly root: UiLayoutNode;
}
