import { Logger } from '@nestjs/common';
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { abortableDelay, type AppError, type Delay } from '../../../common/index.js';
import type { AttachmentReader } from '../../attachment/index.js';
import { ModelClient, type ModelInfo, type ModelRequest } from '../../ports/model-client.js';
import type { LanguageModelSource } from '../../ports/models.js';
import { CallFailures } from '../upstream/call-failures.js';
import { withInlineImages } from '../upstream/inline-images.js';
import { type ModelCall, RetriedBatches } from '../upstream/retried-batches.js';
import { ToolNames } from '../upstream/tool-names.js';
import type { CallTimeouts } from '../upstream/watchdog.js';
import { CallRepairs } from '../chat-completions/repair/call-repairs.js';
import type { Dialect } from '../chat-completions/repair/dialect.js';
import { type DialectClues, NativeDialects } from './native-dialects.js';
import { UnwritableRequestError, upstreamErrorOf } from './sdk-error.js';
import type { AnswerOrigin } from './sdk-rules.js';
import { SdkCall } from './sdk-call.js';
import { type PromptSetting, type WrittenCall, writtenCall } from './sdk-prompt.js';
import { nativeRepairFor, sketchOf } from './sdk-repairs.js';

/** What the calls of one client share. */
interface NativeSetting extends CallTimeouts, Omit<PromptSetting, 'rules'> {}

/** A request on its way, and its answer. */
interface Sent {
  readonly call: SdkCall;
  readonly written: WrittenCall;
}

/** A model call through a provider's package: all its requests, those of retries and those of repairs. */
class NativeCall {
  private readonly repairs: CallRepairs;
  private written: WrittenCall | undefined;

  constructor(
    private readonly model: LanguageModelV3,
    private readonly request: ModelRequest,
    private readonly dialect: Dialect,
    private readonly setting: NativeSetting,
    private readonly signal: AbortSignal,
  ) {
    this.repairs = new CallRepairs(dialect, nativeRepairFor);
  }

  /** The next attempt. */
  open(): ModelCall {
    return new RepairedCall(this);
  }

  /** Sends the request in its present form. @throws AppError INVALID_PARAMETER for a part that is not valid */
  async send(): Promise<Sent> {
    const { model, request, setting, repairs } = this;
    const { family, providerOptions } = setting;
    this.written ??= await writtenCall(request, model, { rules: repairs.rules, family, providerOptions });
    return { written: this.written, call: new SdkCall(model, this.written.options, setting, this.signal) };
  }

  /** Chooses another form after a failure. @throws the error to report, if there is none */
  change(error: unknown, { written: { options, rules } }: Sent): void {
    if (this.signal.aborted) throw error;
    const { budget, options: asked } = this.request;
    const body = sketchOf(options, rules.omit.includes('reasoning_effort') ? undefined : asked.reasoningEffort);
    if (!this.repairs.repair(error, { body, rules }) || budget?.take() === false) {
      const reported = this.repairs.reported(error);
      throw reported instanceof UnwritableRequestError ? reported.reported : reported;
    }
    this.written = undefined;
  }

  /** The answer has begun: what helped is kept. */
  begin({ call, written }: Sent): void {
    this.repairs.keep();
    const notes = [...written.notes, ...call.notes];
    if (notes.length > 0) this.dialect.note(notes);
  }
}

/** One attempt of a call: its request, and after refusals the same in other forms, without a pause. */
class RepairedCall implements ModelCall {
  private sent: Sent | undefined;
  private hasBegun = false;
  private isClosed = false;

  constructor(private readonly native: NativeCall) {}

  get model(): string | undefined {
    return this.sent?.call.model;
  }

  next(): ReturnType<ModelCall['next']> {
    return this.hasBegun && this.sent ? this.sent.call.next() : this.first();
  }

  close(): void {
    this.isClosed = true;
    this.sent?.call.close();
  }

  private async first(): ReturnType<ModelCall['next']> {
    for (;;) {
      const sent = (this.sent ??= await this.native.send());
      if (this.isClosed) sent.call.close();
      try {
        const batch = await sent.call.next();
        this.hasBegun = true;
        this.native.begin(sent);
        return batch;
      } catch (error) {
        this.native.change(error, sent);
        sent.call.close();
        this.sent = undefined;
      }
    }
  }
}

/** The names that every provider takes. */
const TOOL_NAME_RULES = { startsWithLetter: true } as const;

