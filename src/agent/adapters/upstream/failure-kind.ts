import { ProxyError } from '../../../common/index.js';
import type { ErrorBody } from './error-body.js';
import { isNoRoute } from './no-route.js';
import {
  detailsOf,
  errorChain,
  isBrokenOff,
  isUnreachable,
  statusOf,
  UpstreamStatusError,
  UpstreamStreamError,
} from './upstream-error.js';

/** Why a model call failed. Only these kinds are distinguished by more than a status. */
export type FailureKind =
  /** The provider's filter refused the prompt or stopped the answer. */
  | 'filtered'
  /** The conversation is too long for the model. */
  | 'context'
  /** Credit, or a limit per day or longer, is used up. */
  | 'quota'
  /** Too many requests or tokens for the moment. */
  | 'rate-limit'
  | 'credentials'
  /** The model is unknown. */
  | 'not-found'
  /** Nothing is served at the path. */
  | 'no-route'
  | 'timeout'
  /** The template of the model refuses the conversation, whatever the status: it will do so again. */
  | 'template'
  | 'unreachable'
  | 'broken-off'
  | 'certificate'
  /** Everything else. */
  | 'other';

const FILTER_CODES =
  /^(content_?filter|content_policy_violation|data_?inspection_?failed|responsibleaipolicyviolation|1301|safety|prohibited_content)$/i;
const FILTER_TEXTS =
  /considered high risk|data_inspection_failed|DataInspectionFailed|content management policy|inappropriate content|violates? (our |the )?usage (policy|policies|guidelines)|violating our usage policy|input was flagged|requires moderation|content_?policy_?violation|content filtering policy|content exists risk|guardrail[^.]{0,40}(block|interven|violat)|new_sensitive|sensitive content/i;
/** The codes of MiniMax for a sensitive prompt and a sensitive answer; it also ends its messages with them. */
const MINIMAX_FILTER = /\((1026|1027)\)/;
const MINIMAX_FILTER_CODES: ReadonlySet<string | undefined> = new Set(['1026', '1027']);

/** Servers report a prompt that is too long by text only, with various status codes. */
const TOO_LONG = new RegExp(
  [
    'context[_ ]?(length|window|size|limit)',
    'maximum (context|prompt|input|sequence)',
    'prompt (is )?too long|prompt 超长',
    'exceed[^.]{0,60}(token limit|maximum|max[_ ]tokens|number of tokens)',
    'longer than the model',
    'range of input length',
    'too many (input |prompt )?tokens',
  ].join('|'),
  'i',
);
/** Only of a refusal: other errors speak of requests that exceed something, too. */
const TOO_LARGE = new RegExp(
  [
    '(input|prompt|request|conversation|messages?|payload|entity)[^.]{0,40}(too long|too large|exceeds?)',
    'max(imum)?[_ ](input|prompt)[_ ]tokens',
    'tokens`? \\+ `?max_new_tokens',
    'reduce the length of the (messages|prompt|input)',
  ].join('|'),
  'i',
);
/** Of one value or image, not of the conversation; and of the limit of the answer alone. */
const TOO_LONG_VALUE =
  /'?(messages\[\d+\]\.)?tool_calls?\[\d+\]|\b(image|file|video|audio)\b[^.]{0,40}(exceeds|too large)|\bname'?: string too long|max_(completion_)?tokens[^.]{0,20}is too large(?![\s\S]*context)/i;
/** The only sentence of a rate limit that no waiting helps: a single request is above the limit. */
const LARGER_THAN_LIMIT = /request too large/i;

const QUOTA_CODES =
  /insufficient_?(quota|balance|credits?|funds)|billing_(hard_limit|not_active)|arrear|freetieronly|usage_limit_reached/i;
const NO_CREDIT =
  /insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits?|all available credits|spending limit|account[^.]{0,80} suspended|arrears|余额|欠费/i;
const PER_DAY = /per[-_ ]?day|\b(rpd|tpd)\b|\bdaily\b|per[-_ ]?(week|month)|\b(weekly|monthly)\b/i;
/** Also parts of sentences about limits per minute, which say when to try again. */
const PLAN = /exceeded your current quota|no (remaining )?credits?|billing/i;

