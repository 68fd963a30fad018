import { Injectable } from '@nestjs/common';
import { AppError, type Origin, isPlainObject } from '../common/index.js';
import type { ServerKey } from '../config/index.js';
import { type AuditLine, beginningOf, type Checkpoint, endHash, lineOf } from './audit-line.js';
import { AuditSealer } from './audit-sealer.js';
import { AuditSettings } from './audit.settings.js';
import { AuditTrail } from './audit-trail.js';
import { OPERATOR_TENANT } from './audit-act.js';
import { ChainCheck, type ChainResult } from './chain-check.js';
import { AuditChains, type StoredChain } from './ports/audit-chains.js';

const PAGE = 500;
/** What the first line of an export says that it is. */
const FORMAT = 'parley-audit/1';

/** Exports of the audit trail that can be verified without the database (contract access, section 8). */
@Injectable()
export class AuditExports {
  constructor(
    private readonly chains: AuditChains,
    private readonly trail: AuditTrail,
    private readonly sealer: AuditSealer,
    private readonly settings: AuditSettings,
  ) {}

  /**
   * The sealed lines of a tenant as JSON Lines, without contents: a head, the lines with their seals, and an end that is
   * sealed too. The trail tells of the export.
   *
   * @param options.seals whether what waits is sealed before, so that the line about the export is a part of it
   * @throws AppError RESOURCE_NOT_FOUND if nothing of the tenant was ever sealed
   */
  async begin(tenantId: string, by: Origin, options: { readonly seals: boolean }): Promise<AsyncIterable<string>> {
    const [key] = this.settings.ring();
    if (!key) throw new AppError('INTERNAL_ERROR');
    await this.trail.record({ tenantId, action: 'audit.exported', by, subject: { kind: 'audit', id: 'export' } });
    if (options.seals) await this.sealer.seal();
    const chain = await this.chains.ofTenant(tenantId);
    if (!chain) throw new AppError('RESOURCE_NOT_FOUND', 'The audit trail has no sealed lines yet');
    return this.write(chain, key);
  }

  private async *write(chain: StoredChain, key: ServerKey): AsyncIterable<string> {
    const { id, tenantId, seq: endSeq, pruned } = chain;
    const start = pruned ?? { seq: 0, hash: beginningOf(id) };
    yield text({
      export: {
        format: FORMAT,
        chain: id,
        tenant: tenantId === OPERATOR_TENANT ? null : tenantId,
        afterSeq: start.seq,
        previousHash: start.hash,
      },
    });
    let hash = start.hash;
    for (let after = start.seq; after < endSeq;) {
      const rows = await this.chains.lines(chain, after, PAGE);
      const upToEnd = rows.filter(({ seq }) => seq <= endSeq);
      const last = upToEnd.at(-1);
      // Lines that are gone show when the export is verified.
      if (!last) break;
      for (const { seq, seal, line } of upToEnd) {
        const read = line && lineOf(line, seq);
        yield text({ seq, seal, line: read ?? null });
        hash = seal.hash;
      }
      after = last.seq;
    }
    const end = { chain: id, seq: endSeq, hash };
    yield text({ end: { ...end, kid: key.kid, mac: endHash(key, end) } });
  }
}

/** What a check of an export has found. */
export interface VerifiedExport extends ChainResult {
  /** Null for the operator's. */
  readonly tenant: string | null;
}

