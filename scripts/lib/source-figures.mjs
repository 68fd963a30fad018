// Counts the lines of source files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are not counted: specs and what only they use, generated migrations and types. */
const NOT_COUNTED = /\.spec\.ts$|\.d\.ts$|(^|\/)(testing|migrations)\/|^client\/api\.ts$/;

/**
 * @typedef {object} SourceFigures
 * @property {number} files
 * @property {number} median lines of a file
 * @property {number} p90 lines that nine of ten files do not exceed
 * @property {{path: string, lines: number}} largest
 * @property {{path: string, lines: number}[]} tooLong files of more lines than allowed
 * @property {number} comments percentage of the lines that are not blank
 */

/**
 * The figures of a folder of TypeScript files.
 *
 * @param {string} folder
 * @param {number} maxLines
 * @returns {SourceFigures}
 */
export function sourceFigures(folder, maxLines) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !NOT_COUNTED.test(path))
    .map((path) => ({ path, ...lineCounts(readFileSync(join(folder, path), 'utf8')) }))
    .sort((a, b) => a.lines - b.lines);
  /** @param {number} share */
  const at = (share) => files[Math.ceil(files.length * share) - 1]?.lines ?? 0;
  const comments = files.reduce((total, file) => total + file.comments, 0);
  const written = files.reduce((total, file) => total + file.written, 0);
  return {
    files: files.length,
    median: at(0.5),
    p90: at(0.9),
    largest: files.at(-1) ?? { path: '', lines: 0 },
    tooLong: files.filter(({ lines }) => lines > maxLines),
    comments: written === 0 ? 0 : (100 * comments) / written,
  };
}

/**
 * @param {string} text
 * @returns {{lines: number, written: number, comments: number}} all lines, those that are not blank, and comment lines
 */
export function lineCounts(text) {
  const lines = text.replace(/\n$/, '').split('\n');
  let [written, comments, isOpen] = [0, 0, false];
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
    written += 1;
    if (isOpen || line.startsWith('//') || line.startsWith('/*')) comments += 1;
    if (isOpen || line.startsWith('/*')) isOpen = !line.includes('*/');
  }
  return { lines: lines.length, written, comments };
}
