import type { AttachmentReader } from '../../../attachment/index.js';
import { abortableDelay, type Delay } from '../../../common/index.js';
import { ModelClient, type ModelInfo, type ModelRequest } from '../../ports/model-client.js';
import { withInlineImages } from '../upstream/inline-images.js';
import { RetriedBatches } from '../upstream/retried-batches.js';
import type { CallTimeouts } from '../upstream/watchdog.js';
import { CompletionCall, type CompletionRequest } from './completion-call.js';
import type { DecoderSetting } from './completion-decoder.js';
import { requestBody } from './request-body.js';
import { type ConnectionSettings, UpstreamHttp } from './upstream-http.js';

/** The address, the model and the limits of a model server. */
export interface ChatCompletionsSettings extends ConnectionSettings, CallTimeouts {
  /** Provider name for logs and usage, for example `dashscope`. */
  readonly provider: string;
  /** Up to and without `/chat/completions`; a query is kept. */
  readonly baseUrl: string;
  /** Sent as a bearer token when there is one. */
  readonly apiKey: string | undefined;
  /** The model of requests that name none. */
  readonly model: string;
  /** Further attempts after the first one, each before the first event only. */
  readonly maxRetries: number;
}

/** What a test may replace: the wait between attempts, and the jitter (a number in [0, 1)). */
export interface ChatCompletionsHooks {
  /** Waits between two attempts. Default: a timer. */
  readonly delay?: Delay;
  /** A number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * A client for any server with the streaming Chat Completions API. Errors are `AppError`s with MODEL_*
 * codes, INVALID_PARAMETER for a part that the format cannot carry; the upstream's text is in their
 * `cause` only.
 */
export class ChatCompletionsModelClient extends ModelClient {
  readonly provider: string;
  private readonly http: UpstreamHttp;
  private readonly url: URL;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly delay: Delay;
  private readonly random: () => number;

  /** @throws StartupError if a variable of the environment names a proxy that cannot be used */
  constructor(
    private readonly settings: ChatCompletionsSettings,
    private readonly attachments: AttachmentReader,
    hooks: ChatCompletionsHooks = {},
  ) {
    super();
    this.provider = settings.provider;
    this.url = completionsUrl(settings.baseUrl);
    this.http = new UpstreamHttp(settings, this.url);
    this.headers = headersFor(settings.apiKey);
    this.delay = hooks.delay ?? abortableDelay;
    this.random = hooks.random ?? Math.random;
  }

  override get info(): ModelInfo {
    return { kind: 'openai-compatible', name: this.settings.model };
  }

  stream(request: ModelRequest, signal: AbortSignal): RetriedBatches {
    const { maxRetries } = this.settings;
    let prepared: CompletionRequest | undefined;
    const open = async (): Promise<CompletionCall> => {
      prepared ??= await this.prepare(request);
      return new CompletionCall(this.http, prepared, signal);
    };
    return new RetriedBatches(open, { maxRetries, delay: this.delay, random: this.random }, signal);
  }

  /** Ends the connections when the process stops. */
  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async prepare(request: ModelRequest): Promise<CompletionRequest> {
    const { model, firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs } = this.settings;
    const timeouts = {
      firstTokenTimeoutMs,
      idleTimeoutMs,
      ...(commentsTimeoutMs !== undefined && { commentsTimeoutMs }),
    };
    const body = requestBody(await withInlineImages(request, this.attachments), model);
    const { traceparent } = request;
    const headers = traceparent === undefined ? this.headers : Object.assign({}, this.headers, { traceparent });
    const reading = { origin: this.url.host, ...readingOf(request) };
    return { url: this.url, headers, body, reading, ...timeouts };
  }
}

/** What the answer to a request refers to. */
function readingOf({ messages, tools }: ModelRequest): Pick<DecoderSetting, 'toolNames' | 'usedCallIds'> {
  const usedCallIds = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const { id } of message.toolCalls) usedCallIds.add(id);
  }
  return { toolNames: tools.map(({ name }) => name), usedCallIds };
}

/** Keeps the query of the base URL, which some providers need. */
function completionsUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

function headersFor(apiKey: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    // Compression delays the pieces of a stream.
    'accept-encoding': 'identity',
    'user-agent': 'parley',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
}
