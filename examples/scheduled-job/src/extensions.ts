import type { Extensions } from 'parley-server';
import { OpenOrdersTool } from './open-orders.tool.js';
import { ReportAgent } from './report.agent.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = { providers: [ReportAgent, OpenOrdersTool] };
