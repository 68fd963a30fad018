import { type Content, type Message, SUBAGENT_ID } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import type { OpenMessage } from './open-messages.js';

/**
 * Events that say which subagent they come from. Those that go on with a message or call need not: it has
 * the owner that it was begun with (contract ag-ui, section 2.1, rule 10).
 */
const OWNED: ReadonlySet<AgUiEvent['type']> = new Set<AgUiEvent['type']>([
  'STEP_STARTED',
  'STEP_FINISHED',
  'TEXT_MESSAGE_START',
  'TOOL_CALL_START',
  'TOOL_CALL_RESULT',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'ACTIVITY_SNAPSHOT',
  'ACTIVITY_DELTA',
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'RAW',
  'CUSTOM',
]);

/** The events with their subagent; as they are for the run's own agent. */
export function owned(events: AgUiEvent[], owner: string | undefined): AgUiEvent[] {
  if (owner === undefined) return events;
  return events.map((event) => (OWNED.has(event.type) ? ({ ...event, subagentRunId: owner } as AgUiEvent) : event));
}

/** The subagent that wrote a message; undefined for the run's own agent. */
export function ownerOf({ metadata }: Pick<Message, 'metadata'>): string | undefined {
  const owner = metadata?.[SUBAGENT_ID];
  return typeof owner === 'string' ? owner : undefined;
}

/** A message of a subagent while a stream shows it. */
export class OwnedMessage implements OpenMessage {
  constructor(
    private readonly message: OpenMessage,
    private readonly owner: string,
  ) {}

  get diverged(): boolean {
    return this.message.diverged;
  }

  open(): AgUiEvent[] {
    return owned(this.message.open(), this.owner);
  }

  content(event: Content): AgUiEvent[] {
    return owned(this.message.content(event), this.owner);
  }

  close(closing: Message | undefined): AgUiEvent[] {
    return owned(this.message.close(closing), this.owner);
  }
}
