import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { CALL_TYPES, type Message, OUTPUT_TYPES } from '../../events/index.js';
import type { ModelPart, ModelToolCall } from '../ports/model-client.js';

/** The output of a tool call. */
export interface CallOutput {
  readonly callId: string;
  /** Text as the model receives it. */
  readonly output: string;
}

/** The metadata key under which earlier versions stored the `replay` (see `ModelEvent`) of a call. */
const MODEL_REPLAY = 'model_replay';

/** The `replay` that an earlier version stored with a call; later ones keep it apart from the message. */
export function replayOf({ metadata }: Message): JsonObject | undefined {
  const replay = metadata?.[MODEL_REPLAY];
  return isPlainObject(replay) ? replay : undefined;
}

/** True for messages that contain a tool call, of any kind of tool. */
export function isCall(message: Message): boolean {
  return CALL_TYPES.includes(message.type);
}

/** True for messages that contain the output of a tool call, of any kind of tool. */
export function isCallOutput(message: Message): boolean {
  return OUTPUT_TYPES.includes(message.type);
}

/** The tool calls in a message; none if it is of another type or their ids are missing. */
export function callsOf(message: Message): ModelToolCall[] {
  if (!isCall(message)) return [];
  return payloads(message).flatMap(({ call_id: id, name, arguments: args }) =>
    typeof id === 'string' && typeof name === 'string' ? [{ id, name, arguments: asText(args ?? '{}') }] : [],
  );
}

/** The tool outputs in a message. */
export function outputsOf(message: Message): CallOutput[] {
  if (!isCallOutput(message)) return [];
  return payloads(message).flatMap(({ call_id: callId, output }) =>
    typeof callId === 'string' ? [{ callId, output: asText(output ?? '') }] : [],
  );
}

/** The ids of the messages with a call that has no output among these messages. */
export function openCalls(messages: readonly Message[]): readonly string[] {
  if (!messages.some(isCall)) return [];
  const answered = new Set(messages.flatMap(outputsOf).map(({ callId }) => callId));
  return messages.filter((message) => callsOf(message).some(({ id }) => !answered.has(id))).map(({ id }) => id);
}

/** The images that belong to the output of a tool call. */
export function imagesOf(message: Message): readonly Extract<ModelPart, { type: 'image' }>[] {
  return (message.content ?? []).flatMap((content) =>
    content.type === 'image' && content.image_url ? [{ type: 'image' as const, url: content.image_url }] : [],
  );
}

/** The data of a message's contents; several contents may describe one call. */
function payloads(message: Message): { [key: string]: Json }[] {
  return (message.content ?? []).flatMap((content) => (content.type === 'data' && content.data ? [content.data] : []));
}

/** Outputs that are not text are given to the model as JSON. */
function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
