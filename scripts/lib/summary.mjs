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
