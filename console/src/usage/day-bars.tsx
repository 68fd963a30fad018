import type { ReactNode } from 'react';
import type { BudgetState, UsageSums } from '../api/types.js';
import { count } from '../lib/format.js';
import { money } from './money.js';

const WIDTH = 900;
const HEIGHT = 160;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Props {
  /** The first day. */
  readonly from: string;
  readonly days: number;
  /** By day. */
  readonly sums: readonly UsageSums[];
  readonly states: readonly BudgetState[];
}

/** What was used on each day, with the budget of the tenant per day as a line. */
export function DayBars({ from, days, sums, states }: Props): ReactNode {
  const hasCosts = sums.some(({ cost }) => cost > 0);
  const valueOf = (one: UsageSums): number => (hasCosts ? one.cost : one.inputTokens + one.outputTokens);
  const shown = (value: number): string =>
    hasCosts ? money(value, sums[0]?.currency ?? '') : `${count(value)} tokens`;
  const budget = states.find(({ subject, window }) => subject === 'tenant' && window === 'day');
  const limit = (hasCosts ? budget?.limit.cost : budget?.limit.tokens) ?? undefined;
  const top = Math.max(1, limit ?? 0, ...sums.map(valueOf));
  const step = WIDTH / days;
  const all = Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
    const found = sums.find((one) => one.day === day);
    return { day, value: found ? valueOf(found) : 0 };
  });
  const heightOf = (value: number): number => (value / top) * (HEIGHT - 10);
  const total = sums.reduce((sum, one) => sum + valueOf(one), 0);
  const summary = `${shown(total)} in ${days} days, at most ${shown(Math.max(0, ...sums.map(valueOf)))} on a day${
    limit === undefined ? '' : `; the budget per day is ${shown(limit)}`
  }`;
  return (
    <section className="panel" aria-label="Usage by day">
      <h2>By day</h2>
      <p className="muted">{summary}.</p>
      <svg className="day-bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={summary}>
        {all.map(({ day, value }, index) => (
          <rect
            key={day}
            x={index * step + step * 0.1}
            y={HEIGHT - heightOf(value)}
            width={step * 0.8}
            height={heightOf(value)}
          >
            <title>{`${day}: ${shown(value)}`}</title>
          </rect>
        ))}
        {limit !== undefined && (
          <line x1={0} x2={WIDTH} y1={HEIGHT - heightOf(limit)} y2={HEIGHT - heightOf(limit)}>
            <title>{`Budget per day: ${shown(limit)}`}</title>
          </line>
        )}
      </svg>
    </section>
  );
}
