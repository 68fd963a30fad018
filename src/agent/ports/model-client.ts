import type { JsonObject } from '../../common/index.js';
import type { Usage } from '../../events/index.js';
import type { ToolDeclaration } from '../tools/index.js';

/** A part of a user's or tool's message to the model. */
export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  /** `url` is an address or a `data:` URL; `mimeType` is set where it is known of an address. */
  | { readonly type: 'image'; readonly url: string; readonly mimeType?: string }
  | { readonly type: 'audio'; readonly data: string; readonly format: string }
  | {
      readonly type: 'file';
      readonly url: string | null;
      readonly data: string | null;
      readonly filename: string | null;
    };

/** A finished tool call as the model made it; `arguments` is JSON text. */
export interface ModelToolCall {
  /** Unique in the conversation. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; it can be invalid. */
  readonly arguments: string;
}

/** One message of the conversation as a model client sees it. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: readonly ModelPart[];
      /** True for the images of the results or of the answer before it: the turn goes on. */
      readonly isOfResults?: boolean;
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ModelToolCall[];
      /** The `replay` of the answer that this message was: of this run, or stored with the message in the ledger. */
      readonly replay?: JsonObject;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      /** Images of the result. Clients get none: a message of the user after the results of the answer has them. */
      readonly images?: readonly Extract<ModelPart, { type: 'image' }>[];
    };

/** Generation settings. An absent one is left to the provider. */
export interface ModelOptions {
  /** Default: that of the client's settings. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** The most tokens of the answer. */
  readonly maxTokens?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[];
  /** For answers that can be repeated, with providers that support it. */
  readonly seed?: number;
  /** Default: plain text. */
  readonly responseFormat?: ResponseFormat;
  /** Whether, and which, tools are to be called. Default `auto`. */
  readonly toolChoice?: ToolChoice;
  /** False: at most one call in an answer. */
  readonly parallelToolCalls?: boolean;
  /** How hard a reasoning model is to think, in the provider's words: `low`, `medium`, `high` … */
  readonly reasoningEffort?: string;
  /**
   * Estimated tokens of a conversation above which the model loop puts a summary in place of its beginning; at most
   * CONTEXT_TOKEN_BUDGET. Of no meaning to the model.
   */
  readonly compactAbove?: number;
  /** True: a summary is all that the run writes. Of no meaning to the model. */
  readonly compactOnly?: boolean;
}

/** The form of the answer's text. A `json_schema` answer is a valid instance of the schema. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
      /** Tells the model what the object is for. */
      readonly description?: string;
    };

/** No call, a call if the model decides so, at least one call, or a call of this tool. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** One model call. */
export interface ModelRequest {
  /** Oldest first, in the form of contract model-servers, section 4.1. */
  readonly messages: readonly ModelMessage[];
  /** Empty: the model cannot call tools. */
  readonly tools: readonly ToolDeclaration[];
  readonly options: ModelOptions;
  /** For the header `traceparent` of the request to the model server; absent if the call is not traced. */
  readonly traceparent?: string;
  /** Of a call that tries the model out: it is not retried, and its repairs take their requests from here. */
  readonly budget?: RequestBudget;
}

/** How many requests a trial may still make: those that begin a call, and those that repair a refused one. */
export class RequestBudget {
  /** @param left a whole number, at least 0 */
  constructor(public left: number) {}

  /** Takes one request. @returns false if none is left */
  take(): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
    return true;
  }
}

/**
 * The events of a model call, in order. `index` identifies a tool call; its first delta has the `name` (and
 * the `id`, if the provider has one), later ones only argument text. `finish` comes last, exactly once.
 */
