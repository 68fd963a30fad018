import type { OpenAPIObject } from '@nestjs/swagger';

/** The operations of `/v1` under their other address. */
const ALIAS_PREFIX = '/compatible-mode/v1';
/** The group of operations that only repeat others under another address. The page shows it folded. */
export const ALIAS_TAG = 'OpenAI Responses, other address';

/** The groups of operations in the order of reading: the wires first, then what looks at runs, then the service. */
const GROUPS: readonly (readonly [name: string, description: string])[] = [
  ['Agent API', 'One request, one response or stream; background tasks.'],
  ['OpenAI Responses', 'Responses, conversations and models, for the clients of OpenAI.'],
  ['OpenAI Chat Completions', 'Chat completions, for the clients of OpenAI.'],
  ['AI SDK', 'Chats of pages with `useChat`.'],
  ['AG-UI', 'Runs for AG-UI clients.'],
  ['CopilotKit', 'The routes of the CopilotKit runtime.'],
  ['AG-Kit', 'Conversations for AG-Kit clients.'],
  ['Runs', 'Durable runs of threads: start, follow, cancel, resume, history.'],
  ['A2A', 'Tasks for other agents: JSON-RPC and REST, agent cards.'],
  ['MCP', 'Agents as tools, for clients of the Model Context Protocol.'],
  ['Attach', 'Any run in the frames of any wire.'],
  ['Approvals', 'Approvals and inputs that runs wait for.'],
  ['Attachments', 'Images for messages.'],
  ['Runs of all wires', 'Lists, timelines, events and journals, whichever wire began a run.'],
  ['Sessions', 'Messages and state of sessions, whichever wire began them.'],
  ['Agents and tools', 'What can be run and called, and what the policy decides.'],
  ['User settings', 'Time zone and language.'],
  ['Access', 'Who the caller is; tickets for browsers.'],
  ['Console', 'What a page has to know before anybody has signed in.'],
  ['Usage', 'What model calls used, and what is left of budgets.'],
  ['Schedules', 'Runs that begin by themselves, at planned times.'],
  ['Webhooks', 'Where events of runs are announced to, and what was delivered.'],
  ['Audit', 'Who did what: the lines of the audit trail, verified and exported.'],
  ['Data protection', 'What is stored of one user: erased, with a receipt.'],
  ['Administration', 'API keys, tenants, limits, budgets and prices.'],
  [ALIAS_TAG, 'The same operations as in “OpenAI Responses”, below `/compatible-mode/v1`.'],
  ['Service', 'Health and name of the server.'],
];

/**
 * Orders the groups of a document, and gives the operations that only repeat others a group of their own. Groups that
 * are not known come last. Returns the document.
 */
export function orderTags(document: OpenAPIObject): OpenAPIObject {
  const used = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item) as { tags?: string[] }[]) {
      if (path.startsWith(ALIAS_PREFIX)) operation.tags = [ALIAS_TAG];
      for (const tag of operation.tags ?? []) used.add(tag);
    }
  }
  const known = GROUPS.filter(([name]) => used.delete(name)).map(([name, description]) => ({ name, description }));
  document.tags = [...known, ...[...used].map((name) => ({ name }))];
  return document;
}
