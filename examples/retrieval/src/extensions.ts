import type { Extensions } from 'parley-server';
import { Handbook } from './handbook.js';
import { HandbookAgent } from './handbook.agent.js';
import { SearchTool } from './search.tool.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = {
  providers: [HandbookAgent, SearchTool, { provide: Handbook, useFactory: () => Handbook.read('documents') }],
};
