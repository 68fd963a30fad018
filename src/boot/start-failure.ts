import { maskCredentials, StartupError } from '../common/index.js';
import { ConfigurationError } from '../config/index.js';

/** True for an error whose message explains completely why something cannot start. */
export function isExplained(error: unknown): error is ConfigurationError | StartupError {
  return error instanceof ConfigurationError || error instanceof StartupError;
}

/** What to show a person when the server cannot start: one clear message, and the stack only with `LOG_LEVEL=debug`. */
export function startFailure(error: unknown, env: NodeJS.ProcessEnv): string {
  const message = maskCredentials(error instanceof Error ? error.message : String(error));
  if (isExplained(error)) return message;
  const stack =
    /^(debug|trace)$/.test(env['LOG_LEVEL'] ?? '') && error instanceof Error
      ? `\n${maskCredentials(error.stack ?? '')}`
      : '';
  return `Parley cannot start: ${message}${stack}`;
}
