import { userInfo } from 'node:os';
import { Tenants } from '../access/index.js';
import { commandOrigin, type Origin } from '../common/index.js';
import { Budgets, type CounterDifference, Prices, UsageCheck } from '../usage/index.js';
import { type Command, type Commands, requiredText, table, textOf, UsageError } from './command.js';

const TENANT = { tenant: { type: 'string' } } as const;
const DEFAULT = 'default';

const verify: Command = {
  usage:
    '[--tenant ID] [--repair] [--json]   compares the counters of budgets with their entries, of all tenants by default',
  options: { ...TENANT, repair: { type: 'boolean' } },
  async run(app, args, terminal) {
    const asked = textOf(args, 'tenant');
    const ids = asked === undefined ? (await app.get(Tenants).list()).map(({ id }) => id) : [asked];
    if (asked !== undefined) await app.get(Tenants).find(asked);
    const isRepair = args.options.repair === true;
    const differences: CounterDifference[] = [];
    let counters = 0;
    for (const id of ids) {
      const result = await app.get(UsageCheck).tenant(id, isRepair);
      counters += result.counters;
      differences.push(...result.differences);
    }
    const found = differences.map(shownDifference);
    if (args.options.json) terminal.out(JSON.stringify({ counters, differences: found }, null, 2));
    else if (found.length > 0)
      terminal.out(table([COLUMNS, ...found.map((one) => COLUMNS.map((name) => String(one[name])))]));
    const outcome = found.length === 0 ? 'all agree with their entries' : `${found.length} differ`;
    terminal.note(`${counters} counters: ${outcome}${isRepair && found.length > 0 ? ', and were repaired' : ''}.`);
    return found.length > 0 && !isRepair ? 1 : 0;
  },
};

const prices: Command = {
  usage: '[--tenant ID] [--json]',
  options: TENANT,
  async run(app, args, terminal) {
    const list = await app.get(Prices).list(textOf(args, 'tenant') ?? DEFAULT);
    const rows = list.map((price) => [
      String(price.rowId),
      price.tenantId,
      price.model,
      price.provider ?? '',
      price.validFrom === 0 ? '' : new Date(price.validFrom).toISOString(),
      ...[price.input, price.cachedInput, price.output, price.reasoning, price.perCall, price.maxOutput].map((value) =>
        String(value ?? ''),
      ),
    ]);
    const names = 'VERSION TENANT MODEL PROVIDER VALID_FROM INPUT CACHED OUTPUT REASONING PER_CALL MAX_OUTPUT'.split(
      ' ',
    );
    terminal.out(args.options.json ? JSON.stringify(list, null, 2) : table([names, ...rows]));
    return 0;
  },
};

const addPrice: Command = {
  usage: '--tenant ID   adds the version that stdin describes as JSON; --tenant "*" is all tenants',
  options: TENANT,
  async run(app, args, terminal) {
    const tenant = requiredText(args, 'tenant');
    if (tenant !== '*') await app.get(Tenants).find(tenant);
    const price = await app.get(Prices).add(tenant, jsonOf(await terminal.input()), operator());
    terminal.note(`The price ${price.rowId} is added. Servers that are running use it within 5 s.`);
    terminal.out(JSON.stringify(price, null, 2));
    return 0;
  },
};

const budgets: Command = {
  usage: '[--tenant ID] [--json]',
  options: TENANT,
  async run(app, args, terminal) {
    const list = await app.get(Budgets).list(textOf(args, 'tenant') ?? DEFAULT);
    const rows = list.map(({ id, subject, name, window, tokens, cost, action }) => [
      id,
      subject,
      name,
      window,
      String(tokens ?? ''),
      String(cost ?? ''),
      action,
    ]);
    const names = ['ID', 'SUBJECT', 'NAME', 'WINDOW', 'TOKENS', 'COST', 'ACTION'];
    terminal.out(args.options.json ? JSON.stringify(list, null, 2) : table([names, ...rows]));
    return 0;
  },
};

const setBudget: Command = {
  usage: '[--tenant ID]   sets the budget that stdin describes as JSON',
  options: TENANT,
  async run(app, args, terminal) {
    const tenant = textOf(args, 'tenant') ?? DEFAULT;
    await app.get(Tenants).find(tenant);
    const budget = await app.get(Budgets).put(tenant, jsonOf(await terminal.input()), operator());
    terminal.note(`The budget ${budget.id} is set. Servers that are running keep to it within 5 s.`);
    terminal.out(JSON.stringify(budget, null, 2));
    return 0;
  },
};

const removeBudget: Command = {
  usage: 'ID [--tenant ID]',
  positionals: ['ID'],
  options: TENANT,
  async run(app, args, terminal) {
    await app.get(Budgets).remove(textOf(args, 'tenant') ?? DEFAULT, args.positionals[0] ?? '', operator());
    terminal.note('The budget is removed.');
    return 0;
  },
};

const timeZone: Command = {
  usage: '[--tenant ID] [--set ZONE]   prints or sets where the days and months of a tenant begin',
  options: { ...TENANT, set: { type: 'string' } },
  async run(app, args, terminal) {
    const tenant = textOf(args, 'tenant') ?? DEFAULT;
    await app.get(Tenants).find(tenant);
    const set = textOf(args, 'set');
    const budgetsOf = app.get(Budgets);
    terminal.out(
      set === undefined ? await budgetsOf.timeZone(tenant) : await budgetsOf.setTimeZone(tenant, set, operator()),
    );
    return 0;
  },
};

/** `npm run usage -- …` (contract access, section 7). */
export const USAGE_COMMANDS: Commands = new Map(
  Object.entries({
    verify,
    prices,
    'add-price': addPrice,
    budgets,
    'set-budget': setBudget,
    'remove-budget': removeBudget,
    'time-zone': timeZone,
  }),
);

const COLUMNS = ['tenant', 'budget', 'name', 'period', 'counted', 'entries'] as const;

function shownDifference({
  counter,
  settled,
  reserved,
}: CounterDifference): Readonly<Record<(typeof COLUMNS)[number], string>> {
  const { budget, name, period } = counter;
  return {
    tenant: budget.tenantId,
    budget: budget.id,
    name,
    period,
    counted: amounts(counter),
    entries: amounts({ settled, reserved }),
  };
}

/** Tokens and cost that are settled, then those that are reserved. */
function amounts({ settled, reserved }: Pick<CounterDifference, 'settled' | 'reserved'>): string {
  return `${settled.tokens}/${settled.cost}+${reserved.tokens}/${reserved.cost}`;
}

function operator(): Origin {
  return commandOrigin(userInfo().username);
}

/** @throws UsageError */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('What stdin holds must be JSON');
  }
}
