import type { Extensions } from 'parley-server';
import { ReviewAgent } from './review.agent.js';

/** What this project adds to the server; the tests use the same. */
export const extensions: Extensions = { providers: [ReviewAgent] };
