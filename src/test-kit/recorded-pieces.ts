import type { ModelEvent } from '../agent/index.js';
import { type Redact, redacted } from './recorded-request.js';
import type { RecordedPiece } from './recording-file.js';

/** A bit of a text. */
interface Delta {
  /** Equal for all deltas of a text. */
  readonly key: string;
  readonly text: string;
}

/**
 * The pieces of an answer after redaction, also of texts that are spread over several pieces. Where it is not enough to
 * redact each delta, the first delta of a text has the whole text, and the others are empty.
 */
export function redactedPieces(pieces: readonly RecordedPiece[], redact: Redact): readonly RecordedPiece[] {
  const texts = redactedTexts(
    pieces.flatMap(({ events }) => events),
    redact,
  );
  let position = 0;
  return pieces.map((piece) => ({
    ...piece,
    events: piece.events.map((event) => redactedEvent(event, texts.get(position++), redact)),
  }));
}

/** The texts of deltas after redaction, by the position of the event. */
function redactedTexts(events: readonly ModelEvent[], redact: Redact): ReadonlyMap<number, string> {
  const deltas = events.flatMap((event, position) => {
    const delta = deltaOf(event);
    return delta ? [{ ...delta, position }] : [];
  });
  const texts = new Map<number, string>();
  for (const key of new Set(deltas.map((delta) => delta.key))) {
    const own = deltas.filter((delta) => delta.key === key);
    const each = own.map(({ text }) => redact(text));
    const whole = redact(own.map(({ text }) => text).join(''));
    const safe = each.join('') === whole ? each : [whole];
    own.forEach(({ position }, index) => texts.set(position, safe[index] ?? ''));
  }
  return texts;
}

function deltaOf(event: ModelEvent): Delta | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
      return { key: event.type, text: event.text };
    case 'tool-call-delta':
      return { key: `${event.type} ${event.index}`, text: event.argumentsDelta };
    case 'finish':
      return undefined;
  }
}

/** @param text of a delta, already redacted */
function redactedEvent(event: ModelEvent, text: string | undefined, redact: Redact): ModelEvent {
  const safe = redacted(event, redact) as unknown as ModelEvent;
  if (text === undefined || safe.type === 'finish') return safe;
  return safe.type === 'tool-call-delta' ? { ...safe, argumentsDelta: text } : { ...safe, text };
}
