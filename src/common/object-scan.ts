const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPENING = '{'.charCodeAt(0);
const CLOSING = '}'.charCodeAt(0);

/**
 * Tells whether a text that comes in pieces is one whole JSON object, and reads each piece once only. It follows strings
 * and braces; whether the text is valid JSON otherwise is not checked.
 */
export class ObjectScan {
  private state: 'before' | 'inside' | 'after' | 'no object' = 'before';
  /** How many braces are open. */
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** True if the pieces so far are one whole object; white space may surround it. */
  get isWhole(): boolean {
    return this.state === 'after';
  }

  /** Reads the next piece. */
  add(piece: string): void {
    for (let at = 0; at < piece.length && this.state !== 'no object'; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.isInString) this.readInString(code);
      else if (this.state === 'inside') this.readInside(code);
      else if (code === OPENING && this.state === 'before') {
        this.state = 'inside';
        this.depth = 1;
      } else if (!isSpace(code)) this.state = 'no object';
    }
  }

  private readInString(code: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (code === BACKSLASH) this.isEscaped = true;
    else if (code === QUOTE) this.isInString = false;
  }

  private readInside(code: number): void {
    if (code === QUOTE) this.isInString = true;
    else if (code === OPENING) this.depth += 1;
    else if (code === CLOSING) {
      this.depth -= 1;
      if (this.depth === 0) this.state = 'after';
    }
  }
}

/** True for the white space of JSON. */
function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
