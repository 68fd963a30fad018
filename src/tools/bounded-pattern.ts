import { createContext, Script } from 'node:vm';

/** Time limits for one test of a pattern and for all tests in one turn of the event loop, in milliseconds. */
const TEST_MS = 50;
const TURN_MS = 150;

/** On subjects up to this length, a pattern with one repetition and no group always finishes quickly. */
const SHORT_SUBJECT = 4096;

const sandbox = createContext({ pattern: /./, subject: '' }) as { pattern: RegExp; subject: string };
const testInSandbox = new Script('pattern.test(subject)');
let spent = 0;

/**
 * A regular expression from an untrusted source. Backtracking can take exponential time, so a pattern
 * that can backtrack runs under a time limit, and a test that exceeds it counts as no match.
 */
export class BoundedPattern {
  private readonly pattern: RegExp;
  private readonly isSimple: boolean;

  /** @throws SyntaxError if the source is not a valid regular expression */
  constructor(source: string, flags = 'u') {
    this.pattern = new RegExp(source, flags);
    this.isSimple = isSimple(source);
  }

  test(subject: string): boolean {
    return this.verdict(subject) === true;
  }

  /** Whether the subject matches; undefined if the test exceeds the time limit. */
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

  /** The pattern itself: ajv uses it as a cache key. */
  toString(): string {
    return String(this.pattern);
  }
}

/** True for a pattern without groups and with at most one repetition. */
function isSimple(source: string): boolean {
  const bare = source.replace(/\\./gsu, 'x').replace(/\[[^\]]*\]/gu, 'x');
  return !/[()]/u.test(bare) && (bare.match(/[*+{]/gu)?.length ?? 0) <= 1;
}
