import { BoundedPattern } from '../bounded-pattern.js';

const LONGEST_PATTERN = 1000;

/** A pattern that can be used, or why not, as the end of a sentence. */
export type CheckedPattern = { readonly pattern: BoundedPattern } | { readonly problem: string };

/** Compiles the pattern of a rule. It is searched for in the text; use ^ and $ to match all of it. */
export function checkPattern(source: unknown): CheckedPattern {
  if (typeof source !== 'string' || source === '' || source.length > LONGEST_PATTERN) {
    return { problem: `must be a regular expression of 1 to ${LONGEST_PATTERN} characters` };
  }
  try {
    return { pattern: new BoundedPattern(source) };
  } catch (error) {
    return { problem: `is not a regular expression: ${error instanceof Error ? error.message : String(error)}` };
  }
}
