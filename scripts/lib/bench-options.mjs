/** The options of `npm run bench`: how they are written, and what they mean. */
export const BENCH_OPTIONS = /** @type {const} */ ([
  ['--help', 'prints the options and measures nothing'],
  ['--quick', 'the short set with its gates'],
  ['--only=LIST', 'rows (m1, p3) or scenarios by name, separated by commas'],
  ['--against=DIR', 'compares this checkout with the one in DIR, which is built, and measures nothing else'],
  ['--wire=NAME', 'the wire of the M rows that name none: responses (default), agent-api or runs'],
  ['--database=NAME', 'the database of the M rows: sqlite (default) or postgres'],
  ['--rounds=N', 'measured rounds of each comparison (3; 11 with --against)'],
  ['--minutes=N', 'how long the soak takes (10)'],
  ['--profile', 'profiles the server during the M rows and prints a summary'],
  ['--summary=FILE', 'prints the summary of a profile that was taken before, and measures nothing'],
  ['--table', 'prints the rows once more as a Markdown table'],
]);

const NUMBERS = ['--rounds', '--minutes'];

/** What `--help` prints. */
export function benchHelp() {
  const lines = BENCH_OPTIONS.map(([option, meaning]) => `  ${option.padEnd(17)} ${meaning}`);
  return [
    'npm run bench -- [OPTIONS]',
    '',
    ...lines,
    '',
    'docs/how-to/benchmark.md describes rows and scenarios.',
  ].join('\n');
}

/**
 * What is wrong with the arguments; undefined if nothing is.
 *
 * @param {readonly string[]} args
 * @returns {string | undefined} a sentence for the user
 */
export function benchProblem(args) {
  for (const arg of args) {
    const [name = '', ...rest] = arg.split('=');
    const option = BENCH_OPTIONS.find(([known]) => known.split('=')[0] === name)?.[0];
    if (option === undefined) return `There is no option ${arg}. --help lists them.`;
    const value = rest.join('=');
    if (!option.includes('=') && rest.length > 0) return `${name} takes no value.`;
    if (option.includes('=') && value === '') return `${name} needs a value: ${option}.`;
    if (NUMBERS.includes(name) && !/^[1-9]\d{0,3}$/.test(value))
      return `${name} must be a whole number from 1 to 9999.`;
  }
  return undefined;
}

/**
 * The value of an option.
 *
 * @param {readonly string[]} args
 * @param {string} name with its hyphens
 * @returns {string | undefined}
 */
export function benchOption(args, name) {
  return args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
}
