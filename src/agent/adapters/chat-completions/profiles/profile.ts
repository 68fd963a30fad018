import type { RuleChange } from './wire-rules.js';

/** What is known of a model server. Plain data: patterns have `*` for any characters. */
export interface ServerProfile {
  /** For `LLM_PROFILE`, logs and health. */
  readonly name: string;
  /** Patterns of its host names. */
  readonly hosts: readonly string[];
  /** What it writes as `owned_by` in its list of models. */
  readonly ownedBy?: readonly string[];
  /**
   * What it passes on of the model: `all` the rules of the family, for servers in front of others; those of its
   * `template`, for servers that run it; or nothing.
   */
  readonly combines: 'all' | 'template' | 'nothing';
  readonly rules: RuleChange;
}

/** What is known of the models of one family, whoever serves them. */
export interface FamilyProfile {
  /** For `LLM_PROFILE`, logs and health. */
  readonly name: string;
  /** Patterns of names of models in lower case, without what is before the last slash. */
  readonly models: readonly string[];
  /** The rules of its maker's API. */
  readonly rules: RuleChange;
  /** The rules of its chat template. */
  readonly template: RuleChange;
}
