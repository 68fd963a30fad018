/** A call of a tool of the client. */
export interface CompletionCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A source that the answer cites. The indexes count UTF-16 code units of the whole text. */
export interface UrlCitation {
  readonly type: 'url_citation';
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    readonly start_index: number;
    /** Exclusive. */
    readonly end_index: number;
  };
}

/** Why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** Tokens of all model calls of a run; 0 where they are unknown. */
export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: 0 };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: 0;
    readonly accepted_prediction_tokens: 0;
    readonly rejected_prediction_tokens: 0;
  };
}

/** The answer of a completion. */
export interface CompletionMessage {
  readonly role: 'assistant';
  /** Null if there are calls and no text. */
  readonly content: string | null;
  readonly refusal: string | null;
  /** The sources of the text. */
  readonly annotations: readonly UrlCitation[];
  /** Absent without calls. */
  readonly tool_calls?: readonly CompletionCall[];
  /** Absent without reasoning. */
  readonly reasoning_content?: string;
}

/** The answer to a request without a stream (contract chat-completions, section A4). */
export interface Completion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly [
    {
      readonly index: 0;
      readonly message: CompletionMessage;
      readonly logprobs: null;
      readonly finish_reason: FinishReason;
    },
  ];
  readonly usage: CompletionUsage;
  readonly service_tier: 'default';
  readonly system_fingerprint: null;
  /** Only of stored completions. */
  readonly metadata?: object;
}
