import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Prices } from '../usage/index.js';
import { Models } from './ports/models.js';

/** Warns when budgets limit costs, but the configured model has no price: its calls may be refused. */
@Injectable()
export class PriceStartCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('Budgets');

  constructor(
    private readonly models: Models,
    private readonly prices: Prices,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { provider, info } = this.models.main;
    if (!(await this.prices.areMissing(info.name, provider))) return;
    this.logger.warn(`Budgets limit costs, but the configured model ${info.name} has no price (docs/budgets.md)`);
  }
}
