import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A section of a document. */
export interface Passage {
  readonly file: string;
  readonly heading: string;
  readonly text: string;
}

/** How fast more occurrences of a word stop to matter, and how much long passages are discounted (BM25). */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

/** The sections of Markdown files, and a search in them by words. */
export class Handbook {
  private readonly indexed: readonly { readonly passage: Passage; readonly words: readonly string[] }[];
  private readonly meanLength: number;
  /** In how many passages a word occurs. */
  private readonly spread = new Map<string, number>();

  constructor(passages: readonly Passage[]) {
    this.indexed = passages.map((passage) => ({ passage, words: wordsOf(`${passage.heading} ${passage.text}`) }));
    this.meanLength = this.indexed.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, passages.length);
    for (const { words } of this.indexed) {
      for (const word of new Set(words)) this.spread.set(word, (this.spread.get(word) ?? 0) + 1);
    }
  }

  /** Reads all Markdown files of a folder. */
  static read(folder: string): Handbook {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    return new Handbook(files.sort().flatMap((file) => passagesOf(file, readFileSync(join(folder, file), 'utf8'))));
  }

  /** The passages that fit a question best, the best first; none if no word occurs. */
  search(question: string, limit = 3): readonly Passage[] {
    const asked = [...new Set(wordsOf(question))];
    return this.indexed
      .map(({ passage, words }) => ({ passage, score: this.score(asked, words) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ passage }) => passage);
  }

  private score(asked: readonly string[], words: readonly string[]): number {
    const discount = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words.length) / this.meanLength);
    return asked.reduce((sum, word) => {
      const count = words.filter((one) => one === word).length;
      const spread = this.spread.get(word) ?? 0;
      const rarity = Math.log(1 + (this.indexed.length - spread + 0.5) / (spread + 0.5));
      return sum + (rarity * count * (SATURATION + 1)) / (count + discount);
    }, 0);
  }
}

/** Divides a document at its headings. */
function passagesOf(file: string, markdown: string): Passage[] {
  return markdown.split(/^(?=#{1,6} )/m).flatMap((section) => {
    const [first = '', ...rest] = section.split('\n');
    const heading = first.replace(/^#+ /, '').trim();
    const text = rest.join('\n').trim();
    return text === '' ? [] : [{ file, heading, text }];
  });
}

/** Lower-case words; a final s is cut off, so that `days` finds `day`. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''));
}
