import type { Budget, BudgetState, Price, UsageEntry, UsageGroup, UsageSums } from '../../usage/index.js';
import { estimatedShare, INSTALLATION } from '../../usage/index.js';
import { isoTime, isoTimeOrNull } from '../../common/index.js';
import type { BudgetDto, PriceDto } from './dto/budget.dto.js';
import type { BudgetStateDto, UsageEntryDto, UsageSumsDto } from './dto/usage.dto.js';

/** The sums of a group as people are shown them. */
export function sumsView(sums: UsageSums, groupBy: readonly UsageGroup[], currency: string): UsageSumsDto {
  const { group, estimatedTokens, ...counts } = sums;
  return {
    ...Object.fromEntries(groupBy.map((name, index) => [name, group[index] ?? ''])),
    ...counts,
    currency,
    estimatedShare: estimatedShare({ group, estimatedTokens, ...counts }),
  };
}

/** A report as CSV (RFC 4180), with a line of names. */
export function sumsCsv(rows: readonly UsageSumsDto[], groupBy: readonly UsageGroup[]): string {
  const names = [...groupBy, ...COUNTS] as const;
  const lines = rows.map((row) => names.map((name) => cell(row[name] ?? '')).join(','));
  return [names.join(','), ...lines, ''].join('\r\n');
}

const COUNTS = [
  'runs',
  'calls',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'cost',
  'currency',
  'estimatedShare',
] as const;

/** Names of users come from clients: what a spreadsheet would take for a formula is kept a text. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One model call. */
export function entryView({ tokens, priceRowId, at, ...entry }: UsageEntry): UsageEntryDto {
  const { step, state, agent, model, provider, cost } = entry;
  return {
    step,
    state,
    agent,
    model,
    provider,
    inputTokens: tokens.input,
    cachedInputTokens: tokens.cachedInput,
    outputTokens: tokens.output,
    reasoningTokens: tokens.reasoning,
    cost,
    priceVersion: priceRowId,
    at: isoTime(at),
  };
}

/** What is used of a budget. */
export function stateView({ budget, name, settled, reserved, resetsAt }: BudgetState): BudgetStateDto {
  const { id, subject, window, action, tokens, cost } = budget;
  const left = (limit: number | null, used: number): number | null =>
    limit === null ? null : Math.max(0, limit - used);
  return {
    id,
    subject,
    name,
    window,
    action,
    limit: { tokens, cost },
    used: { ...settled },
    reserved: { ...reserved },
    left: {
      tokens: left(tokens, settled.tokens + reserved.tokens),
      cost: left(cost, settled.cost + reserved.cost),
    },
    resetsAt: isoTimeOrNull(resetsAt),
  };
}

/** A budget for those who may change it. */
export function budgetView({ id, subject, name, window, tokens, cost, action, warnAt, ...times }: Budget): BudgetDto {
  const createdAt = isoTime(times.createdAt);
  const updatedAt = isoTime(times.updatedAt);
  return { id, subject, name, window, tokens, cost, action, warnAt, createdAt, updatedAt };
}

/** A version of a price. */
export function priceView({ rowId, tenantId, validFrom, createdAt: _, ...terms }: Price): PriceDto {
  const from = validFrom === 0 ? null : isoTime(validFrom);
  return { version: rowId, ...terms, validFrom: from, isOwn: tenantId !== INSTALLATION };
}
