import type { Json, JsonObject } from '../../common/index.js';
import type { Usage } from '../../events/index.js';

/*
 * What both versions of the protocol have in common, in the JSON of neither: the decoders of v1 and v03 make these values,
 * and their encoders write them (contract a2a, section 3.2).
 */

/** The versions that are served. */
export const VERSIONS = ['1.0', '0.3'] as const;
/** A version of the protocol. */
export type Version = (typeof VERSIONS)[number];

/** The states of a task (contract a2a, section 6.3). */
export const TASK_STATES = [
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
] as const;
/** A state of a task. */
export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>(['completed', 'failed', 'canceled', 'rejected']);

/** True for a state after which nothing follows. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** One part of a message or an artifact: exactly one of the contents. */
export type Part = PartContent & {
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: JsonObject;
};

/** `raw` is base64. */
type PartContent =
  { readonly text: string } | { readonly raw: string } | { readonly url: string } | { readonly data: Json };

/** A message. */
export interface A2aMessage {
  readonly messageId: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** The status of a task. */
export interface TaskStatus {
  readonly state: TaskState;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly message?: A2aMessage;
}

/** Something that a task has made. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
}

/** A change of the status of a task. */
export interface StatusUpdate {
  readonly kind: 'status';
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
  /** What the run has used, at its end. Not in the frame. */
  readonly usage?: Usage | null;
  /** True for a frame that only clients that asked for progress get; it is numbered apart and changes no status. */
  readonly isProgress?: boolean;
}

/** A piece of an artifact. */
export interface ArtifactUpdate {
  readonly kind: 'artifact';
  readonly artifact: Artifact;
  /** False: the artifact begins here, or begins anew. */
  readonly append: boolean;
  readonly lastChunk: boolean;
  readonly metadata?: JsonObject;
}

/** One frame after the first of a stream. */
export type TaskUpdate = StatusUpdate | ArtifactUpdate;

/** Which task, in which context. */
export interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/** A task as it is. */
export interface Task extends TaskIds {
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly A2aMessage[];
  readonly metadata: JsonObject;
}

/** Where a client is called back. */
export interface PushConfig {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** A push configuration as a request gives it: `id` absent to be chosen. */
export type PushConfigInput = Omit<PushConfig, 'id' | 'taskId'> & { readonly id?: string };

/** What a client sends to an agent. */
export interface SendRequest {
  readonly message: A2aMessage;
  /** True: the answer does not wait for the end of the task. */
  readonly returnsImmediately: boolean;
  /** How many messages of the history are answered; undefined: all. */
  readonly historyLength?: number;
  readonly pushConfig?: PushConfigInput;
  readonly acceptedOutputModes: readonly string[];
  /** Of the request itself. */
  readonly metadata?: JsonObject;
}

/** Which tasks to list. */
export interface ListRequest {
  readonly contextId?: string;
  readonly state?: TaskState;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  /** In milliseconds since the epoch. */
  readonly changedAfter?: number;
  readonly includeArtifacts: boolean;
}

/** What stays inside: the extensions of the card (contract a2a, section 9.6). */
export const EXTENSIONS = {
  questions: 'urn:parley:a2a:questions:v1',
  clientTools: 'urn:parley:a2a:client-tools:v1',
  idempotentSend: 'urn:parley:a2a:idempotent-send:v1',
  progress: 'urn:parley:a2a:progress:v1',
} as const;
