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

/**
 * The absolute paths of the spec files that failed in jest's JSON report.
 *
 * @param {{ testResults: readonly { name: string, status: string }[] } | undefined} report
 * @returns {string[]}
 */
export function failedFiles(report) {
  return (report?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * The counts of a run whose failed spec files were run a second time: these files count as in the second run.
 *
 * @param {Parameters<typeof countsOf>[0] & { testResults: readonly FileResult[] }} first
 * @param {Parameters<typeof countsOf>[0]} second
 * @returns {Counts}
 *
 * @typedef {{ name: string, status: string, assertionResults: readonly { status: string }[] }} FileResult
 */
export function countsAfterRetry(first, second) {
  const repeated = first.testResults.filter(({ status }) => status === 'failed');
  const results = repeated.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const again = countsOf(second);
  const before = countsOf(first);
  const passedBefore = results.filter((status) => status === 'passed').length;
  const failedBefore = results.filter((status) => status === 'failed').length;
  return {
    passed: before.passed - passedBefore + again.passed,
    failed: again.failed,
    skipped: before.skipped - (results.length - passedBefore - failedBefore) + again.skipped,
  };
}

/** How many spec files `slowestFiles` names. */
const SLOWEST = 20;

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
