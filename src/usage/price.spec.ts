import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../config/index.js';
import { costOf, countedTokens, INSTALLATION, type Price, priceFor } from './price.js';
import { priceList } from './price-input.js';
import { UsageSettings } from './usage.settings.js';

let versions = 0;
function price(terms: Partial<Price>): Price {
  const amounts = { input: 1, cachedInput: 1, output: 1, reasoning: 1, perCall: 0, maxOutput: null };
  const version = { rowId: (versions += 1), tenantId: INSTALLATION, provider: null, validFrom: 0, createdAt: 0 };
  return { model: '*', ...amounts, ...version, ...terms };
}

describe('the price of a model', () => {
  const all = price({});
  const pattern = price({ model: 'big-*' });
  const longer = price({ model: 'big-model-*' });
  const name = price({ model: 'big-model-1' });
  const newer = price({ model: 'big-model-1', validFrom: 1000 });
  const ofProvider = price({ model: 'big-model-1', provider: 'acme' });
  const own = price({ tenantId: 'tenant' });
  const prices = [all, pattern, longer, name, newer, ofProvider];

  it.each([
    ['small', undefined, 500, all],
    ['big-1', undefined, 500, pattern],
    ['big-model-2', undefined, 500, longer],
    ['big-model-1', undefined, 500, name],
    ['big-model-1', undefined, 1000, newer],
    ['big-model-1', 'acme', 1000, ofProvider],
    ['big-model-1', 'other', 1000, newer],
  ])('of %s by %s at %d is the one that fits best', (model, provider, now, expected) => {
    expect(priceFor(prices, model, provider, now)).toBe(expected);
    expect(priceFor([...prices].reverse(), model, provider, now)).toBe(expected);
  });

  it('of the tenant precedes those of the installation', () => {
    expect(priceFor([name, own], 'big-model-1', undefined, 500)).toBe(own);
    expect(priceFor([name], 'another', undefined, 500)).toBeUndefined();
  });
});

describe('the cost of a call', () => {
  const terms = price({ input: 10, cachedInput: 1, output: 100, reasoning: 1000, perCall: 5 });

  it('counts each kind of token once', () => {
    const usage = { input_tokens: 30, cached_tokens: 20, output_tokens: 7, reasoning_tokens: 3 };
    expect(costOf(terms, countedTokens(usage))).toBe(10 * 10 + 20 * 1 + 4 * 100 + 3 * 1000 + 5);
  });

  it('never counts parts that are greater than the whole, nor what is no count', () => {
    const tokens = countedTokens({ input_tokens: 3, cached_tokens: 9, output_tokens: -1, reasoning_tokens: 4 });
    expect(tokens).toEqual({ input: 3, cachedInput: 3, output: 0, reasoning: 0 });
    expect(costOf(undefined, tokens)).toBe(0);
  });
});

describe('PRICES_FILE', () => {
  const file = join(tmpdir(), `parley-prices-${process.pid}.json`);

  it('fills in what a price leaves out', () => {
    writeFileSync(file, JSON.stringify({ prices: [{ model: 'm', input: 2, output: 3 }] }));
    const { filePrices } = readSettings(UsageSettings, { PRICES_FILE: file });
    expect(filePrices).toEqual([
      {
        model: 'm',
        provider: null,
        validFrom: 0,
        input: 2,
        cachedInput: 2,
        output: 3,
        reasoning: 3,
        perCall: 0,
        maxOutput: null,
      },
    ]);
    expect(readFileSync(file, 'utf8')).toContain('prices');
  });

  it.each([
    { model: 'm', input: 2 },
    { model: 'm', input: 2.5, output: 1 },
    { model: 'm', input: -1, output: 1 },
    { model: '', input: 1, output: 1 },
    { model: 'm', input: 1, output: 1, outputs: 1 },
    { model: 'm', input: 1, output: 1, validFrom: 'soon' },
  ])('the price %j is refused', (one) => {
    expect(priceList([one])).toHaveProperty('problem');
    writeFileSync(file, JSON.stringify([one]));
    expect(() => readSettings(UsageSettings, { PRICES_FILE: file })).toThrow('PRICES_FILE');
  });
});
