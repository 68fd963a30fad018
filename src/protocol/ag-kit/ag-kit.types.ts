import type { Json } from '../../common/index.js';

/** An event of the original AG-Kit dialect (contract ag-kit, section 1.4), one `data:` line each. */
export type AgKitEvent =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolCallName: string }
  | { readonly type: 'tool-call-args'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'tool-call-end'; readonly toolCallId: string }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly result: string }
  | { readonly type: 'interrupt'; readonly id: string; readonly reason: string; readonly payload: Json }
  | { readonly type: 'error'; readonly error: string };

/** The wires that share the path `send-message` (contract ag-kit, section 0). */
export const AG_KIT_DIALECTS = ['ag-kit', 'ag-ui', 'bot'] as const;

/** `ag-kit`: dialect A, by `conversationId`; `ag-ui`: B, by `threadId`; `bot`: C, by `msg`. */
export type AgKitDialect = (typeof AG_KIT_DIALECTS)[number];

/** By what name of a wire the frames of each dialect can be watched. */
export const WATCHED_AS: Readonly<Record<AgKitDialect, string>> = {
  'ag-kit': 'ag-kit',
  'ag-ui': 'ag-kit-ag-ui',
  bot: 'ag-kit-bot',
};
