import { UpstreamStatusError } from '../../upstream/upstream-error.js';
import { logSentence } from '../../upstream/log-sentence.js';
import type { RuleSet } from '../profiles/wire-rules.js';
import type { WrittenRequest } from '../request/request-body.js';
import type { Dialect, LearnedRepair } from './dialect.js';
import { refusalIn } from './refusal.js';
import { repairFor } from './repair-table.js';
import { SentRequest } from './sent-request.js';

/** Further requests of one call in other forms (contract model-servers, section 0). */
const MOST_REPAIRS = 4;

/** The repairs of one model call: after a refusal it is written again in another form. */
export class CallRepairs {
  private readonly repairs: LearnedRepair[] = [];
  private readonly made = new Set<string>();
  private firstRefusal: unknown;
  private set: RuleSet;

  /** @param choose the table of refusals */
  constructor(
    private readonly dialect: Dialect,
    private readonly choose: typeof repairFor = repairFor,
  ) {
    this.set = dialect.rules;
  }

  /** The rules of the next request. */
  get rules(): RuleSet {
    return this.set;
  }

  /**
   * Chooses another form after a failure.
   *
   * @param written what was sent
   * @returns false if the failure is no refusal, or nothing is left to try
   */
  repair(error: unknown, { body, rules }: Pick<WrittenRequest, 'body' | 'rules'>): boolean {
    const refusal = refusalIn(error);
    if (!refusal) return false;
    this.refused(error);
    if (this.repairs.length >= MOST_REPAIRS) return false;
    const sent = new SentRequest(body);
    const repair = this.choose({ refusal, sent, rules }, this.made);
    if (!repair) return false;
    this.made.add(repair.kind);
    this.repairs.push(Object.assign({}, repair, { sentence: logSentence(refusal.sentence, sent.texts) }));
    this.set = this.dialect.with(this.repairs);
    return true;
  }

  /** Notes a refusal: the first one is reported if nothing helps. */
  refused(error: unknown): void {
    this.firstRefusal ??= error;
  }

  /** The answer has begun: what helped is kept. */
  keep(): void {
    if (this.repairs.length > 0) this.dialect.keep(this.repairs);
  }

  /** The error to report: the first refusal, if the last failure is a refusal too. */
  reported(error: unknown): unknown {
    const isRefusal = refusalIn(error) !== undefined || (error instanceof UpstreamStatusError && error.status === 404);
    return this.firstRefusal !== undefined && isRefusal ? this.firstRefusal : error;
  }
}
