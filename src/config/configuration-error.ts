/** One variable that cannot be used, and why. The message never holds a secret. */
export interface ConfigurationProblem {
  readonly name: string;
  readonly message: string;
}

/** Everything that is wrong with the environment, found in one go. Its message may be shown. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly ConfigurationProblem[]) {
    const lines = problems.map(({ name, message }) => `  ${name} ${message}`);
    super(
      ['Parley cannot start, because its configuration is not valid:', ...lines, 'See docs/configuration.md.'].join(
        '\n',
      ),
    );
    this.name = 'ConfigurationError';
  }
}
