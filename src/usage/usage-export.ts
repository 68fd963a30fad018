import {
  exporterOf,
  integer,
  json,
  OF_USER,
  time,
  type UserExporter,
  type UserTable,
} from '../data-protection/index.js';

const BUDGETS: UserTable = {
  kind: 'budgets',
  from: 'budgets',
  where: `tenant_id = ? AND name = ? AND subject = 'user'`,
  key: ['no'],
  members: {
    budgetId: 'id',
    subject: 'subject',
    window: 'time_window',
    tokens: ['tokens', integer],
    cost: ['cost', integer],
    action: 'action',
    warnAt: ['warn_at', json],
    createdAt: ['created_at', time],
    updatedAt: ['updated_at', time],
  },
  leftOut: ['tenant_id', 'name'],
};

/** What is counted of the user, also in budgets for each user. */
const COUNTERS: UserTable = {
  kind: 'budgetCounters',
  from: 'budget_counters c JOIN budgets b ON b.no = c.budget_no',
  where: `c.tenant_id = ? AND c.name = ? AND b.subject = 'user'`,
  key: ['c.budget_no', 'c.period'],
  members: {
    budgetId: 'b.id',
    period: 'c.period',
    settledTokens: ['c.settled_tokens', integer],
    settledCost: ['c.settled_cost', integer],
    reservedTokens: ['c.reserved_tokens', integer],
    reservedCost: ['c.reserved_cost', integer],
    updatedAt: ['c.updated_at', time],
  },
  leftOut: ['c.tenant_id', 'c.name', 'c.warned', 'c.exceeded', 'c.recount_at'],
};

const ENTRIES: UserTable = {
  kind: 'usageEntries',
  from: 'usage_entries',
  where: OF_USER,
  key: ['run_no', 'step', 'fence'],
  members: {
    runId: 'run_id',
    step: 'step',
    agent: 'agent',
    account: 'account',
    model: 'model',
    provider: 'provider',
    state: 'state',
    inputTokens: ['input_tokens', integer],
    cachedInputTokens: ['cached_tokens', integer],
    outputTokens: ['output_tokens', integer],
    reasoningTokens: ['reasoning_tokens', integer],
    cost: ['cost', integer],
    day: 'day',
    at: ['at', time],
    settledAt: ['settled_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'root_run_no', 'price_no'],
  page: 1000,
};

const DAYS: UserTable = {
  kind: 'usageDays',
  from: 'usage_days',
  where: OF_USER,
  key: ['day', 'agent', 'account', 'model'],
  members: {
    day: 'day',
    agent: 'agent',
    account: 'account',
    model: 'model',
    runs: ['runs', integer],
    calls: ['calls', integer],
    inputTokens: ['input_tokens', integer],
    cachedInputTokens: ['cached_tokens', integer],
    outputTokens: ['output_tokens', integer],
    reasoningTokens: ['reasoning_tokens', integer],
    estimatedTokens: ['estimated_tokens', integer],
    cost: ['cost', integer],
  },
  leftOut: ['tenant_id', 'user_id'],
  page: 1000,
};

/** Budgets for a user, and what the user has used. Costs are in billionths. */
export const USAGE_EXPORT: UserExporter = exporterOf(BUDGETS, COUNTERS, ENTRIES, DAYS);
