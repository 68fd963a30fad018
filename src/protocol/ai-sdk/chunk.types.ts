import type { Json } from '../../common/index.js';

/** The lines of the SDK whose clients a stream is written for (contract ui-message-stream, section A5). */
export const LEVELS = [5, 6, 7] as const;
/** One of them: everything in a stream is known to its x.0.0. */
export type Level = (typeof LEVELS)[number];

/** Why an answer has ended. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls';

/** What belongs to a call in several chunks. An absent key is left out: null would be refused. */
interface CallKeys {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Absent for tools that the page has typed. */
  readonly dynamic?: true;
  /** Absent for calls of the client, and for those that may need permission. */
  readonly providerExecuted?: true;
}

/** A chunk of the stream (contract ui-message-stream, section A4). */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata?: Json }
  | { readonly type: 'message-metadata'; readonly messageMetadata: Json }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' | 'abort' }
  | { readonly type: `${'text' | 'reasoning'}-${'start' | 'end'}`; readonly id: string }
  | { readonly type: `${'text' | 'reasoning'}-delta`; readonly id: string; readonly delta: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | ({ readonly type: 'tool-input-start' } & CallKeys)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: 'tool-input-available'; readonly input: Json; readonly title?: string } & CallKeys)
  | ({ readonly type: 'tool-input-error'; readonly input: Json; readonly errorText: string } & CallKeys)
  | ({ readonly type: 'tool-output-available'; readonly output: Json; readonly preliminary?: true } & Omit<
      CallKeys,
      'toolName'
    >)
  | ({ readonly type: 'tool-output-error'; readonly errorText: string } & Omit<CallKeys, 'toolName'>)
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: Json }
  | { readonly type: 'finish'; readonly finishReason?: FinishReason; readonly messageMetadata?: Json }
  | { readonly type: 'error'; readonly errorText: string };

/** A part of a message, in the form that the client of the SDK gives it. */
export interface UiPart {
  readonly type: string;
  readonly [key: string]: Json;
}

/** A message as pages show it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly metadata?: Json;
  readonly parts: readonly UiPart[];
}
