import { nodeVersionProblem } from './node-version.mjs';
import { countsAfterRetry, countsOf, failedFiles, slowestFiles, summaryLine } from './summary.mjs';

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
  ])('the counts of the report are shown: %j', (report, line) => {
    expect(summaryLine(countsOf(report))).toBe(line);
  });
});

describe('the spec files that are run a second time', () => {
  const file = (name: string, status: string, ...results: string[]) => ({
    name,
    status,
    assertionResults: results.map((result) => ({ status: result })),
  });
  const first = {
    ...REPORT,
    numFailedTests: 1,
    numPendingTests: 2,
    success: false,
    testResults: [
      file('good', 'passed', 'passed', 'passed', 'pending'),
      file('bad', 'failed', 'passed', 'failed', 'pending'),
    ],
  };

  it('the failed files are named', () => {
    expect(failedFiles(first)).toEqual(['bad']);
    expect(failedFiles(undefined)).toEqual([]);
  });

  it('they count as in the second run', () => {
    const second = { ...REPORT, numPassedTests: 2, numPendingTests: 1 };
    expect(countsAfterRetry(first, second)).toEqual({ passed: 6, failed: 0, skipped: 2 });
  });

  it('what fails again is a failure', () => {
    const second = { ...REPORT, numPassedTests: 1, numFailedTests: 1, numPendingTests: 1, success: false };
    expect(countsAfterRetry(first, second)).toEqual({ passed: 5, failed: 1, skipped: 2 });
    expect(countsAfterRetry(first, undefined)).toEqual({ passed: 4, failed: 1, skipped: 1 });
  });
});

describe('the slowest files of a test run', () => {
  const file = (name: string, seconds: number) => ({
    name: `/root/${name}`,
    startTime: 5,
    endTime: 5 + seconds * 1000,
  });

  it('at most twenty files are listed, slowest first, with their seconds', () => {
    const testResults = Array.from({ length: 22 }, (_, index) => file(`${index}.spec.ts`, index));
    const lines = slowestFiles({ testResults: [...testResults, file('slow.spec.ts', 123.46)] }, '/root');
    expect(lines).toHaveLength(20);
    expect(lines.slice(0, 2)).toEqual(['  123.5 s  slow.spec.ts', '   21.0 s  21.spec.ts']);
  });

  it('no file is listed if there is no report', () => {
    expect(slowestFiles(undefined, '/root')).toEqual([]);
  });
});

describe('nodeVersionProblem', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('version %s is accepted', (version) => {
    expect(nodeVersionProblem(version)).toBeUndefined();
  });

  it.each(['12.22.0', '18.20.4', '20.18.3'])('version %s is refused with an explanation', (version) => {
    expect(nodeVersionProblem(version)).toContain(`needs Node.js 20.19 or newer, but this is ${version}`);
  });
});
