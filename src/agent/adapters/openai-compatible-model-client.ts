import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { AttachmentReader } from '../../attachment/index.js';
import { abortableDelay, AppError, type Delay } from '../../common/index.js';
import { ModelClient, type ModelEvent, type ModelRequest } from '../ports/model-client.js';
import { toAppError } from './openai-compatible/error-mapping.js';
import { withInlineImages } from './openai-compatible/inline-images.js';
import { toCallOptions } from './openai-compatible/prompt-mapping.js';
import { patientFetch } from './openai-compatible/patient-fetch.js';
import { retryDelayMs } from './openai-compatible/retry-policy.js';
import { StreamMapper } from './openai-compatible/stream-mapping.js';
import { Watchdog } from './openai-compatible/watchdog.js';

/** Where the model is and how patient to be with it. Durations are milliseconds. */
export interface OpenAiCompatibleSettings {
  /** Provider name for logs and usage, for example `dashscope`. */
  readonly provider: string;
  /** Up to and without `/chat/completions`. */
  readonly baseUrl: string;
  /** Sent as a bearer token when there is one. */
  readonly apiKey: string | undefined;
  /** The model of requests that name none. */
  readonly model: string;
  readonly firstTokenTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Further attempts after the first one, each before the first event only. */
  readonly maxRetries: number;
}

/** What a test may replace: the wait between attempts, and the jitter (a number in [0, 1)). */
export interface OpenAiCompatibleHooks {
  readonly delay?: Delay;
  readonly random?: () => number;
}

/**
 * Any server that speaks the streaming Chat Completions API. Errors are `AppError`s with MODEL_*
 * codes, INVALID_PARAMETER for a part that the chat format cannot carry; the upstream's words are in
 * their `cause` only.
 */
export class OpenAiCompatibleModelClient extends ModelClient {
  readonly provider: string;
  private readonly delay: Delay;
  private readonly random: () => number;

  constructor(
    private readonly settings: OpenAiCompatibleSettings,
    private readonly attachments: AttachmentReader,
    hooks: OpenAiCompatibleHooks = {},
  ) {
    super();
    this.provider = settings.provider;
    this.delay = hooks.delay ?? abortableDelay;
    this.random = hooks.random ?? Math.random;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    for (let attempt = 0; ; attempt += 1) {
      let begun = false;
      try {
        for await (const event of this.attempt(request, signal)) {
          begun = true;
          yield [event];
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        const canRetry = !begun && attempt < this.settings.maxRetries;
        const pause = canRetry ? retryDelayMs(error, attempt, this.random()) : undefined;
        if (pause === undefined) throw toAppError(error);
        await this.delay(pause, signal);
      }
    }
  }

  /** One upstream call. It is over, one way or the other, when the iteration is. */
  private async *attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    signal.throwIfAborted();
    const watchdog = new Watchdog(signal, this.settings.firstTokenTimeoutMs, this.settings.idleTimeoutMs);
    try {
      let broken: { readonly reason: unknown } | undefined;
      const stream = await this.open(request, watchdog.signal, (reason) => (broken = { reason }));
      const reader = stream.getReader();
      const mapper = new StreamMapper();
      let finished = false;
      for (;;) {
        watchdog.wait();
        const { done, value } = await reader.read();
        // Parts that were buffered before an abort still arrive: they are dropped here.
        signal.throwIfAborted();
        if (done) break;
        // The end that the SDK makes of a cut answer.
        if (broken && (value.type === 'finish' || value.type === 'error')) throw broken.reason;
        const event = mapper.map(value);
        if (!event) continue;
        watchdog.token();
        watchdog.hold();
        finished ||= event.type === 'finish';
        yield event;
      }
      if (!finished) throw new AppError('MODEL_EXECUTION_FAILED', 'The model broke its answer off');
    } catch (error) {
      if (!watchdog.timedOut) throw error;
      throw timeout(watchdog, error);
    } finally {
      watchdog.close();
    }
  }

  private async open(
    request: ModelRequest,
    abortSignal: AbortSignal,
    onBreak: (reason: unknown) => void,
  ): Promise<ReadableStream<LanguageModelV3StreamPart>> {
    const { baseUrl, apiKey } = this.settings;
    const upstream = createOpenAICompatible({
      name: 'openaiCompatible',
      baseURL: baseUrl,
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: patientFetch(onBreak),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    const model = upstream.chatModel(request.options.model ?? this.settings.model);
    const result = await model.doStream({
      ...toCallOptions(await withInlineImages(request, this.attachments)),
      abortSignal,
    });
    return result.stream;
  }
}

function timeout(watchdog: Watchdog, cause: unknown): AppError {
  const message = watchdog.awaitsFirstToken
    ? 'The model did not begin to answer in time'
    : 'The model fell silent in the middle of its answer';
  return new AppError('MODEL_TIMEOUT', message, { cause });
}
