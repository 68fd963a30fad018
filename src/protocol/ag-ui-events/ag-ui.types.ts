import type { Json, JsonObject } from '../../common/index.js';

/** The two generations of clients in use (contract ag-ui, section 0): 1.0 announces itself, 0.0.x does not. */
export type AgUiGeneration = 'v1' | 'v0';

/** The version that a 1.0 client announces and this server speaks. */
export const AG_UI_PROTOCOL_VERSION = '1.0';

/** Where a media part's bytes are. `file` is an opaque handle of a provider, in 1.0 only; it is never fetched. */
export type AgUiSource =
  | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
  | { readonly type: 'url'; readonly value: string; readonly mimeType?: string }
  | { readonly type: 'file'; readonly value: string; readonly provider?: string; readonly mimeType?: string };

/** A part of a user's message. */
export type AgUiPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'document';
      readonly source: AgUiSource;
      readonly metadata?: JsonObject;
    };

/** A call in an assistant's message; `arguments` is JSON text. */
export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly encryptedValue?: string;
}

/** The subagent that something comes from; absent for the run's own agent. */
interface Owned {
  readonly subagentRunId?: string;
}

/** A message of a conversation, as MESSAGES_SNAPSHOT shows it (contract ag-ui, section 1.2). */
export type AgUiMessage = Owned & { readonly encryptedValue?: string; readonly metadata?: JsonObject } & (
    | {
        readonly id: string;
        readonly role: 'developer' | 'system';
        readonly content: string;
        readonly name?: string;
      }
    | {
        readonly id: string;
        readonly role: 'user';
        readonly content: string | readonly AgUiPart[];
        readonly name?: string;
      }
    | {
        readonly id: string;
        readonly role: 'assistant';
        readonly content?: string;
        readonly name?: string;
        readonly toolCalls?: readonly AgUiToolCall[];
      }
    | {
        readonly id: string;
        readonly role: 'tool';
        readonly toolCallId: string;
        readonly content: string;
        readonly error?: string;
      }
    | { readonly id: string; readonly role: 'reasoning'; readonly content: string; readonly encryptedValue?: string }
  );

/** What a run used, in tokens; the last two are parts of the first two. */
export interface AgUiTokenUsage {
  readonly provider?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** An interrupt that a run ended with (contract ag-ui, section 2.5). */
export interface AgUiInterrupt {
  readonly id: string;
  /** `tool_call` for an approval, `input_required` for an input. */
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: JsonObject;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly metadata?: JsonObject;
}

/** How a run ended; `cancelled` and `pendingToolCallIds` are for 1.0 clients only. */
export type AgUiOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

/** An event of an AG-UI stream (contract ag-ui, section 1.3), as this server writes it: absent instead of null. */
export type AgUiEvent =
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
      readonly parentRunId?: string;
      readonly input?: JsonObject;
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      readonly outcome?: AgUiOutcome;
      readonly usage?: readonly AgUiTokenUsage[];
    }
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code?: string;
      readonly usage?: readonly AgUiTokenUsage[];
    }
  | ({ readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string } & Owned)
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' } & Owned)
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }
  | ({
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId: string;
    } & Owned)
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | ({
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata?: JsonObject;
    } & Owned)
  | ({ readonly type: 'STATE_SNAPSHOT'; readonly snapshot: Json } & Owned)
  | ({ readonly type: 'STATE_DELTA'; readonly delta: readonly JsonObject[] } & Owned)
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | ({
      readonly type: 'ACTIVITY_SNAPSHOT';
      readonly messageId: string;
      readonly activityType: string;
      readonly content: JsonObject;
    } & Owned)
  | ({
      readonly type: 'ACTIVITY_DELTA';
      readonly messageId: string;
      readonly activityType: string;
      readonly patch: readonly JsonObject[];
    } & Owned)
  | ({ readonly type: 'REASONING_START'; readonly messageId: string } & Owned)
  | { readonly type: 'REASONING_END'; readonly messageId: string }
  | ({ readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' } & Owned)
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'REASONING_MESSAGE_END'; readonly messageId: string }
  | {
      readonly type: 'REASONING_ENCRYPTED_VALUE';
      readonly subtype: 'message' | 'tool-call';
      readonly entityId: string;
      readonly encryptedValue: string;
    }
  | ({ readonly type: 'CUSTOM'; readonly name: string; readonly value: Json } & Owned)
  | ({ readonly type: 'RAW'; readonly event: Json; readonly source?: string } & Owned)
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly description?: string;
      readonly parentSubagentRunId?: string;
      readonly parentToolCallId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly result?: Json;
      readonly outcome?: { readonly type: 'suspended'; readonly interruptIds: readonly string[] };
    }
  | {
      readonly type: 'SUBAGENT_ERROR';
      readonly subagentRunId: string;
      readonly message: string;
      readonly code?: string;
    };
