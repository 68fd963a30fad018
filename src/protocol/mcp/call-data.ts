import { isPlainObject, type JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { type CallData, WIRE } from './mcp.types.js';

/** As the data of a run. */
export function toWireData(data: CallData): JsonObject {
  return { [WIRE]: { ...data } };
}

/** What this wire has kept with the runs of a call; undefined for runs of other wires. */
export function callDataOf({ wireData }: Pick<RunView, 'wireData'>): CallData | undefined {
  const data = wireData[WIRE];
  return isPlainObject(data) ? (data as unknown as CallData) : undefined;
}
