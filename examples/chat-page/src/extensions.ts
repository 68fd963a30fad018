import type { Extensions } from 'parley-server';
import { OrdersTool } from './orders.tool.js';
import { Payments } from './payments.js';
import { RefundTool } from './refund.tool.js';
import { ShopAgent } from './shop.agent.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = { providers: [ShopAgent, OrdersTool, RefundTool, Payments] };
