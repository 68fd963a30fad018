import { Logger } from '@nestjs/common';
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { AttachmentReader } from '../../../attachment/index.js';
import { abortableDelay, type AppError, type Delay } from '../../../common/index.js';
import { ModelClient, type ModelInfo, type ModelRequest } from '../../ports/model-client.js';
import type { LanguageModelSource } from '../../ports/models.js';
import { CallFailures } from '../upstream/call-failures.js';
import { withInlineImages } from '../upstream/inline-images.js';
import { RetriedBatches } from '../upstream/retried-batches.js';
import { ToolNames } from '../upstream/tool-names.js';
import type { CallTimeouts } from '../upstream/watchdog.js';
import { SdkCall } from './sdk-call.js';
import { upstreamErrorOf } from './sdk-error.js';
import { toCallOptions } from './sdk-prompt.js';

/** The names that every provider takes. */
const TOOL_NAME_RULES = { startsWithLetter: true } as const;

/** How a provider's model is called. */
export interface AiSdkSettings extends CallTimeouts {
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
  /** Takes a line about calls that failed. Default: a warning in the log of the server. */
  readonly logFailure?: (line: string) => void;
}

const logger = new Logger('Model');

/**
 * A client for any model that implements the AI SDK's provider interface, version 3. It uses the types of
 * the interface only: no code of the AI SDK is loaded but that of the provider package.
 *
 * Errors are `AppError`s with MODEL_* codes, INVALID_PARAMETER for a part that the provider cannot take;
 * the upstream's text is in their `cause` only.
 */
export class AiSdkModelClient extends ModelClient {
  readonly provider: string;
  private readonly modelId: string;
  private readonly failures: CallFailures;
  private readonly delay: Delay;
  private readonly random: () => number;

  /**
   * @throws Error for a model of another version of the interface, and what the function throws for requests that
   *   name no model
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
    this.failures = new CallFailures({
      headers: settings.headers ?? {},
      log: hooks.logFailure ?? ((line) => logger.warn(line)),
    });
    this.delay = hooks.delay ?? abortableDelay;
    this.random = hooks.random ?? Math.random;
  }

  override get info(): ModelInfo {
    const { address } = this.settings;
    return { kind: this.provider, name: this.modelId, ...(address && { address }), failures: this.failures.list };
  }

  stream(request: ModelRequest, signal: AbortSignal): RetriedBatches {
    const { providerOptions } = this.settings;
    const { delay, random } = this;
    const maxRetries = request.budget ? 0 : this.settings.maxRetries;
    const names = ToolNames.of(request, TOOL_NAME_RULES);
    const sent = names?.outward(request) ?? request;
    const open = async (): Promise<SdkCall> => {
      const model = this.modelFor(request.options.model);
      const prepared = await withInlineImages(sent, this.attachments);
      return new SdkCall(model, await toCallOptions(prepared, model, providerOptions), this.settings, signal);
    };
    const model = request.options.model ?? this.modelId;
    const failed = (error: AppError): void => this.failures.note(error, { request, model });
    return new RetriedBatches(open, { maxRetries, delay, random, failed }, signal, names);
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
