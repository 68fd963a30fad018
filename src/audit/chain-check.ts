import type { ServerKey } from '../config/index.js';
import { type AuditLine, type AuditSeal, beginningOf, type Checkpoint, payloadHash, sealHash } from './audit-line.js';

/** A sealed line as it was found. */
export interface FoundLine {
  readonly seq: number;
  readonly seal: AuditSeal;
  /** Undefined: it is gone. */
  readonly line: AuditLine | 'unreadable' | undefined;
  /** Absent where contents are not looked at; null where it was erased. */
  readonly content?: { readonly salt: string; readonly text: string } | 'unreadable' | null;
}

/** Where a chain is not what was sealed. */
export interface ChainBreak {
  /** Of the first line that is concerned. */
  readonly seq: number;
  /** `cut`: the end is missing. `unknown_key`: nobody can tell, because the key is not in the ring. */
  readonly kind: 'changed' | 'missing' | 'reordered' | 'cut' | 'unknown_key';
  /** A sentence for people. */
  readonly message: string;
}

/** What a check has found of a chain. */
export interface ChainResult {
  readonly chain: string;
  /** How many sealed lines were checked. */
  readonly lines: number;
  /** Contents that were erased, of the lines that were checked. */
  readonly erased: number;
  /** The last line that was checked; null without one. */
  readonly head: Checkpoint | null;
  /** Null: the chain is whole. */
  readonly firstBreak: ChainBreak | null;
}

/**
 * Follows a chain from its beginning to its end (contract access, section 8). Of a chain whose beginning was removed, a
 * sealed line `audit.pruned` has to tell what was removed.
 */
export class ChainCheck {
  private expected: number;
  private previous: string;
  private lines = 0;
  private erased = 0;
  private lastAt = '';
  private isStartTold: boolean;
  private readonly tenants = new Set<string | null>();
  private readonly startSeq: number;
  private readonly startHash: string;
  private firstBreak: ChainBreak | null = null;
  private readonly keys: ReadonlyMap<string, ServerKey>;

  /**
   * @param start the last line that was removed, and its hash; undefined if none was
   * @param checkpoints of this chain
   */
  constructor(
    readonly chain: string,
    keys: readonly ServerKey[],
    start: { readonly seq: number; readonly hash: string } | undefined,
    private readonly checkpoints: readonly Checkpoint[] = [],
  ) {
    this.keys = new Map(keys.map((key) => [key.kid, key]));
    this.startSeq = start?.seq ?? 0;
    this.startHash = start?.hash ?? beginningOf(chain);
    this.expected = this.startSeq + 1;
    this.previous = this.startHash;
    this.isStartTold = this.startSeq === 0;
  }

  /** The number of the last line that was checked. */
  get seq(): number {
    return this.expected - 1;
  }

  /** The names of tenants in the lines that were checked; null for lines of the operator. */
  get tenantNames(): ReadonlySet<string | null> {
    return this.tenants;
  }

  /** Takes the lines that follow. Returns false once the chain is broken. */
  add(page: readonly FoundLine[]): boolean {
    for (const found of page) {
      if (this.firstBreak) return false;
      this.firstBreak = this.take(found, page) ?? null;
    }
    return this.firstBreak === null;
  }

  /** @param end the last line that has to be there, where that is known */
  finish(end?: { readonly seq: number; readonly hash: string }): ChainResult {
    this.firstBreak ??= this.endBreak(end);
    const { chain, lines, erased, previous: hash } = this;
    const head = lines === 0 ? null : { chain, seq: this.seq, hash, at: this.lastAt };
    return { chain, lines, erased, head, firstBreak: this.firstBreak };
  }

  /** Records a break that was found elsewhere, unless there is an earlier one. */
  fail(found: ChainBreak): void {
    this.firstBreak ??= found;
  }

  private take({ seq, seal, line, content }: FoundLine, page: readonly FoundLine[]): ChainBreak | undefined {
    const at = this.expected;
    if (seq > at) return broken(at, 'missing', `The line ${at} is missing`);
    if (seq < at) return broken(seq, 'reordered', `The line ${seq} is there twice, or in the wrong place`);
    if (!line) return broken(at, 'missing', `The line ${at} is missing`);
    if (line === 'unreadable') return broken(at, 'changed', `The line ${at} is not readable`);
    const key = this.keys.get(seal.kid);
    if (!key)
      return broken(at, 'unknown_key', `The line ${at} was sealed with the key ${seal.kid}, which is not known`);
    if (sealHash(key, this.previous, { ...line, seq: at }) !== seal.hash) return this.mismatch(at, seal, page);
    if (content === null) this.erased += 1;
    if (content === 'unreadable') return broken(at, 'changed', `The content of the line ${at} cannot be decrypted`);
    if (content && payloadHash(content.salt, content.text) !== line.payloadHash)
      return broken(at, 'changed', `The content of the line ${at} was changed`);
    if (line.action === 'audit.pruned') this.readPruning(line);
    const checkpoint = this.checkpoints.find((one) => one.seq === at);
    if (checkpoint && checkpoint.hash !== seal.hash)
      return broken(at, 'changed', `The line ${at} is not the one of the checkpoint of ${checkpoint.at}`);
    this.tenants.add(line.tenant);
    this.previous = seal.hash;
    this.lastAt = line.at;
    this.lines += 1;
    this.expected += 1;
    return undefined;
  }

  /** Whether another line belongs here, or this one elsewhere. */
  private mismatch(at: number, seal: AuditSeal, page: readonly FoundLine[]): ChainBreak {
    const isSwapped = page.some(({ seal: other, line }) => {
      const key = this.keys.get(other.kid);
      if (!key || !line || line === 'unreadable') return false;
      const hash = sealHash(key, this.previous, { ...line, seq: at });
      return hash === seal.hash || hash === other.hash;
    });
    if (isSwapped) return broken(at, 'reordered', `Another line stands in the place of the line ${at}`);
    return broken(at, 'changed', `The line ${at} is not the one that was sealed`);
  }

  private readPruning({ details }: AuditLine): void {
    const { throughSeq, hash } = details;
    if (throughSeq === this.startSeq && hash === this.startHash) this.isStartTold = true;
  }

  private endBreak(end: { readonly seq: number; readonly hash: string } | undefined): ChainBreak | null {
    const next = this.expected;
    if (end && end.seq > this.seq) return broken(next, 'cut', `The lines ${next} to ${end.seq} are missing at the end`);
    if (end && (end.seq < this.seq || end.hash !== this.previous))
      return broken(end.seq, 'changed', 'The end of the chain is not the one that is noted');
    const latest = this.checkpoints.reduce((most, { seq }) => Math.max(most, seq), 0);
    if (latest > this.seq) return broken(next, 'cut', `The lines ${next} to ${latest} are missing at the end`);
    if (!this.isStartTold)
      return broken(
        this.startSeq,
        'missing',
        `The lines up to ${this.startSeq} are missing, and no line tells of their removal`,
      );
    return null;
  }
}

function broken(seq: number, kind: ChainBreak['kind'], message: string): ChainBreak {
  return { seq, kind, message };
}
