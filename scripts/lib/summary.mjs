import { relative } from 'node:path';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * The counts of jest's JSON report. A file that could not even be loaded counts as one failure, and
 * so does a missing report.
 *
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, numRuntimeErrorTestSuites: number, success: boolean } | undefined} report
 * @returns {Counts}
 */
export function countsOf(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * The last line of a run: `N passed, M failed`, with `, K skipped` when something was skipped.
 *
 * @param {Counts} counts
 * @returns {string}
 */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** How many spec files `slowestFiles` names. */
const SLOWEST = 10;

/**
 * The spec files that took longest in jest's JSON report: one line each, with its seconds, slowest first.
 *
 * @param {{ testResults: readonly { name: string, startTime: number, endTime: number }[] } | undefined} report
 * @param {string} root absolute path, which the names are made relative to
 * @returns {string[]}
 */
export function slowestFiles(report, root) {
  return (report?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ file: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
