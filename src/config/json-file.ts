import { readFileSync } from 'node:fs';
import { parsedJson } from '../common/index.js';

/** The largest file, in characters. */
const FILE_LIMIT = 1024 * 1024;

/** The content of a JSON file or text, or why it cannot be used, as the end of the sentence "NAME …". */
export type JsonReading = { readonly value: unknown } | { readonly problem: string };

/** Reads a JSON file that a setting names. */
export function readJsonFile(file: string): JsonReading {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return { problem: `names the file ${JSON.stringify(file)}, which cannot be read (${code})` };
  }
  if (text.length > FILE_LIMIT) return { problem: `names a file of more than ${FILE_LIMIT} characters` };
  const value = parsedJson(text.replace(/^\uFEFF/, ''));
  return value === undefined ? { problem: `names a file that is not valid JSON: ${file}` } : { value };
}

/** Reads JSON that a setting holds. The text is not shown, because it may hold secrets. */
export function readJsonText(text: string): JsonReading {
  const value = parsedJson(text);
  return value === undefined ? { problem: `must be valid JSON (${text.length} characters, not shown)` } : { value };
}
