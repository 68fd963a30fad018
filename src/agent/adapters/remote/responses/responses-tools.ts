import { type Fields, restOf, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { hostedInput, hostedOutput } from './responses-items.js';

/** A tool of the upstream's own kind: its type is its name. */
export function finishHosted(key: string, name: string, item: Fields, writer: RemoteWriter): void {
  const callId = textAt(item, 'call_id') ?? textAt(item, 'id') ?? key;
  writer.call(key, callId, name);
  completeArgs(key, hostedInput(item), writer);
  writer.end(key);
  const isFailed = textAt(item, 'status') === 'failed';
  writer.output(callId, hostedOutput(item), { isError: isFailed });
}

/** Asks a person whether a tool may be called. */
export function askFor(key: string, item: Fields, writer: RemoteWriter): void {
  const label = textAt(item, 'server_label');
  writer.approval(textAt(item, 'id') ?? key, {
    name: textAt(item, 'name') ?? 'unknown_tool',
    arguments: textAt(item, 'arguments') ?? '{}',
    ...(label !== undefined && { label }),
  });
}

/** The whole arguments of a call are known: the rest of them is told. */
export function completeArgs(key: string, text: string | undefined, writer: RemoteWriter): void {
  const rest = restOf(text ?? '', writer.told(key) ?? '');
  if (rest) writer.args(key, rest);
}
