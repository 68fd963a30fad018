import type { AgUiEvent } from '../ag-ui-events/index.js';
import { dataFrame } from '../http/frames.js';

/**
 * An AG-UI event as this path writes it: `data:` lines only, and no `[DONE]` after the last. A question
 * to a person is told in the vendor's older way, too: CUSTOM `on_interrupt`, its value JSON text.
 */
export function agUiFrame(event: AgUiEvent): string {
  const frame = dataFrame(JSON.stringify(event));
  if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return frame;
  const [interrupt] = event.outcome.interrupts;
  const custom = { type: 'CUSTOM', name: 'on_interrupt', value: JSON.stringify(interrupt) };
  return dataFrame(JSON.stringify(custom)) + frame;
}
