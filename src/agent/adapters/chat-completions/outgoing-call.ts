import type { ModelRequest } from '../../ports/model-client.js';
import { addressOf } from '../upstream/call-failures.js';
import type { ModelCall } from '../upstream/retried-batches.js';
import { UpstreamStatusError, UpstreamStreamError } from '../upstream/upstream-error.js';
import type { CallTimeouts } from '../upstream/watchdog.js';
import { CompletionCall, type CompletionRequest } from './completion-call.js';
import type { DecoderSetting } from './completion-decoder.js';
import { type ModelAddress, originOf } from './model-address.js';
import { CallRepairs } from './repair/call-repairs.js';
import type { Dialect } from './repair/dialect.js';
import { type WrittenRequest, writtenRequest } from './request/request-body.js';
import type { UpstreamHttp } from './upstream-http.js';

/** What the calls of one client share. */
export interface Outgoing {
  readonly http: UpstreamHttp;
  readonly address: ModelAddress;
  readonly headers: Readonly<Record<string, string>>;
  /** The model of requests that name none. */
  readonly model: string;
  readonly timeouts: CallTimeouts;
  /** One line for the log, without secrets and content. */
  readonly log: (line: string) => void;
}

/** A request on its way, and its answer. */
interface SentRequest {
  readonly call: CompletionCall;
  readonly url: URL;
  readonly written: WrittenRequest;
}

/** A model call: all its requests, those of retries and those of repairs. */
export class OutgoingCall {
  private readonly repairs: CallRepairs;
  private url: URL;
  private written: WrittenRequest | undefined;

  constructor(
    private readonly outgoing: Outgoing,
    private readonly request: ModelRequest,
    private readonly dialect: Dialect,
    private readonly signal: AbortSignal,
  ) {
    this.repairs = new CallRepairs(dialect);
    this.url = outgoing.address.url;
  }

  /** The next attempt. @throws AppError INVALID_PARAMETER for a part that the format cannot carry */
  open(): ModelCall {
    return new RepairedCall(this);
  }

  /** Sends the request in its present form. */
  send(): SentRequest {
    const { http, headers, timeouts } = this.outgoing;
    const { url } = this;
    const written = (this.written ??= this.write());
    const { traceparent } = this.request;
    const all = traceparent === undefined ? headers : Object.assign({}, headers, { traceparent });
    const { firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs } = timeouts;
    const request: CompletionRequest = {
      url,
      headers: all,
      body: written.body,
      reading: this.readingOf(written),
      firstTokenTimeoutMs,
      idleTimeoutMs,
      ...(commentsTimeoutMs !== undefined && { commentsTimeoutMs }),
    };
    const call = new CompletionCall(http, request, this.signal);
    return { call, url, written };
  }

  /** Chooses another form after a failure. @throws the error to report, if there is none */
  change(error: unknown, { url, written }: SentRequest): void {
    if (this.signal.aborted) throw error;
    const other = this.otherAddress(error, url);
    const { budget } = this.request;
    if (other) {
      this.repairs.refused(error);
      if (budget?.take() === false) throw error;
      this.url = other;
      return;
    }
    if (!this.repairs.repair(error, written) || budget?.take() === false) throw this.repairs.reported(error);
    this.written = undefined;
  }

  /** The answer has begun: what helped is kept. */
  begin({ url, written }: SentRequest): void {
    const { address, log } = this.outgoing;
    if (address.prove(url)) log(`The model server answers at ${addressOf(url)}: LLM_BASE_URL has another path.`);
    this.repairs.keep();
    if (written.notes.length > 0) this.dialect.note(written.notes);
  }

  private write(): WrittenRequest {
    const { model } = this.outgoing;
    return writtenRequest(this.request, { model, origin: this.origin, rules: this.repairs.rules });
  }

  private get origin(): string {
    return originOf(this.url, this.request.options.model ?? this.outgoing.model);
  }

  /** What the answer to a request refers to. */
  private readingOf({ rules: { beginsInThoughts } }: WrittenRequest): DecoderSetting {
    const { messages, tools } = this.request;
    const usedCallIds = new Set<string>();
    for (const message of messages) {
      if (message.role === 'assistant') for (const { id } of message.toolCalls) usedCallIds.add(id);
    }
    const opening = beginsInThoughts ? this.dialect.opening : undefined;
    return { origin: this.origin, toolNames: tools.map(({ name }) => name), usedCallIds, opening };
  }

  /** The other form of the base URL, once, if nothing is served at this one. */
  private otherAddress(error: unknown, url: URL): URL | undefined {
    const { address } = this.outgoing;
    if (!(error instanceof UpstreamStatusError || error instanceof UpstreamStreamError)) return undefined;
    const { status } = error;
    if (url.href !== address.url.href) {
      if (status === 404) address.settle();
      return undefined;
    }
    if (status !== 404) address.settle();
    return address.alternative(status, error instanceof UpstreamStatusError ? error.body : error.details.text);
  }
}

/** One attempt of a call: its request, and after refusals the same in other forms, without a pause. */
class RepairedCall implements ModelCall {
  private sent: SentRequest;
  private hasBegun = false;

  constructor(private readonly outgoing: OutgoingCall) {
    this.sent = outgoing.send();
  }

  get model(): string | undefined {
    return this.sent.call.model;
  }

  next(): ReturnType<ModelCall['next']> {
    return this.hasBegun ? this.sent.call.next() : this.first();
  }

  close(): void {
    this.sent.call.close();
  }

  private async first(): ReturnType<ModelCall['next']> {
    for (;;) {
      try {
        const batch = await this.sent.call.next();
        this.hasBegun = true;
        this.outgoing.begin(this.sent);
        return batch;
      } catch (error) {
        this.outgoing.change(error, this.sent);
        this.sent.call.close();
        this.sent = this.outgoing.send();
      }
    }
  }
}
