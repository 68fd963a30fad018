/** What the model server answers. The client puts it into the user's message, so it passes every server unseen. */
export interface Answer {
  /** Pieces of text in all. */
  readonly pieces: number;
  /** Milliseconds between two pieces; 0 writes all of them at once. */
  readonly everyMs: number;
  /** Pieces that are written at once before the pacing begins. */
  readonly lead: number;
  /** True: after its pieces the answer stays open and silent. */
  readonly hang: boolean;
}

const MARK = 'bench:';
const WORDS = 'lorem ipsum ';
const pieces: string[] = [];
const texts: string[] = [];

/** An answer with the usual values filled in. */
export function answerOf(given: Partial<Answer> & { readonly pieces: number }): Answer {
  return { everyMs: 0, lead: 1, hang: false, ...given };
}

/** The message of the user that asks for an answer. */
export function promptOf(answer: Answer): string {
  return MARK + JSON.stringify(answer);
}

/**
 * The answer that a message asks for.
 *
 * @throws Error if the message was not made by `promptOf`
 */
export function readPrompt(text: string): Answer {
  if (!text.startsWith(MARK)) throw new Error(`not a prompt of the benchmark: ${text.slice(0, 80)}`);
  return JSON.parse(text.slice(MARK.length)) as Answer;
}

/** The text of one piece, the same for every answer: its number and some words. ASCII only. */
export function pieceText(index: number): string {
  return (pieces[index] ??= `${index} ${WORDS}`);
}

/** The whole text of an answer with this many pieces. */
export function fullText(count: number): string {
  return (texts[count] ??= Array.from({ length: count }, (_, index) => pieceText(index)).join(''));
}
