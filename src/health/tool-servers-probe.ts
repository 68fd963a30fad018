import type { ToolServerState } from '../tools/index.js';

/** Tells how the servers stand whose tools are on offer. Bound by the composition root. */
export abstract class ToolServersProbe {
  /** In the order of the configuration. Asks nobody and never throws. */
  abstract servers(): readonly ToolServerState[];
}
