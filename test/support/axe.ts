import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** A finding of axe: the rule, and where it is broken. */
interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const SERIOUS: ReadonlySet<string | null> = new Set(['serious', 'critical']);

/** What axe finds on a page that is serious or critical; each with the rule, and where. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // The policy of the page forbids inline scripts, so axe comes in through the developer tools.
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate<{ readonly violations: readonly Finding[] }>('axe.run(document)');
  return violations
    .filter(({ impact }) => SERIOUS.has(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`).join('; ')}`,
    );
}
