import {
  type ConfigurationProblem,
  MIB,
  readJsonFile,
  readJsonText,
  setting,
  settings,
  text,
} from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';
import { type IssuersReading, type OidcIssuer, parseIssuers } from './issuers.js';

/** The OpenID providers whose tokens are accepted. */
export class OidcSettings extends settings('OpenID Connect', {
  issuersJson: setting('OIDC_ISSUERS', text(MIB), {
    unset: 'none',
    description:
      'The OpenID providers whose access tokens are accepted with `AUTH=oidc`, as a JSON list. See [access](access.md#openid-connect).',
  }),
  issuersFile: setting('OIDC_ISSUERS_FILE', text(4096), {
    unset: 'none',
    description: 'A JSON file with the same list, instead of `OIDC_ISSUERS`.',
  }),
}) {
  readonly #reading = this.#read();

  /** Empty without `AUTH=oidc`. */
  readonly issuers: readonly OidcIssuer[] = this.#reading.issuers;

  /** The origins that the console asks for tokens: those of the providers that people sign in to it with. */
  get consoleOrigins(): readonly string[] {
    return [...new Set(this.issuers.filter((one) => one.console).map(({ issuer }) => new URL(issuer).origin))];
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const { methods } = this.source.slice(AccessSettings);
    const { issuersJson, issuersFile } = this;
    if (!methods.includes('oidc') || unusable.has('OIDC_ISSUERS') || unusable.has('OIDC_ISSUERS_FILE')) return [];
    if (issuersJson !== undefined && issuersFile !== undefined) {
      return [{ name: 'OIDC_ISSUERS_FILE', message: 'must not be set together with OIDC_ISSUERS' }];
    }
    if (issuersJson === undefined && issuersFile === undefined) {
      return [{ name: 'OIDC_ISSUERS_FILE', message: 'must be set, because AUTH includes oidc' }];
    }
    const name = issuersFile === undefined ? 'OIDC_ISSUERS' : 'OIDC_ISSUERS_FILE';
    return this.#reading.problems.map((message) => ({ name, message }));
  }

  #read(): IssuersReading {
    const { methods, roles } = this.source.slice(AccessSettings);
    const { issuersJson, issuersFile } = this;
    if (!methods.includes('oidc') || (issuersJson === undefined && issuersFile === undefined)) {
      return { issuers: [], problems: [] };
    }
    const reading = issuersFile === undefined ? readJsonText(issuersJson ?? '') : readJsonFile(issuersFile);
    return 'problem' in reading ? { issuers: [], problems: [reading.problem] } : parseIssuers(reading.value, roles);
  }
}
