import type { ErrorDetail, Json, JsonObject } from '../../../common/index.js';
import type { ClientTime } from '../../../agent/tools/index.js';
import type { RunsErrorCode } from '../runs.errors.js';

/** A text block of the user message. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** An attachment of the user message; AG-UI's image parts become one too. */
export interface BinaryBlock {
  readonly type: 'binary';
  /** Undefined for an image part that names none: then the stored type counts. */
  readonly mimeType: string | undefined;
  /** The address as the client sent it; not yet checked against stored attachments. */
  readonly url: string;
  readonly filename?: string;
}

/** The one user message of a run. */
export interface UserMessage {
  /** The client's id of the message. */
  readonly id: string;
  /** The text and the attachments in the order of the message. */
  readonly blocks: readonly (TextBlock | BinaryBlock)[];
}

/** A checked RunAgentInput: aliases resolved, unknown fields left out, ids in their canonical spelling. */
export interface RunInput {
  /** A UUID in lower case. */
  readonly threadId: string;
  /** The client's id of the run, unique within the thread. */
  readonly runId: string;
  /** The client's id of the run that this one follows. */
  readonly parentRunId: string | undefined;
  /** The shared state; `{}` when the client sent none. */
  readonly state: Json;
  /** All messages, as the schema knows them; the first is the user's. */
  readonly messages: readonly JsonObject[];
  readonly user: UserMessage;
  /** Tools of the front-end: stored and replayed, never called by the server. */
  readonly tools: readonly JsonObject[];
  /** Facts for the model. */
  readonly context: readonly { readonly description: string; readonly value: string }[];
  /** A registered agent type that clients may name. */
  readonly agentType: string;
  /** Undefined when absent, or invalid and tolerated by the settings. */
  readonly clientTime: ClientTime | undefined;
}

/** A rule that a RunAgentInput breaks: the code gives the sentence and the status (contract runs-api, section 2.2). */
export interface RuleViolation extends Omit<ErrorDetail, 'message'> {
  readonly code: RunsErrorCode;
  readonly message?: string;
}

/** An object whose keys were brought to their camelCase spelling. */
export type Source = Readonly<Record<string, unknown>>;
