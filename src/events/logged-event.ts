import { type AgentEvent, TERMINAL_STATUSES } from './vocabulary.js';

/** How the canonical JSON of a terminal event begins. */
const TERMINAL = new RegExp(`^{"object":"response","status":"(?:${TERMINAL_STATUSES.join('|')})"`);

/**
 * One committed event of a run: its number and its canonical JSON. `object` is always the first key
 * of the JSON, so a reader can tell the kind without parsing; `event` is parsed when first asked for.
 */
export class LoggedEvent {
  private parsed: AgentEvent | undefined;

  constructor(
    /** From 0, gap-free within the run. */
    readonly seq: number,
    /** The canonical JSON text, see `serializeEvent`. */
    readonly json: string,
    event?: AgentEvent,
    /** When it was committed, in milliseconds since the epoch: the same at every reading. 0 when nobody said. */
    readonly at: number = 0,
  ) {
    this.parsed = event;
  }

  /** True for the last event of its run. Told by the beginning of the text: it may be very long. */
  get isTerminal(): boolean {
    return TERMINAL.test(this.json);
  }

  get event(): AgentEvent {
    return (this.parsed ??= JSON.parse(this.json) as AgentEvent);
  }
}
