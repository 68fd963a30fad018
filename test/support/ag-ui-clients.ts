import { type AgentSubscriber, HttpAgent as HttpAgent1 } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { HttpAgent as HttpAgent0 } from 'ag-ui-client-0059';

/** Both generations of clients, by the names of their releases. */
export const CLIENTS = ['1.0.0', '0.0.59'] as const;
export type ClientVersion = (typeof CLIENTS)[number];

/** An unmodified HTTP client of either generation. */
export function httpAgent(version: ClientVersion, config: { url: string } & Record<string, unknown>): HttpAgent1 {
  // The two generations have the same surface as far as the specs use it.
  return version === '1.0.0' ? new HttpAgent1(config) : (new HttpAgent0(config) as unknown as HttpAgent1);
}

/** The media type of the binary stream. */
export const PROTO = 'application/vnd.ag-ui.event+proto';

/** A client of 1.0 that asks for the binary stream. */
export class BinaryAgent extends HttpAgent1 {
  protected override requestInit(input: Parameters<HttpAgent1['requestInit']>[0]): RequestInit {
    const init = super.requestInit(input);
    return { ...init, headers: { ...(init.headers as Record<string, string>), Accept: PROTO } };
  }
}

/** What one run showed its client. */
export interface Seen {
  readonly events: readonly ({ readonly type: string } & Record<string, unknown>)[];
  readonly result: unknown;
}

/** Runs an agent and keeps every event; each is also checked against the published schemas. */
export async function runAgent(
  agent: HttpAgent1,
  parameters: Parameters<HttpAgent1['runAgent']>[0] = {},
  subscriber: AgentSubscriber = {},
): Promise<Seen> {
  const events: Seen['events'][number][] = [];
  const result = await agent.runAgent(parameters, {
    ...subscriber,
    onEvent: (params) => {
      events.push(params.event);
      return subscriber.onEvent?.(params);
    },
  });
  for (const event of events) {
    const parsed = EventSchemas.safeParse(event);
    if (!parsed.success) throw new Error(`${JSON.stringify(event)}: ${parsed.error.message}`);
  }
  return { events, result };
}

/** The types of events, repetitions of one type counted as one. */
export function typesOf({ events }: Seen): string[] {
  return events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
}