/** How a provider's model is called. */
export interface AiSdkSettings extends CallTimeouts, DialectClues {
  /** Further attempts after the first one, each before the first event only. */
  readonly maxRetries: number;
  /** Options of the provider, by its name, for every call. */
  readonly providerOptions?: SharedV3ProviderOptions;
  /** Headers of its requests whose values are secret, as far as they are known. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where its server is, if the settings say so. */
  readonly address?: string;
}

/** What a test may replace: the wait between attempts, the jitter (a number in [0, 1)), and the log. */
export interface AiSdkHooks {
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
 * A client for any model that implements the AI SDK's provider interface, version 3. It uses the types of
 * the interface only: no code of the AI SDK is loaded but that of the provider package. It writes each request as the API
 * behind the package takes it, and in another form after a refusal (contract model-servers, sections 0, 1 and 5).
 *
 * Errors are `AppError`s with MODEL_* codes, INVALID_PARAMETER for a part that is not valid; the upstream's text is in
 * their `cause` only.
 */
export class AiSdkModelClient extends ModelClient {
  readonly provider: string;
  private readonly modelId: string;
  private readonly origin: AnswerOrigin;
  private readonly dialects: NativeDialects;
  private readonly failures: CallFailures;
  private readonly delay: Delay;
  private readonly random: () => number;

  /**
   * @throws Error for a model of another version of the interface, and what the function throws for requests that
   *   name no model; StartupError if the named profile does not exist
   */
  constructor(
    private readonly source: LanguageModelSource,
    private readonly settings: AiSdkSettings,
    private readonly attachments: AttachmentReader,
    hooks: AiSdkHooks = {},
  ) {
    super();
    const { provider, modelId } = checked(typeof source === 'function' ? source(undefined) : source);
    this.provider = provider;
    this.modelId = modelId;
    this.origin = { provider, modelId };
    const warn = (line: string): void => logger.warn(line);
    this.dialects = new NativeDialects(settings, hooks.log ?? warn);
    this.failures = new CallFailures({
      headers: settings.headers ?? {},
      log: hooks.logFailure ?? warn,
    });
    this.delay = hooks.delay ?? abortableDelay;
    this.random = hooks.random ?? Math.random;
  }

  override get info(): ModelInfo {
    const { address } = this.settings;
    const profile = this.dialects.for(this.origin).info;
    return {
      kind: this.provider,
      name: this.modelId,
      profile,
      ...(address && { address }),
      failures: this.failures.list,
    };
  }

  stream(request: ModelRequest, signal: AbortSignal): RetriedBatches {
    const { delay, random } = this;
    const maxRetries = request.budget ? 0 : this.settings.maxRetries;
    const names = ToolNames.of(request, TOOL_NAME_RULES);
    const sent = names?.outward(request) ?? request;
    let call: NativeCall | undefined;
    const open = async (): Promise<ModelCall> => {
      call ??= await this.begin(sent, signal);
      return call.open();
    };
    const model = request.options.model ?? this.modelId;
    const failed = (error: AppError): void => this.failures.note(error, { request, model });
    return new RetriedBatches(open, { maxRetries, delay, random, failed }, signal, names);
  }

  private async begin(request: ModelRequest, signal: AbortSignal): Promise<NativeCall> {
    const model = this.modelFor(request.options.model);
    const inlined = await withInlineImages(request, this.attachments);
    const setting = { ...this.settings, family: this.dialects.family };
    return new NativeCall(model, inlined, this.dialects.for(model), setting, signal);
  }

  /** @throws the error of the function, as an error of this client; Error as the constructor does */
  private modelFor(name: string | undefined): LanguageModelV3 {
    if (typeof this.source !== 'function') return this.source;
    try {
      return checked(this.source(name));
    } catch (error) {
      throw upstreamErrorOf(error);
    }
  }
}

function checked(model: LanguageModelV3): LanguageModelV3 {
  const given = model as Partial<LanguageModelV3> | PromiseLike<unknown> | string | undefined;
  if (typeof given === 'object' && 'then' in given) {
    // Nobody waits for it.
    given.then?.(undefined, () => undefined);
    throw new Error('The function for models must return a model, not a promise');
  }
  const version: unknown = typeof given === 'object' ? given.specificationVersion : undefined;
  if (version === 'v3') return model;
  throw new Error(`The model has version ${String(version)} of the AI SDK's provider interface; Parley needs v3`);
}
