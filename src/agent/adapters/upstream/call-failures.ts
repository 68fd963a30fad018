import type { AppError } from '../../../common/index.js';
import type { ModelFailureInfo, ModelRequest } from '../../ports/model-client.js';
import { type FailureKind, kindOf } from './failure-kind.js';
import { logSentence } from './log-sentence.js';
import { withoutSecrets } from './public-headers.js';
import { errorChain, messageIn, statusOf, UpstreamStatusError, UpstreamStreamError } from './upstream-error.js';

/** Failures that are kept: those that are equal count as one. */
const MOST_KEPT = 20;

/** How keys of providers begin: a package that has a key of its own does not tell it. */
const KEY = /(?<![\w-])(sk|pk|gsk|csk|xai|pplx|nvapi|hf|fw|tgp|dapi|AIza|ABSK|AKIA)[-_]?[\w-]{8,}/g;

/** What a failed call was. */
export interface FailedCall {
  readonly request: ModelRequest;
  readonly model: string;
  /** Where it went, with a query that is not shown; undefined if the client does not know. */
  readonly url?: URL | undefined;
}

/** What the failures of a client are explained with. */
export interface FailureSetting {
  /** The headers of its requests, or others whose values are secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes one line for each new failure. */
  readonly log: (line: string) => void;
}

/** The last failures of the calls of one client, for operators: the log has each once, the console all. */
export class CallFailures {
  private kept: ModelFailureInfo[] = [];

  constructor(private readonly setting: FailureSetting) {}

  /** The newest first. */
  get list(): readonly ModelFailureInfo[] {
    return this.kept;
  }

  /** Notes the error that a call ended with. One that is the fault of a request, not of the model server, is none. */
  note(error: AppError, call: FailedCall): void {
    if (!error.code.startsWith('MODEL_')) return;
    const failure = this.infoOf(error, call);
    const known = this.kept.find((one) => isSame(one, failure));
    const others = this.kept.filter((one) => one !== known);
    this.kept = [Object.assign(failure, { count: (known?.count ?? 0) + 1 }), ...others].slice(0, MOST_KEPT);
    if (!known) this.setting.log(lineOf(failure));
  }

  private infoOf(error: AppError, { request, model, url }: FailedCall): ModelFailureInfo {
    const { code, message, cause } = error;
    const said = saidIn(cause);
    const says = said && logSentence(withoutKeys(withoutSecrets(said, this.setting.headers)), textsOf(request));
    return {
      at: new Date(),
      count: 1,
      code,
      message,
      status: statusOf(cause) ?? null,
      model,
      address: url ? addressOf(url) : null,
      says: says === undefined || says === '' ? null : says,
      cause: causeOf(kindOf(cause), model, url) ?? null,
    };
  }
}

/** An address without its query, which may hold a key, and without credentials. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function withoutKeys(text: string): string {
  return text.replace(KEY, '[key]');
}

function isSame(one: ModelFailureInfo, other: ModelFailureInfo): boolean {
  return (['code', 'message', 'status', 'model', 'address', 'says'] as const).every((key) => one[key] === other[key]);
}

/** One line for the log. */
function lineOf({ model, address, message, status, says, cause }: ModelFailureInfo): string {
  const place = address === null ? '' : ` at ${address}`;
  const answer = says === null ? '' : ` The server said: “${says}”.`;
  const told = status === null || message.includes(String(status)) ? '' : ` (status ${status})`;
  return `${model}${place}: ${message}${told}.${answer}${cause === null ? '' : ` ${cause}`}`;
}

/** What the server said, or the connection; undefined if the message of the error says it all. */
function saidIn(cause: unknown): string | undefined {
  if (cause instanceof UpstreamStatusError) return messageIn(cause.body).replace(/\s+/g, ' ').trim();
  if (cause instanceof UpstreamStreamError && !(cause.cause instanceof Error)) {
    return messageIn(typeof cause.cause === 'string' ? cause.cause : JSON.stringify(cause.cause)).trim();
  }
  return messagesOf(cause).at(-1);
}

/** The innermost cause of a failed connection says why: `connect ECONNREFUSED 127.0.0.1:11434`. */
function messagesOf(error: unknown): readonly string[] {
  return errorChain(error).flatMap(({ message }) => (typeof message === 'string' && message !== '' ? [message] : []));
}

/** The likely cause and what to look at, for kinds of failures that settings can cause. */
function causeOf(kind: FailureKind, model: string, url: URL | undefined): string | undefined {
  switch (kind) {
    case 'no-route':
      return `Likely cause: the path of LLM_BASE_URL, which ends with /v1 for most servers. Nothing is served at ${url?.pathname ?? 'this one'}.`;
    case 'not-found':
      return `Likely cause: the server has no model "${model}". LLM_MODEL must be one of its list of models.`;
    case 'credentials':
      return 'Likely cause: the key. LLM_API_KEY, or the key of the provider, is missing, wrong, or not valid for this model.';
    case 'unreachable':
      return `Likely cause: no server listens at ${url?.host ?? 'this address'}, or LLM_BASE_URL is the address of another one.`;
    case 'certificate':
      return 'Likely cause: a certificate authority that this process does not know. NODE_EXTRA_CA_CERTS names a file with it.';
    case 'timeout':
      return 'Likely cause: the server is overloaded or loads the model. LLM_FIRST_TOKEN_TIMEOUT_MS and LLM_IDLE_TIMEOUT_MS say how long is waited.';
    case 'quota':
      return 'Likely cause: the credit, or a limit of the account, is used up.';
    default:
      return undefined;
  }
}

function textsOf({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap((message) => {
    if (typeof message.content === 'string') return [message.content];
    return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  });
}
