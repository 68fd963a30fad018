import {
  choice,
  type ConfigurationProblem,
  integer,
  path,
  readJsonFile,
  setting,
  settings,
  text,
} from '../config/index.js';
import type { PriceTerms } from './price.js';
import { priceList } from './price-input.js';

/** Prices of model calls, and what is counted. */
export class UsageSettings extends settings('Usage and budgets', {
  entries: setting('USAGE', choice('auto', 'always'), {
    default: 'auto',
    description:
      'Whether model calls are booked for [reports](budgets.md): `auto` books those of tenants with prices or budgets, `always` all.',
  }),
  pricesFile: setting('PRICES_FILE', path(), {
    unset: 'none',
    description:
      'JSON file with the [prices](budgets.md#prices) of models, for all tenants. Read when the server starts: prices that the database does not have are added.',
  }),
  currency: setting('BUDGET_CURRENCY', text(16), {
    default: 'USD',
    description: 'The currency of prices and budgets: a label. Costs are billionths of its unit.',
  }),
  unpricedModels: setting('UNPRICED_MODELS', choice('deny', 'zero'), {
    default: 'deny',
    description:
      'What happens to calls of a model without a price where a budget limits the cost: `deny` refuses them, `zero` counts them as free.',
  }),
  defaultOutput: setting('BUDGET_OUTPUT_TOKENS', integer({ min: 256, max: 10_000_000 }), {
    default: 8192,
    description:
      'The most tokens of an answer under a budget if neither the request nor the price of the model limits it. It is reserved and sent to the model server.',
  }),
}) {
  readonly #reading = readPrices(this.pricesFile);

  /** The prices of PRICES_FILE; none without one. */
  readonly filePrices: readonly PriceTerms[] = this.#reading.prices;

  override problems(): readonly ConfigurationProblem[] {
    return this.#reading.problems.map((message) => ({ name: 'PRICES_FILE', message }));
  }
}

function readPrices(file: string | undefined): {
  readonly prices: readonly PriceTerms[];
  readonly problems: readonly string[];
} {
  if (file === undefined) return { prices: [], problems: [] };
  const reading = readJsonFile(file);
  if ('problem' in reading) return { prices: [], problems: [reading.problem] };
  const checked = priceList(reading.value);
  if ('prices' in checked) return { prices: checked.prices, problems: [] };
  return { prices: [], problems: [`names a file that cannot be used: ${checked.problem}`] };
}
