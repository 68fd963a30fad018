import type { Json } from '../../common/index.js';

/**
 * What a text is as JSON; undefined for any other text, and for JSON with members that clients refuse: they read every
 * chunk with a parser that takes `__proto__` for an attack, and end the stream (contract ui-message-stream, section A4).
 */
export function clientJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isSafe(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True for a text that would not be shown as itself, because it is JSON. */
export function looksLikeJson(text: string): boolean {
  return clientJson(text) !== undefined;
}

/** The value itself, or its JSON text where clients would refuse a chunk with it. */
export function safeForClients(value: Json): Json {
  return isSafe(value) ? value : JSON.stringify(value);
}

/** Whether no object in a value has a member that replaces its prototype. */
function isSafe(value: Json): boolean {
  const open: Json[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    if (!Array.isArray(one)) {
      if (Object.hasOwn(one, '__proto__')) return false;
      const made = Object.hasOwn(one, 'constructor') ? one['constructor'] : undefined;
      if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return false;
    }
    for (const inner of Object.values(one)) open.push(inner);
  }
  return true;
}
