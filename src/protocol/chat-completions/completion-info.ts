import type { JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { ToolTrace } from './chat-completions.settings.js';

/** The name of this wire, in runs and in `?protocol=`. */
export const WIRE = 'chat-completions';
/** How the ids of completions begin: the id of a completion is that of its run. */
export const ID_PREFIX = 'chatcmpl-';
/** The tools that a client declares to get approvals and questions as calls (contract chat-completions, section C2). */
export const APPROVAL_TOOL = 'request_approval';
export const INPUT_TOOL = 'request_input';

/** What the frames of a completion need besides the log of its run. It is stored with the run. */
export interface CompletionData {
  /** As the request names it. */
  readonly model: string;
  /** Whether the stream ends with the usage. */
  readonly includeUsage: boolean;
  /** Whether the answer is JSON, so that only its last text is sent. */
  readonly isJson: boolean;
  /** Whether the client gets approvals as calls of `request_approval`. */
  readonly asksApproval: boolean;
  /** Whether the client gets questions as calls of `request_input`. */
  readonly asksInput: boolean;
  readonly trace: ToolTrace;
  /** Whether the reasoning of the model is shown. */
  readonly reasoning: boolean;
  /** Whether an approval that the client does not get as a call is put into words. */
  readonly approvalText: boolean;
  /** Random: part of the ids of the client's calls, so that nobody can guess them. */
  readonly token: string;
  /** Of the messages of the request: a later request that begins with them continues this run. */
  readonly digest: string;
  /** True if the request asks for the completion to be stored. */
  readonly isStored: boolean;
  /** The system messages that a request begins with, if it asks for the completion to be stored; they are no input. */
  readonly instructions: string[];
  /** True if the request names its session. */
  readonly inSession: boolean;
}

/** What a completion is written from. */
export interface CompletionInfo extends CompletionData {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
}

/** What holds for the runs of other wires. */
const FOREIGN: Omit<CompletionData, 'model'> = {
  includeUsage: true,
  isJson: false,
  asksApproval: false,
  asksInput: false,
  trace: 'reasoning',
  reasoning: true,
  approvalText: true,
  token: '',
  digest: '',
  isStored: false,
  instructions: [],
  inSession: true,
};

/** As the wire data of a run. */
export function toWireData(data: CompletionData): JsonObject {
  return { ...data };
}

/** The data of a run; undefined for runs of other wires. */
export function completionDataOf({ wire, wireData }: Pick<RunView, 'wire' | 'wireData'>): CompletionData | undefined {
  return wire === WIRE && typeof wireData['model'] === 'string' ? (wireData as unknown as CompletionData) : undefined;
}

/** The info of a run, whichever wire accepted it. */
export function completionInfo(
  run: Pick<RunView, 'runId' | 'agentType' | 'createdAt' | 'wire' | 'wireData'>,
): CompletionInfo {
  const data = completionDataOf(run) ?? { ...FOREIGN, model: run.agentType };
  return { ...data, id: run.runId, created: Math.floor(run.createdAt / 1000) };
}

/**
 * The id under which a client gets a call: it leads back to the run that waits for the result, also without a session
 * (contract chat-completions, section B3).
 *
 * @param position of the call among those that the run waits for, from 0
 */
export function clientCallId({ id, token }: CompletionInfo, position: number): string {
  return `call_${id.startsWith(ID_PREFIX) ? id.slice(ID_PREFIX.length) : id}_${token}_${position}`;
}

/** The parts of an id that `clientCallId` has made. */
export interface CallReference {
  readonly runId: string;
  readonly token: string;
  readonly position: number;
}

/** What the id of a call leads to; undefined for any other id. */
export function callReference(id: string): CallReference | undefined {
  const [, run, token, position] = /^call_([\w.-]{1,200})_([0-9a-f]{16})_(\d{1,4})$/.exec(id) ?? [];
  if (run === undefined || token === undefined || position === undefined) return undefined;
  return { runId: ID_PREFIX + run, token, position: Number(position) };
}
