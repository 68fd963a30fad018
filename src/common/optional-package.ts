import { createRequire } from 'node:module';
import packageJson from '../../package.json';
import { StartupError } from './startup-error.js';

/** Looks where Node looks for the packages of this file: next to this package, and in the folders above it. */
const load = createRequire(__filename);

/** The packages that an installation may leave out (`npm install --omit=optional`): drivers that a setting asks for. */
export type OptionalPackage = keyof typeof packageJson.optionalDependencies;

/**
 * Checks that an optional package is installed, without loading it.
 *
 * @param purpose what needs it, as the beginning of the sentence "… needs the package …"
 * @throws StartupError that says how to install it
 */
export function requirePackage(name: OptionalPackage, purpose: string): void {
  try {
    load.resolve(name);
  } catch (cause) {
    const version = packageJson.optionalDependencies[name];
    throw new StartupError(
      `${purpose} needs the package ${name}, which is not installed. Install it with: npm install ${name}@${version}`,
      { cause },
    );
  }
}

/** Loads an optional package. @throws StartupError as `requirePackage` */
export function loadPackage<T>(name: OptionalPackage, purpose: string): T {
  requirePackage(name, purpose);
  return load(name) as T;
}
