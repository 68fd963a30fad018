import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { SseEvent } from './remote-connection.js';
import { protocolFailure } from './remote-failure.js';

/** An object of a foreign message. */
export type Fields = Readonly<Record<string, unknown>>;

/** The data of an event as an object. @throws RemoteFailure if it is none */
export function fieldsOf({ data }: Pick<SseEvent, 'data'>): Fields {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw protocolFailure('The remote agent sent an event that is not valid JSON', error);
  }
  if (!isPlainObject(value)) throw protocolFailure('The remote agent sent an event that is not a JSON object');
  return value;
}

/** A member that is an object; an empty one otherwise. */
export function objectAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isPlainObject(value) ? value : {};
}

/** The objects of a member that is a list. */
export function objectsAt(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** A member that is a text; undefined otherwise. */
export function textAt(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/** A member that is a number; undefined otherwise. */
export function numberAt(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A value as text: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A foreign value, of which all that JSON can hold is JSON. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/** A foreign object as JSON. */
export function asObject(value: Fields): JsonObject {
  return value as JsonObject;
}
