import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AppError, Clock, type Origin, SERVER_ORIGIN, StartupError } from '../common/index.js';
import { Books } from './books.js';
import { BudgetStore } from './ports/budget-store.js';
import { PriceStore } from './ports/price-store.js';
import { INSTALLATION, type Price, priceFor, type PriceTerms } from './price.js';
import { readPrice } from './price-input.js';
import { UsageSettings } from './usage.settings.js';

/** The prices of tenants and of the installation (contract access, section 7.1). */
@Injectable()
export class Prices {
  constructor(
    private readonly store: PriceStore,
    private readonly budgets: BudgetStore,
    private readonly books: Books,
    private readonly clock: Clock,
  ) {}

  /** The versions that hold for a tenant, its own and those of the installation, the newest first. */
  list(tenantId: string): Promise<readonly Price[]> {
    return this.store.list(tenantId);
  }

  /**
   * Adds a version for a tenant: at once in this process, within 5 s in all others.
   *
   * @param tenantId `INSTALLATION` for all tenants
   * @throws AppError INVALID_PARAMETER
   */
  async add(tenantId: string, value: unknown, by: Origin): Promise<Price> {
    const now = this.clock.now();
    const reading = readPrice(value, now);
    if ('problem' in reading) throw new AppError('INVALID_PARAMETER', `The price is not valid: ${reading.problem}`);
    const [terms] = reading.prices;
    if (!terms) throw new AppError('INVALID_PARAMETER', 'The price is not valid');
    await this.store.add(tenantId, [terms], by, now);
    this.books.forget(tenantId);
    const found = (await this.store.list(tenantId)).find((price) => isVersion(price, tenantId, terms));
    if (!found) throw new AppError('INTERNAL_ERROR');
    return found;
  }

  /** Whether budgets limit costs, but the installation has no price of a model: calls of it may be refused. */
  async areMissing(model: string, provider: string): Promise<boolean> {
    if (!(await this.budgets.limitsCosts())) return false;
    return priceFor(await this.store.list(INSTALLATION), model, provider, this.clock.now()) === undefined;
  }
}

/** Adds the prices of PRICES_FILE when the server starts. */
@Injectable()
export class PricesFile implements OnApplicationBootstrap {
  private readonly logger = new Logger(PricesFile.name);

  constructor(
    private readonly settings: UsageSettings,
    private readonly prices: PriceStore,
    private readonly clock: Clock,
  ) {}

  /** @throws StartupError if the file changes a price that was used already */
  async onApplicationBootstrap(): Promise<void> {
    const { filePrices } = this.settings;
    if (filePrices.length === 0) return;
    try {
      const added = await this.prices.add(INSTALLATION, filePrices, SERVER_ORIGIN, this.clock.now());
      if (added.length > 0) this.logger.log(`${added.length} prices were added from PRICES_FILE`);
    } catch (error) {
      if (error instanceof AppError) throw new StartupError(`PRICES_FILE: ${error.message}.`);
      throw error;
    }
  }
}

function isVersion(price: Price, tenantId: string, terms: PriceTerms): boolean {
  return (
    price.tenantId === tenantId &&
    price.model === terms.model &&
    price.provider === terms.provider &&
    price.validFrom === terms.validFrom
  );
}
