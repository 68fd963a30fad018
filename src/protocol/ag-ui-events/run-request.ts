import {
  AppError,
  type Carried,
  isPlainObject,
  type JsonObject,
  type Principal,
  type Requester,
  userReach,
} from '../../common/index.js';
import type { InterruptAnswer } from '../../agent/interrupt/index.js';
import type { BusyPolicy, RunRequest } from '../../run/index.js';
import type { ClientTime } from '../../agent/tools/index.js';
import { checkClientTime } from '../http/bodies/client-time.js';
import type { ResumeEntry, RunAgentInput } from './run-input.decoder.js';

/** What a wire decides apart from the input itself. */
export interface RunRequestOptions {
  /** The user that the run belongs to. */
  readonly principal: Principal;
  /** The sender of the request; null without authentication. */
  readonly requester: Requester | null;
  /** The agent that is run. */
  readonly agentType: string;
  /** What happens when the session already has an active run. */
  readonly onBusy: BusyPolicy;
  /** The name of the wire in the ledger. */
  readonly wire: string;
  /** The `traceparent` of the request. */
  readonly traceparent?: string;
  /** As `RunRequest.webhook`. */
  readonly webhook?: string;
  /** As `RunRequest.carried`. */
  readonly carried?: Carried;
}

/** What such a wire keeps with its runs, to write their streams again as they were asked for. */
export function wireDataOf(input: RunAgentInput): JsonObject {
  return input.protocolVersion === undefined ? {} : { protocolVersion: input.protocolVersion };
}

/**
 * The run that a RunAgentInput asks for. The messages are the whole conversation; the client's run id
 * is unique in its thread only. `context` becomes instructions of this run.
 *
 * @throws AppError INVALID_PARAMETER for a `client_time` in the forwarded properties that is wrong
 */
export function runRequestOf(input: RunAgentInput, options: RunRequestOptions): RunRequest {
  const { client_time: time, ...forwardedProps } = input.forwardedProps;
  const clientTime = clientTimeOf(time);
  const systemPrompt = contextPrompt(input.context);
  return {
    reach: userReach(options.principal),
    sessionId: input.threadId,
    runKey: input.runId,
    ...(input.parentRunId !== undefined && { parentRunId: input.parentRunId }),
    input: input.messages,
    resendsHistory: true,
    unnamed: input.unnamed,
    messagesField: 'messages',
    answersAllInterrupts: true,
    clientTools: input.tools,
    modelOptions: {},
    ...(clientTime && { clientTime }),
    forwardedProps,
    ...(input.state && { state: input.state }),
    ...(input.resume.length > 0 && { answers: input.resume.map(answerOf) }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    wireData: wireDataOf(input),
    ...options,
  };
}

/**
 * An entry of `resume` as an answer: the payload of an approval is `{approved, reason?, editedArgs?}`
 * or just true or false; what the payload of an input is its schema says.
 */
export function answerOf({ interruptId, status, payload }: ResumeEntry): InterruptAnswer {
  if (status === 'cancelled') return { interruptId, status };
  if (typeof payload === 'boolean') return { interruptId, status, approve: payload, payload };
  if (!isPlainObject(payload)) return { interruptId, status, ...(payload !== undefined && { payload }) };
  const approve = payload['approved'] ?? payload['approve'];
  const { reason, editedArgs = null } = payload;
  return {
    interruptId,
    status,
    payload,
    ...(typeof approve === 'boolean' && { approve }),
    ...(typeof reason === 'string' && { reason }),
    ...(editedArgs !== null && { editedArguments: editedArgs }),
  };
}

function clientTimeOf(value: unknown): ClientTime | undefined {
  if (value === undefined || value === null) return undefined;
  const result = checkClientTime(value);
  if (result.ok) return result.value;
  const path = ['forwardedProps.client_time', result.field].filter(Boolean).join('.');
  const message = result.field === '' ? `invalid ${path}` : `invalid client_time.${result.field}`;
  throw new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

function contextPrompt(context: RunAgentInput['context']): string | undefined {
  if (context.length === 0) return undefined;
  const lines = context.map(({ description, value }) => `- ${description === '' ? '' : `${description}: `}${value}`);
  return `Context given by the application:\n${lines.join('\n')}`;
}
