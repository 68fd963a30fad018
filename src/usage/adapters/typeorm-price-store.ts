import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditTrail } from '../../audit/index.js';
import { AppError, isoTime, type Origin } from '../../common/index.js';
import { Database, PriceEntity, queryable } from '../../database/index.js';
import { PriceStore } from '../ports/price-store.js';
import { INSTALLATION, type Price, type PriceTerms } from '../price.js';

/** Prices in the server's database. */
@Injectable()
export class TypeOrmPriceStore extends PriceStore {
  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {
    super();
  }

  async list(tenantId: string): Promise<readonly Price[]> {
    const rows = await this.database.read.manager.find(PriceEntity, {
      where: { tenantId: In([tenantId, INSTALLATION]) },
      order: { validFrom: 'DESC', rowId: 'DESC' },
    });
    return rows.map(priceOf);
  }

  add(tenantId: string, prices: readonly PriceTerms[], by: Origin, now: number): Promise<readonly Price[]> {
    return this.database.write(async (tx) => {
      const { manager } = queryable(tx);
      const added: Price[] = [];
      for (const terms of prices) {
        const { provider, ...others } = terms;
        const version = { tenantId, model: terms.model, provider: provider ?? '', validFrom: terms.validFrom };
        const row = { ...others, ...version, createdAt: now };
        const insert = manager.createQueryBuilder().insert().into(PriceEntity).values(row).orIgnore();
        await insert.execute();
        const stored = priceOf(await manager.findOneByOrFail(PriceEntity, version));
        if (!isSame(stored, terms)) throw changed(terms);
        if (stored.createdAt !== now) continue;
        added.push(stored);
        const subject = { kind: 'price', id: String(stored.rowId) } as const;
        await this.trail.write(tx, { tenantId, action: 'price.changed', by, subject, details: { ...terms } });
      }
      return added;
    });
  }
}

function isSame(stored: Price, terms: PriceTerms): boolean {
  return (['input', 'cachedInput', 'output', 'reasoning', 'perCall', 'maxOutput'] as const).every(
    (field) => stored[field] === terms[field],
  );
}

function changed({ model, validFrom }: PriceTerms): AppError {
  const since = validFrom === 0 ? 'the beginning' : isoTime(validFrom);
  return new AppError(
    'INVALID_PARAMETER',
    `There is another price of ${model} that is valid from ${since}. Prices are never changed: add one with a later validFrom`,
  );
}

function priceOf(row: PriceEntity): Price {
  return {
    rowId: row.rowId,
    tenantId: row.tenantId,
    model: row.model,
    provider: row.provider === '' ? null : row.provider,
    validFrom: Number(row.validFrom),
    input: Number(row.input),
    cachedInput: Number(row.cachedInput),
    output: Number(row.output),
    reasoning: Number(row.reasoning),
    perCall: Number(row.perCall),
    maxOutput: row.maxOutput,
    createdAt: Number(row.createdAt),
  };
}
