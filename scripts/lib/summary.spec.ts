import { nodeVersionProblem } from './node-version.mjs';
import { countsOf, summaryLine } from './summary.mjs';

const REPORT = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
  success: true,
};

describe('the last line of a test run', () => {
  it.each([
    [REPORT, '5 passed, 0 failed'],
    [{ ...REPORT, numFailedTests: 2, success: false }, '5 passed, 2 failed'],
    [{ ...REPORT, numPendingTests: 3 }, '5 passed, 0 failed, 3 skipped'],
    [{ ...REPORT, numRuntimeErrorTestSuites: 1, success: false }, '5 passed, 1 failed'],
    [{ ...REPORT, success: false }, '5 passed, 1 failed'],
    [undefined, '0 passed, 1 failed'],
  ])('%j', (report, line) => {
    expect(summaryLine(countsOf(report))).toBe(line);
  });
});

describe('nodeVersionProblem', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accepts %s', (version) => {
    expect(nodeVersionProblem(version)).toBeUndefined();
  });

  it.each(['12.22.0', '18.20.4', '20.18.3'])('explains why %s is too old', (version) => {
    expect(nodeVersionProblem(version)).toContain(`needs Node.js 20.19 or newer, but this is ${version}`);
  });
});
