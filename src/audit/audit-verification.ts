import { Injectable } from '@nestjs/common';
import { ChainCheck, type ChainResult, type FoundLine } from './chain-check.js';
import { type Checkpoint, lineOf } from './audit-line.js';
import { OPERATOR_TENANT } from './audit-act.js';
import { AuditSettings } from './audit.settings.js';
import { AuditChains, type SealedRow, type StoredChain } from './ports/audit-chains.js';

/** Lines that are read at once. */
const PAGE = 500;
/** How often a check begins again because a beginning was removed meanwhile. */
const ATTEMPTS = 5;

/** What a check has found of the audit trail of a tenant. */
export interface VerifiedChain extends ChainResult {
  /** Null for the operator's. */
  readonly tenant: string | null;
  /** Lines that are not sealed yet, or never were. */
  readonly unsealed: number;
}

/** Follows the chains in the database from their beginnings to their ends (contract access, section 8). */
@Injectable()
export class AuditVerification {
  /** Checks that go on, by tenant: whoever asks meanwhile gets the same. */
  private readonly running = new Map<string, Promise<VerifiedChain | undefined>>();

  constructor(
    private readonly chains: AuditChains,
    private readonly settings: AuditSettings,
  ) {}

  /**
   * The chain of a tenant; undefined if nothing of it was ever sealed.
   *
   * @param checkpoints noted ends; those of other chains are not looked at
   */
  tenant(tenantId: string, checkpoints: readonly Checkpoint[] = []): Promise<VerifiedChain | undefined> {
    if (checkpoints.length > 0) return this.check(tenantId, checkpoints);
    const known = this.running.get(tenantId);
    if (known) return known;
    const check = this.check(tenantId, []).finally(() => this.running.delete(tenantId));
    this.running.set(tenantId, check);
    return check;
  }

  /** All chains, and those of checkpoints that are gone. */
  async all(checkpoints: readonly Checkpoint[] = []): Promise<readonly VerifiedChain[]> {
    const chains = await this.chains.list();
    const known = new Set(chains.map(({ id }) => id));
    const gone = new Set(checkpoints.map(({ chain }) => chain).filter((id) => !known.has(id)));
    const found: VerifiedChain[] = [];
    for (const { tenantId } of chains) {
      const checked = await this.check(tenantId, checkpoints);
      if (checked) found.push(checked);
    }
    return [...found, ...[...gone].map(goneChain)];
  }

  private async check(tenantId: string, checkpoints: readonly Checkpoint[]): Promise<VerifiedChain | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const chain = await this.chains.ofTenant(tenantId);
      if (!chain) return undefined;
      const check = await this.walk(chain, checkpoints);
      const beyond = await this.chains.lines(chain, chain.seq, 1);
      const after = await this.chains.ofTenant(tenantId);
      if (after?.pruned?.seq !== chain.pruned?.seq && attempt < ATTEMPTS) continue;
      if (beyond.length > 0 && after?.seq === chain.seq)
        check.fail({
          seq: chain.seq + 1,
          kind: 'changed',
          message: 'The end of the chain is not the one that is noted',
        });
      const result = check.finish({ seq: chain.seq, hash: chain.hash });
      const unsealed = await this.chains.countUnsealed(tenantId);
      return { ...result, tenant: tenantId === OPERATOR_TENANT ? null : tenantId, unsealed };
    }
  }

  private async walk(chain: StoredChain, checkpoints: readonly Checkpoint[]): Promise<ChainCheck> {
    const own = checkpoints.filter((one) => one.chain === chain.id);
    const check = new ChainCheck(chain.id, this.settings.ring(), chain.pruned, own);
    const first = (chain.pruned?.seq ?? 0) - 1;
    for (let after = first; after < chain.seq;) {
      const rows = await this.chains.page(chain, after, PAGE);
      const upToEnd = rows.filter(({ seq }) => seq <= chain.seq);
      const last = upToEnd.at(-1);
      if (!last || !check.add(upToEnd.map(foundLine))) break;
      after = last.seq;
    }
    const names = check.tenantNames;
    const name = chain.tenantId === OPERATOR_TENANT ? null : chain.tenantId;
    if (names.size > 0 && !names.has(name))
      check.fail({ seq: check.seq, kind: 'changed', message: `The chain is not one of the tenant ${chain.tenantId}` });
    return check;
  }
}

function foundLine({ seq, seal, line, content }: SealedRow): FoundLine {
  const read = line && (lineOf(line, seq) ?? 'unreadable');
  return { seq, seal, line: read, ...(content !== undefined && { content }) };
}

function goneChain(chain: string): VerifiedChain {
  const message = 'A checkpoint tells of this chain, which is not there';
  return {
    chain,
    tenant: null,
    lines: 0,
    erased: 0,
    unsealed: 0,
    head: null,
    firstBreak: { seq: 1, kind: 'cut', message },
  };
}