/**
 * Verifies an export with nothing but the keys.
 *
 * @param lines of the file, without line breaks
 * @param checkpoints noted ends; those of other chains are not looked at
 * @throws AppError INVALID_PARAMETER for a file that is no export
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  keys: readonly ServerKey[],
  checkpoints: readonly Checkpoint[] = [],
): Promise<VerifiedExport> {
  let head: ExportHead | undefined;
  let check: ChainCheck | undefined;
  let isEnded = false;
  let end: { readonly seq: number; readonly hash: string } | undefined;
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    if (!check) {
      head = headOf(value);
      const { chain, afterSeq: seq, previousHash: hash } = head;
      const start = seq > 0 ? { seq, hash } : undefined;
      check = new ChainCheck(
        chain,
        keys,
        start,
        checkpoints.filter((one) => one.chain === chain),
      );
    } else if (isEnded)
      check.fail({ seq: check.seq, kind: 'changed', message: 'Something follows the end of the export' });
    else if (isPlainObject(value['end'])) {
      isEnded = true;
      end = endOf(value['end'], check, keys);
    } else check.add([foundOf(value, check)]);
  }
  if (!check || !head) throw new AppError('INVALID_PARAMETER', 'The file is empty');
  if (!isEnded) check.fail({ seq: check.seq + 1, kind: 'cut', message: 'The export has no end' });
  return { ...check.finish(end), tenant: head.tenant };
}

interface ExportHead {
  readonly chain: string;
  readonly tenant: string | null;
  readonly afterSeq: number;
  readonly previousHash: string;
}

function headOf(value: Readonly<Record<string, unknown>>): ExportHead {
  const head = value['export'];
  if (!isPlainObject(head) || head['format'] !== FORMAT)
    throw new AppError('INVALID_PARAMETER', 'The file is not an export of the audit trail');
  const { chain, tenant, afterSeq, previousHash } = head;
  if (typeof chain !== 'string' || !Number.isSafeInteger(afterSeq) || typeof previousHash !== 'string')
    throw new AppError('INVALID_PARAMETER', 'The first line of the export is not complete');
  return { chain, tenant: typeof tenant === 'string' ? tenant : null, afterSeq: Number(afterSeq), previousHash };
}

function foundOf(value: Readonly<Record<string, unknown>>, check: ChainCheck) {
  const { seq, seal, line } = value;
  const isSeal = isPlainObject(seal) && typeof seal['hash'] === 'string' && typeof seal['kid'] === 'string';
  const isLine = isPlainObject(line) && isPlainObject(line['details']) && line['seq'] === seq;
  return {
    seq: Number.isSafeInteger(seq) ? Number(seq) : check.seq + 1,
    seal: isSeal ? { hash: String(seal['hash']), kid: String(seal['kid']) } : { hash: '', kid: '' },
    line: isLine && isSeal ? (line as unknown as AuditLine) : undefined,
  };
}

function endOf(value: Readonly<Record<string, unknown>>, check: ChainCheck, keys: readonly ServerKey[]) {
  const { chain, seq, hash, kid, mac } = value;
  const key = keys.find((one) => one.kid === kid);
  const end = { chain: String(chain), seq: Number(seq), hash: String(hash) };
  if (!key)
    check.fail({
      seq: end.seq,
      kind: 'unknown_key',
      message: `The end was sealed with the key ${String(kid)}, which is not known`,
    });
  else if (endHash(key, end) !== mac || chain !== check.chain)
    check.fail({ seq: check.seq, kind: 'changed', message: 'The end of the export is not the one that was written' });
  return end;
}

/** A line that cannot be read is shown as a change of the line that should be there. */
function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

function text(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * The checkpoints in a text: JSON lines, or lines of the server's log.
 *
 * @throws AppError INVALID_PARAMETER if there is none
 */
export function readCheckpoints(content: string): readonly Checkpoint[] {
  const found = content.split('\n').flatMap((line) => {
    const plain = line.includes('Audit checkpoint ') ? line.replaceAll('\\"', '"') : line;
    const text = /\{"chain":"[^"]*","seq":\d+,"hash":"[0-9a-f]{64}","at":"[^"]*"\}/.exec(plain)?.[0];
    const value = parsed(text ?? line);
    const { chain, seq, hash, at } = value;
    if (typeof chain !== 'string' || !Number.isSafeInteger(seq) || typeof hash !== 'string') return [];
    return [{ chain, seq: Number(seq), hash, at: typeof at === 'string' ? at : '' }];
  });
  if (found.length === 0) throw new AppError('INVALID_PARAMETER', 'There is no checkpoint in the file');
  return found;
}
