import { createContext, Script } from 'node:vm';

/** How long one test of a pattern may take, and all tests of one turn of the event loop, in milliseconds. */
const TEST_MS = 50;
const TURN_MS = 150;

/** Subjects up to this length cannot hold up a pattern with a single repetition and no group. */
const SHORT_SUBJECT = 4096;

const sandbox = createContext({ pattern: /./, subject: '' }) as { pattern: RegExp; subject: string };
const testInSandbox = new Script('pattern.test(subject)');
let spent = 0;

/**
 * A regular expression of somebody else's. Backtracking may take for ever, so a pattern that can
 * backtrack is tested under a time limit; what takes longer counts as not matching.
 */
export class BoundedPattern {
  private readonly pattern: RegExp;
  private readonly isSimple: boolean;

  /** @throws SyntaxError when the source is no regular expression */
  constructor(source: string, flags = 'u') {
    this.pattern = new RegExp(source, flags);
    this.isSimple = isSimple(source);
  }

  test(subject: string): boolean {
    return this.verdict(subject) === true;
  }

  /** Whether it matches; undefined when that takes too long to tell. */
  verdict(subject: string): boolean | undefined {
    if (this.isSimple && subject.length <= SHORT_SUBJECT) return this.pattern.test(subject);
    const left = TURN_MS - spent;
    if (left < 1) return undefined;
    if (spent === 0) setImmediate(() => (spent = 0));
    const startedAt = performance.now();
    try {
      sandbox.pattern = this.pattern;
      sandbox.subject = subject;
      return testInSandbox.runInContext(sandbox, { timeout: Math.ceil(Math.min(TEST_MS, left)) }) === true;
    } catch {
      return undefined;
    } finally {
      sandbox.subject = '';
      spent += performance.now() - startedAt;
    }
  }

  /** The pattern itself: ajv tells patterns apart by it. */
  toString(): string {
    return String(this.pattern);
  }
}

/** True for a pattern without groups that repeats at most one thing. */
function isSimple(source: string): boolean {
  const bare = source.replace(/\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
  return !/[()]/u.test(bare) && (bare.match(/[*+{]/gu)?.length ?? 0) <= 1;
}
