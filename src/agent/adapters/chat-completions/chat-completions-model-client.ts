import { Logger } from '@nestjs/common';
import { abortableDelay, type AppError, type Delay } from '../../../common/index.js';
import type { AttachmentReader } from '../../attachment/index.js';
import { ModelClient, type ModelInfo, type ModelRequest } from '../../ports/model-client.js';
import { addressOf, CallFailures } from '../upstream/call-failures.js';
import { withInlineImages } from '../upstream/inline-images.js';
import { type ModelCall, RetriedBatches } from '../upstream/retried-batches.js';
import { ToolNames } from '../upstream/tool-names.js';
import type { CallTimeouts } from '../upstream/watchdog.js';
import { headersFor, ModelAddress } from './model-address.js';
import { ownerOf } from './model-owner.js';
import { type Outgoing, OutgoingCall } from './outgoing-call.js';
import type { RuleChange } from './profiles/wire-rules.js';
import { Dialects } from './repair/dialects.js';
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
  /** The name of the profile; undefined to choose it. */
  readonly profile?: string | undefined;
  /** What errors and logs call the setting of `profile`. Default: `LLM_PROFILE`. */
  readonly profileSetting?: string;
  /** Rules in the place of those of the profile. */
  readonly overrides?: RuleChange | undefined;
  /** Further headers of every request. They are secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a test may replace: the wait between attempts, the jitter (a number in [0, 1)), and the logs. */
export interface ChatCompletionsHooks {
  /** Waits between two attempts. Default: a timer. */
  readonly delay?: Delay;
  /** A number in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Takes a line about the form of requests. Default: a warning in the log of the server. */
  readonly log?: (line: string) => void;
  /** Takes a line about calls that failed. Default: a warning in the log of the server. */
  readonly logFailure?: (line: string) => void;
}

const logger = new Logger('Model');

/**
 * A client for any server with the streaming Chat Completions API. It writes each request as the profile of the server
 * says, and in another form after a refusal (contract model-servers, sections 0 and 1). Errors are `AppError`s with
 * MODEL_* codes, INVALID_PARAMETER for a part that the format cannot carry; the upstream's text is in their `cause`
 * only.
 */
export class ChatCompletionsModelClient extends ModelClient {
  readonly provider: string;
  private readonly outgoing: Outgoing;
  private readonly dialects: Dialects;
  private readonly failures: CallFailures;
  private readonly delay: Delay;
  private readonly random: () => number;
  /** Runs while the kind of the server is found out. */
  private asking: Promise<void> | undefined;

  /**
   * @throws StartupError if a variable of the environment names a proxy that cannot be used, or if the named profile
   *   does not exist
   */
  constructor(
    private readonly settings: ChatCompletionsSettings,
    private readonly attachments: AttachmentReader,
    hooks: ChatCompletionsHooks = {},
  ) {
    super();
    const { baseUrl, apiKey, model, headers = {}, profile: named, profileSetting, overrides } = settings;
    const warn = (line: string): void => logger.warn(line);
    const { log = warn, logFailure = warn } = hooks;
    const address = new ModelAddress(baseUrl);
    const { hostname } = address.url;
    this.provider = settings.provider;
    const sent = headersFor(address.url, apiKey, headers);
    this.failures = new CallFailures({ headers: sent, log: logFailure });
    this.outgoing = {
      http: new UpstreamHttp(settings, address.url),
      address,
      headers: sent,
      model,
      timeouts: settings,
      log,
    };
    this.dialects = new Dialects({ named, namedBy: profileSetting, hostname, overrides }, model, log);
    this.delay = hooks.delay ?? abortableDelay;
    this.random = hooks.random ?? Math.random;
  }

  override get info(): ModelInfo {
    return {
      kind: 'openai-compatible',
      name: this.settings.model,
      profile: this.dialects.for().info,
      address: addressOf(this.outgoing.address.baseUrl),
      failures: this.failures.list,
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): RetriedBatches {
    const { delay, random } = this;
    const maxRetries = request.budget ? 0 : this.settings.maxRetries;
    const { startsWithLetter } = this.dialects.for(request.options.model).rules.usual;
    const names = ToolNames.of(request, { startsWithLetter });
    let call: OutgoingCall | undefined;
    const open = async (): Promise<ModelCall> => {
      call ??= await this.begin(names?.outward(request) ?? request, signal);
      return call.open();
    };
    const failed = (error: AppError): void => this.noteFailure(error, request);
    return new RetriedBatches(open, { maxRetries, delay, random, failed }, signal, names);
  }

  /** Asks a server of which nothing is known what it is; the first call waits for it. */
  onApplicationBootstrap(): void {
    this.asking = this.ask().finally(() => (this.asking = undefined));
  }

  /** Ends the connections when the process stops. */
  async onApplicationShutdown(): Promise<void> {
    await this.outgoing.http.close();
  }

  private noteFailure(error: AppError, request: ModelRequest): void {
    const { address, model } = this.outgoing;
    this.failures.note(error, { request, model: request.options.model ?? model, url: address.url });
  }

  private async ask(): Promise<void> {
    const { http, address, headers, model } = this.outgoing;
    const owner = this.dialects.isUnknown ? await ownerOf(http, address.modelsUrls, headers, model) : undefined;
    if (owner !== undefined) this.dialects.learnOwner(owner);
    const { name, reason } = this.dialects.for().profile;
    logger.log(`${model} at ${address.url.host}: profile ${name}, chosen by ${reason}`);
  }

  private async begin(request: ModelRequest, signal: AbortSignal): Promise<OutgoingCall> {
    if (this.asking) await this.asking;
    const inlined = await withInlineImages(request, this.attachments);
    return new OutgoingCall(this.outgoing, inlined, this.dialects.for(request.options.model), signal);
  }
}
