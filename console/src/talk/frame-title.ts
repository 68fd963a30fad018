import { isObject } from '../lib/format.js';

/** What one line says of a frame: what it is, and the beginning of the rest. */
export interface FrameTitle {
  readonly type: string;
  readonly rest: string;
}

const REST_CHARACTERS = 200;

/** Sums up a frame of any wire. @param raw the lines of a server-sent event */
export function frameTitle(raw: string): FrameTitle {
  const data = raw
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
    .join('\n');
  const event = objectOf(data);
  if (!event) return { type: data.slice(0, REST_CHARACTERS), rest: '' };
  const { object, type, status, ...others } = event;
  const words = [object, type, ...(object === undefined ? [] : [status])].filter((word) => typeof word === 'string');
  const said = ['delta', 'content', 'text'].map((name) => event[name]).find((value) => typeof value === 'string');
  return { type: words.join(' ') || 'data', rest: JSON.stringify(said ?? others).slice(0, REST_CHARACTERS) };
}

function objectOf(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
