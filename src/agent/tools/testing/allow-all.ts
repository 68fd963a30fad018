import { ToolPolicy } from '../policy/tool-policy.js';

/** Allows also calls for which the default policy requires an approval. */
export const ALLOW_ALL = new ToolPolicy(
  [{ index: 0, tools: ['*'], effect: 'allow', conditions: [], allowEdit: false }],
  1000,
);