/** Some servers answer a wrong key with status 400. */
const WRONG_KEY = /invalid_?api_?key|api_?key_?invalid|api key not valid|incorrect api key/i;
const UNKNOWN_MODEL = /^(model_?not_?found|invalid_model|unknown_model|model_not_exist|deploymentnotfound|1211)$/i;
const UNKNOWN_MODEL_TEXT =
  /\bmodel not exist|not a valid model|\bmodel identifier is invalid|\bmodel\b.{0,80}\b(does not exist|not found)\b/i;
const TEMPLATE =
  /jinja|raise_exception|chat[_ ]template|template (error|exception)|render(ing)? (the )?prompt|apply.{0,10}template/i;

const TIMEOUT = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER))/;

/** Statuses with which servers refuse a request for its content; undefined is an error in a stream. */
const REFUSING: ReadonlySet<number | undefined> = new Set([400, 403, 413, 422, 500, undefined]);

/** What happened, from the status, the codes and the sentence together (contract model-servers, section 1.4). */
export function kindOf(error: unknown): FailureKind {
  if (error instanceof ProxyError) return 'other';
  const details = detailsOf(error);
  if (!details) return kindOfConnection(error);
  if (error instanceof UpstreamStreamError && error.sentence !== undefined) return 'other';
  const status = statusOf(error);
  if (status === 404 && error instanceof UpstreamStatusError && isNoRoute(error.body)) return 'no-route';
  if (isFilter(status, details)) return 'filtered';
  if (isTooLong(status, details)) return 'context';
  return kindOfStatus(status, details, saysWhen(error, details));
}

function kindOfConnection(error: unknown): FailureKind {
  const codes = errorChain(error).map(({ code }) => String(code));
  if (codes.some((code) => TIMEOUT.test(code))) return 'timeout';
  if (codes.some((code) => CERTIFICATE.test(code))) return 'certificate';
  if (isUnreachable(error)) return 'unreachable';
  return isBrokenOff(error) ? 'broken-off' : 'other';
}

/** True if the server tells when the request may succeed: then nothing is used up for long. */
function saysWhen(error: unknown, { text, waitMs }: ErrorBody): boolean {
  const headers = error instanceof UpstreamStatusError ? error.headers : {};
  const isTold = headers['retry-after'] ?? headers['retry-after-ms'] ?? waitMs;
  return isTold !== undefined || /\b(try again|retry) (in|after)\b/i.test(text);
}

/** Some servers use one status for several errors: then the text decides. */
function kindOfStatus(status: number | undefined, { codes, text }: ErrorBody, isForNow: boolean): FailureKind {
  const words = codes.join(' ');
  const isUsedUp = QUOTA_CODES.test(words) || NO_CREDIT.test(text);
  const isQuota = isUsedUp || PER_DAY.test(`${words} ${text}`) || (!isForNow && PLAN.test(text));
  switch (status) {
    case 401:
      return 'credentials';
    case 402:
      return 'quota';
    case 403:
      return isQuota ? 'quota' : 'credentials';
    case 404:
      return 'not-found';
    case 429:
      return isQuota ? 'quota' : 'rate-limit';
    case 408:
    case 504:
      return 'timeout';
    case 400:
    case 422:
      if (WRONG_KEY.test(`${words} ${text}`)) return 'credentials';
      if (codes.some((code) => UNKNOWN_MODEL.test(code)) || UNKNOWN_MODEL_TEXT.test(text)) return 'not-found';
      return isUsedUp ? 'quota' : 'other';
    default:
      if (isUsedUp) return 'quota';
      if (status === undefined && WRONG_KEY.test(`${words} ${text}`)) return 'credentials';
      return TEMPLATE.test(text) ? 'template' : 'other';
  }
}

function isFilter(status: number | undefined, { codes, text, miniMaxCode }: ErrorBody): boolean {
  if (!REFUSING.has(status)) return false;
  if (MINIMAX_FILTER_CODES.has(miniMaxCode) || MINIMAX_FILTER.test(text)) return true;
  return codes.some((code) => FILTER_CODES.test(code)) || FILTER_TEXTS.test(text);
}

function isTooLong(status: number | undefined, { codes, text }: ErrorBody): boolean {
  if (status === 413) return true;
  if (status === 429) return LARGER_THAN_LIMIT.test(text);
  if (!REFUSING.has(status) || status === 403 || TOO_LONG_VALUE.test(text)) return false;
  if (TOO_LONG.test(text) || codes.some((code) => TOO_LONG.test(code))) return true;
  return (status === undefined || status === 400 || status === 422) && TOO_LARGE.test(text);
}
