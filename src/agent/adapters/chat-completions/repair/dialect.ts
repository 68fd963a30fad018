import type { JsonObject } from '../../../../common/index.js';
import type { ModelProfileInfo } from '../../../ports/model-client.js';
import type { OpeningMemory } from '../opening-thoughts.js';
import type { ChosenProfile } from '../profiles/profile-choice.js';
import { merged, type RuleChange, type RuleSet, ruleSetOf } from '../profiles/wire-rules.js';
import type { Repair } from './repair.js';

/** A repair that helped, and why it was needed. */
export interface LearnedRepair extends Repair {
  /** What the server said, without anything of a conversation. */
  readonly sentence: string;
}

/** Repairs, and sentences for the log, that are remembered: clients name tools as they like. */
const MOST_KEPT = 200;

/**
 * How the requests for one model are written: its profile, and what refusals taught in the life of the process
 * (contract model-servers, section 0).
 */
export class Dialect {
  /** How the answers of the model begin, for a server that may leave an opening tag out. */
  readonly opening: OpeningMemory = { known: undefined };
  private change: RuleChange = {};
  private ruleSet: RuleSet;
  private readonly learned: LearnedRepair[] = [];
  private readonly noted = new Set<string>();

  constructor(
    readonly profile: ChosenProfile,
    private readonly log: (line: string) => void,
  ) {
    this.ruleSet = ruleSetOf(profile.rules, {});
  }

  /** The rules in force. The same objects until something is learned. */
  get rules(): RuleSet {
    return this.ruleSet;
  }

  /** True once a refusal taught something. */
  get hasLearned(): boolean {
    return this.learned.length > 0;
  }

  /** The rules in force, with more above them. */
  with(changes: readonly Repair[]): RuleSet {
    if (changes.length === 0) return this.ruleSet;
    return ruleSetOf(
      this.profile.rules,
      changes.reduce((all, { change }) => merged(all, change), this.change),
    );
  }

  /** Keeps repairs that helped, each with one line in the log, but for those of one request only. */
  keep(repairs: readonly LearnedRepair[]): void {
    for (const repair of repairs) {
      if (repair.isPassing) {
        this.note([`The model server refused a request (“${repair.sentence}”). It was sent ${repair.says}.`]);
        continue;
      }
      const isKnown = this.learned.some(({ kind }) => kind === repair.kind);
      if (isKnown || this.learned.length >= MOST_KEPT) continue;
      this.learned.push(repair);
      this.change = merged(this.change, repair.change);
      this.log(`The model server refused a request (“${repair.sentence}”). Requests are now sent ${repair.says}.`);
    }
    this.ruleSet = this.with([{ kind: '', change: {}, says: '' }]);
  }

  /** Logs each sentence once. */
  note(sentences: readonly string[]): void {
    for (const sentence of sentences) {
      if (this.noted.has(sentence) || this.noted.size >= MOST_KEPT) continue;
      this.noted.add(sentence);
      this.log(sentence);
    }
  }

  /** For health pages, logs and the console. */
  get info(): ModelProfileInfo {
    const { name, reason } = this.profile;
    const repairs = this.learned.map(({ kind, says, sentence }) => ({ kind, says, sentence }));
    return { name, reason, repairs, overrides: this.overrides };
  }

  /** What `LLM_COMPAT` would have to say so that no request is refused: whole values, since it replaces them. */
  private get overrides(): JsonObject {
    const names = Object.keys(this.change) as (keyof RuleChange)[];
    const values = names.map((name) => [name, this.ruleSet.usual[name]] as const);
    return Object.fromEntries(values) as JsonObject;
  }
}
