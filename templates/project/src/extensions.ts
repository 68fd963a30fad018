import type { Extensions } from 'parley-server';
import { OrdersAgent } from './orders.agent.js';
import { OrdersTool } from './orders.tool.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = { providers: [OrdersAgent, OrdersTool] };
