import type { ToolDeclaration } from '../../tools/index.js';
import type { ModelClient, ModelEvent, ModelMessage, ModelOptions, ModelRequest } from '../../ports/model-client.js';

/** What a model call came to, put together from its events. */
export interface Collected {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string | undefined; readonly name: string; readonly arguments: string }[];
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | undefined;
}

/** Runs a model call to its end. */
export async function collect(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  for await (const batch of client.stream(request, signal)) events.push(...batch);
  return assemble(events);
}

/** The error that a model call ends with, and the events before it. */
export async function failureOf(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ error: unknown; events: ModelEvent[] }> {
  const events: ModelEvent[] = [];
  try {
    for await (const batch of client.stream(request, signal)) events.push(...batch);
  } catch (error) {
    return { error, events };
  }
  throw new Error('The model call was expected to fail');
}

/** Puts the deltas of a model call together. */
export function assemble(events: readonly ModelEvent[]): Collected {
  const calls: { id: string | undefined; name: string; arguments: string }[] = [];
  let text = '';
  let reasoning = '';
  for (const event of events) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'reasoning-delta') reasoning += event.text;
    if (event.type !== 'tool-call-delta') continue;
    const call = (calls[event.index] ??= { id: event.id, name: event.name ?? '', arguments: '' });
    call.arguments += event.argumentsDelta;
  }
  const finish = events.find((event) => event.type === 'finish');
  return { events, text, reasoning, calls, finish };
}

/** A request that holds one user text, or whole messages. */
export function request(
  said: string | readonly ModelMessage[],
  tools: readonly ToolDeclaration[] = [],
  options: ModelOptions = {},
): ModelRequest {
  return { messages: typeof said === 'string' ? [user(said)] : said, tools, options };
}

/** A user's text message. */
export function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}
