/** The oldest Node.js that runs Parley; the same as `engines` in package.json. */
export const MINIMUM_NODE = '20.19.0';

/**
 * What to tell somebody whose Node.js is too old, or undefined when it is new enough.
 *
 * @param {string} version as in `process.versions.node`
 * @returns {string | undefined}
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = MINIMUM_NODE.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `Parley needs Node.js ${wantedMajor}.${wantedMinor} or newer, but this is ${version}. Get a newer one from https://nodejs.org.`;
}

/**
 * Whether this Node.js runs the version of `better-sqlite3` that is compiled or downloaded when it is installed; a newer
 * one runs the version that has its binaries inside the package (ADR 36).
 *
 * @param {string} version as in `process.versions.node`
 */
export function needsCompiledDriver(version) {
  return Number.parseInt(version, 10) < 22;
}
