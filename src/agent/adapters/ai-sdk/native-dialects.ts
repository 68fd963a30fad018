import { FAMILY_PROFILES } from '../chat-completions/profiles/family-profiles.js';
import { chooseProfile } from '../chat-completions/profiles/profile-choice.js';
import { GENERIC_RULES, overridden, type RuleChange } from '../chat-completions/profiles/wire-rules.js';
import { Dialect } from '../chat-completions/repair/dialect.js';
import { type AnswerOrigin, providerRule } from './sdk-rules.js';

/** Models that are remembered: requests may name any. */
const MOST_MODELS = 256;

/** What says how requests of one client are written, besides the API of its package. */
export interface DialectClues {
  /** `LLM_PROFILE`. */
  readonly profile?: string | undefined;
  /** What errors and logs call the setting of `profile`. Default: `LLM_PROFILE`. */
  readonly profileSetting?: string | undefined;
  /** Rules in the place of those of the API. */
  readonly overrides?: RuleChange | undefined;
}

/** How requests through the package of a provider are written, by the models that they name. */
export class NativeDialects {
  /** The family that the settings name; undefined if they name none. */
  readonly family: string | undefined;
  private readonly dialects = new Map<string, Dialect>();

  /** @throws StartupError if the named profile does not exist */
  constructor(
    private readonly clues: DialectClues,
    private readonly log: (line: string) => void,
  ) {
    this.family = familyIn(clues);
  }

  /** The dialect of a model. */
  for(origin: AnswerOrigin): Dialect {
    const key = `${origin.provider} ${origin.modelId}`;
    const known = this.dialects.get(key);
    if (known) return known;
    if (this.dialects.size >= MOST_MODELS) this.forgetOne();
    const dialect = this.dialectOf(origin);
    this.dialects.set(key, dialect);
    return dialect;
  }

  private dialectOf(origin: AnswerOrigin): Dialect {
    const { overrides, profile, profileSetting = 'LLM_PROFILE' } = this.clues;
    const { family } = this;
    const rules = overridden(GENERIC_RULES, Object.assign({}, providerRule(origin).wire, overrides));
    const name = family === undefined ? origin.provider : `${origin.provider}+${family}`;
    const reason =
      profile === undefined ? 'the package of the provider' : `the package of the provider and ${profileSetting}`;
    return new Dialect({ name, reason, rules }, (line) => this.log(`${origin.modelId}: ${line}`));
  }

  /** Those of which a refusal taught something stay as long as possible. */
  private forgetOne(): void {
    const [first] = this.dialects.keys();
    const plain = [...this.dialects].find(([, { hasLearned }]) => !hasLearned)?.[0] ?? first;
    if (plain !== undefined) this.dialects.delete(plain);
  }
}

/** The family that `LLM_PROFILE` names; undefined if it names none. @throws StartupError if the profile does not exist */
export function familyIn({ profile, profileSetting }: DialectClues): string | undefined {
  if (profile === undefined) return undefined;
  chooseProfile({ named: profile, namedBy: profileSetting, hostname: '', model: '' });
  const [first = '', second = first] = profile.split('+');
  return FAMILY_PROFILES.find(({ name }) => name === second)?.name;
}
