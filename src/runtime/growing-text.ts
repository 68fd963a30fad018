/** Pieces that are kept before they are joined. */
const MOST_PIECES = 64;

/** A text that grows by pieces. It consists of few objects in memory, however many pieces it was made of. */
export class GrowingText {
  private text = '';
  private pieces: string[] = [];

  /** Appends a piece. */
  append(piece: string): void {
    if (this.pieces.push(piece) >= MOST_PIECES) this.join();
  }

  /** Replaces the whole text. */
  set(text: string): void {
    this.text = text;
    this.pieces = [];
  }

  /** The whole text so far. */
  get value(): string {
    if (this.pieces.length > 0) this.join();
    return this.text;
  }

  private join(): void {
    this.text += this.pieces.join('');
    this.pieces = [];
  }
}
