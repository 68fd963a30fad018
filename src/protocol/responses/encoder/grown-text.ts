/**
 * A text that is told in pieces which can not be taken back. `grow` and `become` return what is still
 * to be told. When a text is replaced by one that does not begin with what was told, nothing more can
 * be said until its end, where the whole is told anyway.
 */
export class GrownText {
  private told = '';
  private isBroken = false;

  get value(): string {
    return this.told;
  }

  grow(piece: string): string {
    if (this.isBroken) return '';
    this.told += piece;
    return piece;
  }

  become(whole: string): string {
    if (!whole.startsWith(this.told)) {
      this.isBroken = true;
      return '';
    }
    const rest = whole.slice(this.told.length);
    this.told = whole;
    this.isBroken = false;
    return rest;
  }
}
