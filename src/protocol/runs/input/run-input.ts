import type { ErrorDetail, Json, JsonObject } from '../../../common/index.js';
import type { ClientTime } from '../../../tools/index.js';
import type { RunsErrorCode } from '../runs.error-codes.js';

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
  readonly url: string;
  readonly filename?: string;
}

/** The one user message of a run. */
export interface UserMessage {
  readonly id: string;
  readonly blocks: readonly (TextBlock | BinaryBlock)[];
}

/** A checked RunAgentInput: aliases resolved, unknown fields left out, ids in their canonical spelling. */
export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly state: Json;
  /** All messages, as the schema knows them; the first is the user's. */
  readonly messages: readonly JsonObject[];
  readonly user: UserMessage;
  readonly tools: readonly JsonObject[];
  readonly context: readonly { readonly description: string; readonly value: string }[];
  readonly agentType: string;
  readonly clientTime: ClientTime | undefined;
}

/** A rule that a RunAgentInput breaks: the code gives the sentence and the status (contract runs-api, section 2.2). */
export interface RuleViolation extends Omit<ErrorDetail, 'message'> {
  readonly code: RunsErrorCode;
  readonly message?: string;
}

/** An object whose keys were brought to their camelCase spelling. */
export type Source = Readonly<Record<string, unknown>>;
