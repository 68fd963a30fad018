import { decodeRunsInput } from '../run-input.decoder.js';
import type { RunInput } from '../run-input.js';

/** A request body, right or wrong. */
export type Body = Record<string, unknown>;

export const THREAD = '550e8400-e29b-41d4-a716-446655440000';
export const USER = { id: 'msg-001', role: 'user', content: 'What is the weather in Beijing?' };
/** As in the document: its epoch is hours away from its time. */
export const TIME = {
  device_timezone: 'America/Los_Angeles',
  client_now_iso: '2026-03-16T09:12:33-07:00',
  client_epoch_ms: 1773658353000,
};
export const BINARY = { type: 'binary', mimeType: 'image/png', url: 'https://files.example.com/a.png?sig=x' };

/** A body that is accepted, with changes. */
export function good(changes: Body = {}): Body {
  return {
    threadId: THREAD,
    runId: 'run-001',
    state: {},
    messages: [USER],
    tools: [],
    context: [],
    forwardedProps: { agent_type: 'worker' },
    ...changes,
  };
}

/** A good body without one of its fields. */
export function without(key: string): Body {
  return Object.fromEntries(Object.entries(good()).filter(([name]) => name !== key));
}

export function withUser(content: unknown): Body {
  return good({ messages: [{ ...USER, content }] });
}

export function withBlock(block: Body): Body {
  return withUser([{ type: 'text', text: 'Look' }, block]);
}

export function withTime(more: Body): Body {
  return good({ forwardedProps: { agent_type: 'worker', client_time: { ...TIME, ...more } } });
}

/** Decodes for a server whose only public agent is `worker`. */
export function decode(body: unknown, onInvalidClientTime: 'reject' | 'fallback' = 'reject'): RunInput {
  return decodeRunsInput(body, { isKnownAgent: (name) => name === 'worker', onInvalidClientTime });
}
