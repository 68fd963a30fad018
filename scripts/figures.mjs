// Writes the figures of the source into docs/architecture.md. With --check it only says whether the committed
// figures are current, and whether the limits below hold. With --list it names the files that one other imports and the
// pairs that look alike. Values are rounded, so that few changes affect them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFigures } from './lib/source-figures.mjs';
import { firstDifference } from './lib/stable-json.mjs';

const LIMITS = {
  /** Lines of the largest file; the lint rule allows 300 that are neither blank nor comments. */
  largest: 400,
  /** Lines of the median file. */
  median: { from: 50, to: 90 },
  /** Percentage of comment lines, at least. */
  comments: 15,
};
/** What values are rounded to. */
const ROUNDING = { files: 25, median: 5, p90: 10, comments: 1, single: 25, alike: 5 };

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/architecture.md');
const BLOCK = /(<!-- figures -->\n)[\s\S]*?(<!-- end of figures -->)/;

process.exitCode = main(process.argv.includes('--check'));

/**
 * @param {boolean} check
 * @returns {number} exit code
 */
function main(check) {
  const figures = sourceFigures(join(root, 'src'), LIMITS.largest);
  const committed = readFileSync(page, 'utf8');
  if (!BLOCK.test(committed)) {
    console.error('docs/architecture.md has no block "<!-- figures -->" to write to.');
    return 1;
  }
  const current = committed.replace(BLOCK, (_, begin, end) => `${begin}\n${table(figures)}\n\n${end}`);
  if (!check) {
    writeFileSync(page, current);
    console.log(table(figures));
    if (process.argv.includes('--list')) list(figures);
  }
  const problems = broken(figures);
  const difference = check ? firstDifference(committed, current) : undefined;
  if (difference !== undefined)
    problems.push(`docs/architecture.md is not current: run "npm run figures".\n${difference}`);
  for (const problem of problems) console.error(problem);
  if (check && problems.length === 0)
    console.log('The figures in docs/architecture.md are current, and the limits hold');
  return problems.length === 0 ? 0 : 1;
}

/** @param {import('./lib/source-figures.mjs').SourceFigures} figures */
function list({ single, alike }) {
  console.log(['\nImported by one other file:', ...single, '\nEight equal lines in a row:'].join('\n'));
  for (const pair of alike) console.log(pair.join('  '));
}

/** @param {import('./lib/source-figures.mjs').SourceFigures} figures */
function table(figures) {
  const { files, median, p90, comments } = figures;
  const largest = figures.tooLong.length === 0 ? `at most ${LIMITS.largest} lines` : `${figures.largest.lines} lines`;
  return [
    '| Source files in `src/` | |',
    '|---|---|',
    `| number | about ${rounded(files, ROUNDING.files)} |`,
    `| median | about ${rounded(median, ROUNDING.median)} lines |`,
    `| nine of ten | up to about ${rounded(p90, ROUNDING.p90)} lines |`,
    `| largest | ${largest} |`,
    `| comment lines | about ${rounded(comments, ROUNDING.comments)} % |`,
    `| imported by one other file | about ${rounded(figures.single.length, ROUNDING.single)} |`,
    `| … that is no controller, module, adapter, entity or the like | about ${rounded(figures.fragments.length, ROUNDING.single)} |`,
    `| pairs with eight equal lines in a row | about ${rounded(figures.alike.length, ROUNDING.alike)} |`,
  ].join('\n');
}

/**
 * @param {import('./lib/source-figures.mjs').SourceFigures} figures
 * @returns {string[]} what limits are broken
 */
function broken({ median, comments, tooLong }) {
  const { from, to } = LIMITS.median;
  return [
    ...tooLong.map(({ path, lines }) => `src/${path} has ${lines} lines; the limit is ${LIMITS.largest}`),
    ...(median < from || median > to ? [`The median file has ${median} lines, not ${from} to ${to}`] : []),
    ...(comments < LIMITS.comments
      ? [`${comments.toFixed(1)} % of the lines are comments; at least ${LIMITS.comments} %`]
      : []),
  ];
}

/**
 * @param {number} value
 * @param {number} step
 */
function rounded(value, step) {
  return Math.round(value / step) * step;
}
