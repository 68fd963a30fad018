import { jsonMembers } from '../../common/index.js';
import {
  type AgentResponse,
  type ErrorModel,
  isOutputLimit,
  type Message,
  OUTPUT_LIMITS,
  type RunStatus,
  type Usage,
} from '../../events/index.js';
import { outputItems } from './items/output-items.js';
import type { OutputItem } from './items/item.types.js';
import type { ResponseInfo } from './response-info.js';
import type { ResponseEcho, ResponseError, ResponseObject, ResponseStatus, ResponseUsage } from './response.types.js';
import { responseError } from './responses.errors.js';

/** The status of this wire for each status of a run. */
const STATUSES: Readonly<Record<RunStatus, ResponseStatus>> = {
  created: 'queued',
  queued: 'queued',
  in_progress: 'in_progress',
  unknown: 'in_progress',
  completed: 'completed',
  incomplete: 'incomplete',
  canceled: 'cancelled',
  failed: 'failed',
  rejected: 'failed',
};
/** The codes of the log that are reasons of `incomplete_details`. */
const REASONS: ReadonlySet<string> = new Set([...OUTPUT_LIMITS, 'max_tool_calls']);
/** The error code of a run that made too many model calls. */
const STEP_LIMIT = 'max_steps';

/** The fields that follow those of the request. */
type AfterEcho = 'output' | 'usage';

/** The fields of a response that change. */
export interface ResponseBody {
  readonly status: ResponseStatus;
  /** Seconds since the epoch. Default null. */
  readonly completedAt?: number | null;
  readonly output?: readonly OutputItem[];
  readonly error?: ResponseError | null;
  /** Why the response is incomplete. Default null. */
  readonly reason?: string | null;
  readonly usage?: ResponseUsage | null;
}

/** The response object, with every key (contract responses, section A3). */
export function responseObject(info: ResponseInfo, body: ResponseBody): ResponseObject {
  return { ...beforeEcho(info, body), ...info.echo, ...afterEcho(body) };
}

/** Writes the response object of a run as JSON: what it repeats of its request is encoded once for all events. */
export class ResponseJson {
  private echo: string | undefined;

  constructor(private readonly info: ResponseInfo) {}

  /** Equal to the JSON of `responseObject`. */
  of(body: ResponseBody): string {
    this.echo ??= jsonMembers(this.info.echo);
    return `{${jsonMembers(beforeEcho(this.info, body))},${this.echo},${jsonMembers(afterEcho(body))}}`;
  }
}

function beforeEcho(
  { id, createdAt }: ResponseInfo,
  body: ResponseBody,
): Omit<ResponseObject, AfterEcho | keyof ResponseEcho> {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    completed_at: body.completedAt ?? null,
    status: body.status,
    error: body.error ?? null,
    incomplete_details: body.reason ? { reason: body.reason } : null,
  };
}

function afterEcho({ output = [], usage = null }: ResponseBody): Pick<ResponseObject, AfterEcho> {
  return { output, usage };
}

/** The response object of a run, whether it has ended or not. */
export function responseOf(info: ResponseInfo, run: AgentResponse): ResponseObject {
  return responseObject(info, bodyOf(info, run));
}

/** What changes in the response of a run. */
export function bodyOf(info: ResponseInfo, run: AgentResponse): ResponseBody {
  const status = statusOf(run.status, info.echo.background);
  const isOver = status !== 'queued' && status !== 'in_progress';
  const cut = cutMessage(run);
  const messages = (run.output ?? []).map((message) =>
    message === cut ? { ...message, status: 'incomplete' as const } : message,
  );
  const view = { isOver, ...info.items, ...(isWaiting(run.status) && { approved: [] }) };
  return {
    status,
    completedAt: status === 'completed' ? run.completed_at : null,
    output: outputItems(messages, view, status === 'completed' ? 'final_answer' : undefined),
    error: status === 'failed' ? responseError(run.error) : null,
    reason: status === 'incomplete' ? reasonOf(run.error) : null,
    usage: isOver ? usageOf(run.usage) : null,
  };
}

/**
 * The message that a limit has cut (contract responses, section A6): the last one of the model when the run ended
 * at a limit of its output. Undefined for other runs. Such a message is `incomplete` in the log, but logs of earlier
 * versions, and agents that complete their messages themselves, have it as `completed`.
 */
export function cutMessage({ status, error, output }: AgentResponse): Message | undefined {
  if (status !== 'incomplete' || !isOutputLimit(error?.code)) return undefined;
  const last = output?.at(-1);
  return last?.role === 'assistant' ? last : undefined;
}

/** True before a run begins: it has made no calls. */
function isWaiting(status: RunStatus): boolean {
  return STATUSES[status] === 'queued';
}

/** Only a background response is ever queued; others are in progress as soon as they are accepted. */
function statusOf(status: RunStatus, background: boolean): ResponseStatus {
  const mapped = STATUSES[status];
  return mapped === 'queued' && !background ? 'in_progress' : mapped;
}

/** Clients know three reasons only, so any other limit is reported as the limit of tokens. */
function reasonOf(error: ErrorModel | null): string {
  if (error?.code === STEP_LIMIT) return 'max_tool_calls';
  return error && REASONS.has(error.code) ? error.code : 'max_output_tokens';
}

/** Providers that report no total get the sum, and missing details become 0: SDKs require every count. */
function usageOf(usage: Usage | null): ResponseUsage {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {};
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage?.cached_tokens ?? 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.reasoning_tokens ?? 0 },
    total_tokens: usage?.total_tokens ?? input + output,
  };
}
