import type { UiHints } from '../ui-schema/index.js';

/** A tool's result with hints of how to show it. The model sees the value, people's screens the hints. */
export class ToolAnswer {
  constructor(
    readonly value: unknown,
    readonly uiHints: UiHints,
  ) {}
}
