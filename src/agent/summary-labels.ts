import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../common/index.js';
import type { AgentContext } from './agent.js';

/** Makes what the clients of a wire need to return a summary. */
export type SummaryLabel = (summary: string, context: Pick<AgentContext, 'principal' | 'authority'>) => JsonObject;

/** What each wire adds to the metadata of messages that hold a summary of their conversation. */
@Injectable()
export class SummaryLabels {
  private readonly labels = new Map<string, SummaryLabel>();

  /** From now on the runs of a wire get this label. */
  declare(wire: string, label: SummaryLabel): void {
    this.labels.set(wire, label);
  }

  /** The label of a wire's runs; undefined if it has none. */
  of(wire: string): SummaryLabel | undefined {
    return this.labels.get(wire);
  }
}
