import type { Extensions } from 'parley-server';
import { Payments } from './payments.js';
import { RefundTool } from './refund.tool.js';
import { RefundsAgent } from './refunds.agent.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = { providers: [RefundsAgent, RefundTool, Payments] };
