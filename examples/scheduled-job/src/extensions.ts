import { join } from 'node:path';
import type { Extensions } from 'parley-server';
import { OpenOrdersTool } from './open-orders.tool.js';
import { ReportAgent } from './report.agent.js';
import { Reports } from './reports.js';

/** What this project adds to the server; the tests use the same. */
export function extensions(folder = join(process.env['DATA_DIR'] ?? '.', 'reports')): Extensions {
  return { providers: [ReportAgent, OpenOrdersTool, { provide: Reports, useValue: new Reports(folder) }] };
}
