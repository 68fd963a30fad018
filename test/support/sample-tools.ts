import { Injectable } from '@nestjs/common';
import { AgentTool, type ToolContext } from '../../src/agent/tools/index.js';

const PAYMENT = {
  type: 'object',
  properties: { to: { type: 'string' }, amount: { type: 'number' } },
  required: ['to', 'amount'],
  additionalProperties: false,
} as const;

/** What the tools below did, for tests to count. */
export const done: { payments: unknown[]; during: (context: ToolContext) => Promise<void> } = {
  payments: [],
  during: () => Promise.resolve(),
};

/** Tools with and without side effects. */
@Injectable()
export class SampleTools {
  @AgentTool({ description: 'Pays', effects: 'unsafe', parameters: structuredClone(PAYMENT) as never })
  async pay(args: { to: string; amount: number }, context: ToolContext): Promise<string> {
    await done.during(context);
    done.payments.push(args);
    return `paid ${args.amount} to ${args.to}`;
  }

  @AgentTool({ description: 'Looks', effects: 'none', parameters: { type: 'object' } })
  look(): Promise<string> {
    return Promise.resolve('seen');
  }
}
