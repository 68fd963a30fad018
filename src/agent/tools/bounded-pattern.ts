import { boundedWork } from './bounded-work.js';

/**
 * A regular expression from an untrusted source. Backtracking can take exponential time, so every test runs under a
 * time limit (`boundedWork`), and one that exceeds it counts as no match. Nothing is concluded from how the pattern
 * looks.
 */
export class BoundedPattern {
  private readonly pattern: RegExp;

  /** @throws SyntaxError if the source is not a valid regular expression */
  constructor(source: string, flags = 'u') {
    this.pattern = new RegExp(source, flags);
  }

  /** Whether the subject matches. Within bounded work, as in a validator, the whole work ends at the time limit. */
  test(subject: string): boolean {
    return this.verdict(subject) === true;
  }

  /** Whether the subject matches; undefined if the test exceeds the time limit. */
  verdict(subject: string): boolean | undefined {
    return boundedWork(() => this.pattern.test(subject));
  }

  /** The pattern itself: ajv uses it as a cache key. */
  toString(): string {
    return String(this.pattern);
  }
}
