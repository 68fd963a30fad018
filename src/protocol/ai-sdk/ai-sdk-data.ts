import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { AiSdkSettings } from './ai-sdk.settings.js';
import { type Level, LEVELS } from './chunk.types.js';
import { clientJson } from './client-json.js';

/** The name of this wire, in runs and in `?protocol=`. */
export const WIRE = 'ai-sdk';
/** How the ids of answers begin: the id of the first run of the turn follows. */
const ANSWER_PREFIX = 'answer_';

/** How the frames of a run are written. It is stored with the run, so that they are the same at all times. */
export interface AiSdkData {
  readonly level: Level;
  readonly hasMetadata: boolean;
  /** Patterns of the names of tools that the page has typed. */
  readonly staticTools: readonly string[];
  /** What clients read of a run that failed. */
  readonly errorText?: string;
  /** The id that the client's last message has, where it is not the server's own. */
  readonly messageId?: string;
  /** What the request has said about itself. */
  readonly metadata?: JsonObject;
  /** The name of the request that has put the run in the place of others: an edit, or an answer that is given again. */
  readonly replaces?: string;
  /** The titles of tools, by their names. */
  readonly titles?: Readonly<Record<string, string>>;
}

/** What the settings say. @param level that of the request; absent: the default one */
export function dataOfSettings(settings: AiSdkSettings, level: Level = levelOf(settings.level)): AiSdkData {
  const { metadata: hasMetadata, staticTools, errorText } = settings;
  return { level, hasMetadata, staticTools: [...staticTools], ...(errorText !== undefined && { errorText }) };
}

/** The data of a run; undefined for runs of other wires. */
export function aiSdkDataOf({ wire, wireData }: Pick<RunView, 'wire' | 'wireData'>): AiSdkData | undefined {
  const { level } = wireData;
  if (wire !== WIRE || !LEVELS.some((one) => one === level)) return undefined;
  return wireData as unknown as AiSdkData;
}

/** As the wire data of a run. */
export function toWireData(data: AiSdkData): JsonObject {
  return { ...data } as unknown as JsonObject;
}

/** The level that a text names, which is known to be one. */
export function levelOf(text: '5' | '6' | '7'): Level {
  return Number(text) as Level;
}

/**
 * The id of the answer of a turn: it follows from its first run and never changes, unless the page has named the message
 * by itself (contract ui-message-stream, section 0, rules 4 and 5).
 *
 * @param runs of the turn, oldest first
 */
export function answerIdOf(runs: readonly Pick<RunView, 'runId' | 'wire' | 'wireData'>[]): string {
  const given = runs.map((run) => aiSdkDataOf(run)?.messageId).findLast((id) => id !== undefined);
  return given ?? ANSWER_PREFIX + (runs[0]?.runId ?? '');
}

/** The first run of the turn whose answer has an id; undefined for an id that the server has not given. */
export function runOfAnswer(messageId: string): string | undefined {
  return messageId.startsWith(ANSWER_PREFIX) ? messageId.slice(ANSWER_PREFIX.length) : undefined;
}

/** The key under which messages keep what this protocol says of them and others do not. */
export const UI_METADATA = 'ui_message';

/** What the output of a call keeps under `UI_METADATA` if it is a text that looks like JSON. */
export const TEXT_OUTPUT: JsonObject = { isText: true };

/** An output as pages have it: JSON as what it says, unless the page has given it as a text. */
export function shownOutput(text: string, metadata: JsonObject | null): Json {
  return uiMetadataOf(metadata)?.['isText'] === true ? text : (clientJson(text) ?? text);
}

/** What a message keeps under `UI_METADATA`; undefined if nothing. */
export function uiMetadataOf(metadata: JsonObject | null): JsonObject | undefined {
  const own = metadata?.[UI_METADATA];
  return isPlainObject(own) ? own : undefined;
}
