import { fingerprint, type Json } from '../../../../common/index.js';
import { type Fields, textAt } from '../json-fields.js';

/** What has been shown of an artifact. */
export interface ShownArtifact {
  /** Its text, of each exchange a piece. */
  readonly texts: readonly { readonly length: number; readonly hash: string }[];
  /** How many parts beside the text. */
  readonly others: number;
}

/** What one exchange has shown of an artifact. */
export interface ShownPiece {
  readonly text: string;
  /** How many parts beside the text. */
  readonly others: number;
}

/** An artifact after an exchange has shown a piece of it. @param before undefined: nothing had been shown */
export function withPiece(before: ShownArtifact | undefined, { text, others }: ShownPiece): ShownArtifact {
  const texts = before?.texts ?? [];
  const piece = { length: text.length, hash: fingerprint(text) };
  return { texts: text === '' ? texts : [...texts, piece], others: (before?.others ?? 0) + others };
}

/** What of the parts of an artifact has not been shown; undefined if its text does not go on with what has. */
export function partsBehind(
  before: ShownArtifact | undefined,
  { text, others }: ShownPiece,
  parts: readonly Fields[],
): readonly Fields[] | undefined {
  const whole = parts.map((part) => textAt(part, 'text') ?? '').join('');
  let shown = 0;
  for (const { length, hash } of before?.texts ?? []) {
    if (fingerprint(whole.slice(shown, shown + length)) !== hash) return undefined;
    shown += length;
  }
  if (!whole.startsWith(text, shown)) return undefined;
  shown += text.length;
  let shownOthers = (before?.others ?? 0) + others;
  return parts.flatMap((part): Fields[] => {
    const own = textAt(part, 'text');
    if (own === undefined) return (shownOthers -= 1) < 0 ? [part] : [];
    const rest = own.slice(shown);
    shown -= own.length - rest.length;
    return rest === '' ? [] : [{ text: rest }];
  });
}

/** Artifacts by their ids, as JSON. */
export function shownJson(artifacts: ReadonlyMap<string, ShownArtifact>): Json {
  return [...artifacts] as unknown as Json;
}

/** What `shownJson` was made of; none of anything else. */
export function shownIn(json: unknown): ReadonlyMap<string, ShownArtifact> {
  return new Map(Array.isArray(json) ? (json as [string, ShownArtifact][]) : []);
}
