import { fingerprint, type Json } from '../../../../common/index.js';
import { asObject, type Fields, pieceAt, restOf } from '../json-fields.js';

/** The most that is kept of what a task says while it is worked on, in characters of JSON. */
const LARGEST_WORDS = 64 * 1024;

/** What has been shown of an artifact. */
export interface ShownArtifact {
  /** Its text, of each exchange a piece. */
  readonly texts: readonly { readonly length: number; readonly hash: string }[];
  /** The parts beside the text, as `printOf`. */
  readonly others: readonly string[];
}

/** What one exchange has shown of an artifact. */
export interface ShownPiece {
  readonly text: string;
  /** The parts beside the text, as `printOf`. */
  readonly others: readonly string[];
}

/** A part that is no text, in short: an equal one that comes again is known. */
export function printOf(part: Fields): string {
  return fingerprint(Object.assign({}, part, { metadata: null })).slice(0, 32);
}

/** An artifact after an exchange has shown a piece of it. @param before undefined: nothing had been shown */
export function withPiece(before: ShownArtifact | undefined, { text, others }: ShownPiece): ShownArtifact {
  const texts = before?.texts ?? [];
  const piece = { length: text.length, hash: fingerprint(text) };
  return { texts: text === '' ? texts : [...texts, piece], others: [...(before?.others ?? []), ...others] };
}

/** What of the parts of an artifact has not been shown; undefined if its text does not go on with what has. */
export function partsBehind(
  before: ShownArtifact | undefined,
  { text, others }: ShownPiece,
  parts: readonly Fields[],
): readonly Fields[] | undefined {
  const whole = parts.map((part) => pieceAt(part, 'text') ?? '').join('');
  let shown = 0;
  for (const { length, hash } of before?.texts ?? []) {
    if (fingerprint(whole.slice(shown, shown + length)) !== hash) return undefined;
    shown += length;
  }
  if (restOf(whole.slice(shown), text) === undefined) return undefined;
  shown += text.length;
  const known = new Map<string, number>();
  for (const print of [...(before?.others ?? []), ...others]) known.set(print, (known.get(print) ?? 0) + 1);
  return parts.flatMap((part): Fields[] => {
    const own = pieceAt(part, 'text');
    if (own === undefined) {
      const print = printOf(part);
      const count = known.get(print) ?? 0;
      known.set(print, count - 1);
      return count > 0 ? [] : [part];
    }
    const rest = own.slice(shown);
    shown -= own.length - rest.length;
    return rest === '' ? [] : [{ text: rest }];
  });
}

/** Artifacts by their ids, as JSON. */
export function shownJson(artifacts: ReadonlyMap<string, ShownArtifact>): Json {
  return [...artifacts] as unknown as Json;
}

/** What `shownJson` was made of; none of anything else. Earlier versions kept the ids alone. */
export function shownIn(json: unknown): ReadonlyMap<string, ShownArtifact> {
  const kept = Array.isArray(json) ? (json as readonly (string | [string, ShownArtifact])[]) : [];
  return new Map(kept.map((one) => (typeof one === 'string' ? [one, { texts: [], others: [] }] : one)));
}

/** The parts of a message as JSON; undefined if they are too much to be kept. */
export function keptParts(parts: readonly Fields[]): Json | undefined {
  return JSON.stringify(parts).length > LARGEST_WORDS ? undefined : parts.map(asObject);
}
