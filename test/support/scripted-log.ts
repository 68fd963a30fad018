import { SequentialIds } from '../../src/common/index.js';
import { type AgentEvent, LoggedEvent, ResponseBuilder, serializeEvent } from '../../src/events/index.js';

/** Writes a log by hand: what the builder records, and other events in between. */
export class ScriptedLog {
  readonly events: AgentEvent[] = [];
  readonly response: ResponseBuilder;

  constructor(responseId = 'response_1', sessionId = 's1') {
    this.response = new ResponseBuilder({
      responseId,
      sessionId,
      ids: new SequentialIds(),
      clock: { now: () => 1_795_253_520_000 },
      sink: (event) => this.events.push(event),
    });
  }

  /** The log as a ledger returns it: JSON only. */
  logged(): LoggedEvent[] {
    return this.events.map((event, seq) => new LoggedEvent(seq, serializeEvent(event)));
  }
}

/** The log of a plain answer in the given pieces. */
export function textLog(pieces: readonly string[], responseId?: string, sessionId?: string): LoggedEvent[] {
  const log = new ScriptedLog(responseId, sessionId);
  log.response.inProgress();
  const message = log.response.createMessageBuilder();
  const content = message.createContentBuilder();
  for (const piece of pieces) content.addTextDelta(piece);
  message.complete();
  log.response.completed({ usage: { input_tokens: 1, output_tokens: pieces.length } });
  return log.logged();
}