export type ModelEvent =
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'text-delta'; readonly text: string }
  /** Text with which the model declines to answer. */
  | { readonly type: 'refusal-delta'; readonly text: string }
  /** A whole image; `url` is an address or a `data:` URL. */
  | { readonly type: 'image'; readonly url: string }
  /**
   * A source that the text rests on: the part of all text deltas joined that the indexes tell, in UTF-16 code units;
   * without them, the text so far.
   */
  | {
      readonly type: 'citation';
      readonly url: string;
      readonly title?: string;
      readonly startIndex?: number;
      readonly endIndex?: number;
    }
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly argumentsDelta: string;
    }
  | {
      readonly type: 'finish';
      readonly reason: ModelFinishReason;
      readonly usage: Usage | null;
      /**
       * Data that the provider wants back with this answer in every later request, such as signed reasoning. It is
       * stored with the last message of the answer, and no wire shows it. Only the same kind of client reads it, and
       * only for the same provider; each kind uses its own key.
       */
      readonly replay?: JsonObject;
    };

/** A try of a model call that failed, after which the call was made again. */
export interface FailedTry {
  /** When it failed, in milliseconds since the epoch. */
  readonly at: number;
  /** As the error of the call would have it: a MODEL_* code and its sentence. */
  readonly code: string;
  readonly message: string;
  /** Milliseconds that were waited before the next try. */
  readonly pauseMs: number;
}

/** The events of a model call as they arrive, and what its client knows of it besides. */
export type ModelStream = AsyncIterable<readonly ModelEvent[]> & {
  /** The tries before, after which it was made again. */
  readonly retries?: readonly FailedTry[];
  /** The model that answers, as its server names it; undefined until the server has said so. */
  readonly model?: string | undefined;
};

/** Why a model call ended. */
export type ModelFinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** The model that answers requests which name none. */
export interface ModelInfo {
  /** `offline`, `openai-compatible`, or the provider of a model that is given in code. */
  readonly kind: string;
  readonly name: string;
  /** How requests are written for its server; absent for clients of a team's own. */
  readonly profile?: ModelProfileInfo;
  /** Where its server is, without secrets; absent if the client does not know. */
  readonly address?: string;
  /** The last failures of calls, the newest first; absent if the client does not keep them. */
  readonly failures?: readonly ModelFailureInfo[];
}

/** A failure of model calls in the life of this process, for operators. Contains nothing of a conversation and no key. */
export interface ModelFailureInfo {
  /** The last time that it occurred. */
  readonly at: Date;
  /** How often it has occurred. */
  readonly count: number;
  /** Of the catalogue, such as `MODEL_NOT_FOUND`. */
  readonly code: string;
  /** The message that clients received. */
  readonly message: string;
  /** The HTTP status of the model server; null if there was none. */
  readonly status: number | null;
  /** The requested model. */
  readonly model: string;
  /** Where the request went, without secrets; null if the client does not know. */
  readonly address: string | null;
  /** What the server said; null if it said nothing. */
  readonly says: string | null;
  /** The likely cause, and what to look at; null if nothing is likely. */
  readonly cause: string | null;
}

/** How the requests to a model server are written (contract model-servers, section 0). */
export interface ModelProfileInfo {
  readonly name: string;
  /** What it was chosen by, as the end of the sentence "The profile was chosen by …". */
  readonly reason: string;
  /** What refusals of the server have changed since the process started. */
  readonly repairs: readonly ModelRepairInfo[];
  /** The value of `LLM_COMPAT` with which the repairs would not have been necessary; empty if there are none. */
  readonly overrides: JsonObject;
}

/** A change in the form of requests that a refusal of the server has led to. */
export interface ModelRepairInfo {
  readonly kind: string;
  /** What is sent now, as the end of the sentence "Requests are now sent …". */
  readonly says: string;
  /** What the server said, without anything of a conversation. */
  readonly sentence: string;
}

/**
 * One model provider. `stream` yields the answer in batches: the events that arrived together, such as
 * those of one socket read. A batch is never empty; a client need not limit its size, because the model
 * loop divides large ones.
 *
 * `stream` throws an `AppError` with a MODEL_* code when the call fails; it retries with
 * back-off, but only before the first event. After `signal` aborts, no further batch is yielded and the
 * iteration throws the signal's reason.
 */
export abstract class ModelClient {
  /** Provider name for logs and usage. */
  abstract readonly provider: string;

  /** What the health page and the terminal show of the model. */
  get info(): ModelInfo {
    return { kind: this.provider, name: this.provider };
  }

  abstract stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}
