import { chooseProfile, GENERIC, type ProfileClues } from '../profiles/profile-choice.js';
import { Dialect } from './dialect.js';

/** Models that are remembered though no refusal taught anything of them. */
const MOST_MODELS = 256;

/** The dialects of one model server, by the models that requests name. */
export class Dialects {
  private readonly dialects = new Map<string, Dialect>();
  private ownedBy: string | undefined;

  /** @throws StartupError if the named profile does not exist */
  constructor(
    private readonly clues: Omit<ProfileClues, 'model' | 'ownedBy'>,
    /** The model of requests that name none. */
    private readonly model: string,
    private readonly log: (line: string) => void,
  ) {
    this.for(model);
  }

  /** The dialect of a model. Default: that of requests that name none. */
  for(model = this.model): Dialect {
    const known = this.dialects.get(model);
    if (known) return known;
    this.forgetSome();
    const profile = chooseProfile({ ...this.clues, model, ownedBy: this.ownedBy });
    const dialect = new Dialect(profile, (line) => this.log(`${model}: ${line}`));
    this.dialects.set(model, dialect);
    return dialect;
  }

  /** True if nothing is known of the configured model, so that asking the server may help. */
  get isUnknown(): boolean {
    return this.clues.named === undefined && this.for().profile.name === GENERIC;
  }

  /** The server has told who owns its models: profiles that nothing was known for are chosen again. */
  learnOwner(ownedBy: string): void {
    this.ownedBy = ownedBy;
    for (const [model, { profile, hasLearned }] of this.dialects) {
      if (profile.name === GENERIC && !hasLearned) this.dialects.delete(model);
    }
  }

  /** Clients may name any model: those of which nothing was learned are not kept without limit. */
  private forgetSome(): void {
    if (this.dialects.size < MOST_MODELS) return;
    for (const [model, { hasLearned }] of this.dialects) {
      if (model === this.model || (hasLearned && this.dialects.size < 2 * MOST_MODELS)) continue;
      this.dialects.delete(model);
      return;
    }
  }
}
