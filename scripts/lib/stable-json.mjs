/**
 * JSON with sorted keys and a line break at the end, so that equal values give equal files.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function stableJson(value) {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/**
 * Where two texts part, for a person; undefined when they are equal.
 *
 * @param {string} before
 * @param {string} after
 * @returns {string | undefined}
 */
export function firstDifference(before, after) {
  if (before === after) return undefined;
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')];
  const line = newLines.findIndex((text, index) => text !== oldLines[index]);
  const at = line === -1 ? newLines.length : line;
  return `First difference in line ${at + 1}:\n- ${oldLines[at] ?? '(end)'}\n+ ${newLines[at] ?? '(end)'}`;
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
