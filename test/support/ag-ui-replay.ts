import { AbstractAgent, EventType } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { AbstractAgent as AbstractAgent0 } from 'ag-ui-client-0059';
import { from } from 'rxjs';
import type { AgUiEvent } from '../../src/protocol/ag-ui-events/index.js';

/** What a client made of a stream. */
export interface Replayed {
  readonly messages: readonly { readonly id: string; readonly role: string }[];
  readonly state: unknown;
  readonly error: string | undefined;
}

/** Both generations of clients. */
export const GENERATIONS = ['v1', 'v0'] as const;

/**
 * Plays events through the whole pipeline of an unmodified client (checks of shape and order, then
 * their application). Rejects where the client would reject the run.
 */
export async function replay(
  generation: (typeof GENERATIONS)[number],
  events: readonly AgUiEvent[],
  initialMessages: readonly object[] = [],
): Promise<Replayed> {
  let error: string | undefined;
  const subscriber = {
    onRunErrorEvent: ({ event }: { event: { message: string } }) => {
      error = event.message;
    },
  };
  const agent = generation === 'v1' ? agentOf1(events) : agentOf0(events);
  agent.setMessages([...initialMessages] as never);
  await agent.runAgent({ runId: 'run' }, subscriber);
  return { messages: agent.messages, state: agent.state, error };
}

/** Checks each event against the published schemas; unknown keys and nulls for optional keys are refused. */
export function checkShapes(events: readonly AgUiEvent[]): void {
  for (const event of events) {
    const parsed = EventSchemas.safeParse(event);
    if (!parsed.success) throw new Error(`${JSON.stringify(event)}: ${parsed.error.message}`);
    if (!(event.type in EventType)) throw new Error(`unknown type ${event.type}`);
    for (const [key, value] of Object.entries(event)) {
      if (value === undefined || (value === null && !OPAQUE.has(key))) throw new Error(`${event.type}.${key} is empty`);
    }
  }
}

const OPAQUE: ReadonlySet<string> = new Set(['snapshot', 'value']);

function agentOf1(events: readonly AgUiEvent[]): AbstractAgent {
  class Replay extends AbstractAgent {
    run(): ReturnType<AbstractAgent['run']> {
      return from(events) as unknown as ReturnType<AbstractAgent['run']>;
    }
  }
  return new Replay({ threadId: 'thread' });
}

function agentOf0(events: readonly AgUiEvent[]): AbstractAgent0 {
  class Replay extends AbstractAgent0 {
    run(): ReturnType<AbstractAgent0['run']> {
      return from(events) as unknown as ReturnType<AbstractAgent0['run']>;
    }
  }
  return new Replay({ threadId: 'thread' });
}
