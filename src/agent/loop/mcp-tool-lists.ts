import { fingerprint, type JsonObject } from '../../common/index.js';
import type { ServerTool, ToolSet } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';

/** The journal's key of the lists. */
const STEP = 'mcp:list';

/**
 * Shows what the MCP servers offer to this run, or why one offers nothing: a message `mcp_list_tools`
 * for each, before the first model call (contract agent-api, section a.2). A resumed run does not show them
 * again, nor does one that goes on with answers: it is the same turn. Without MCP servers nothing is
 * written.
 */
export function writeToolLists(context: AgentContext, toolSet: ToolSet): void {
  const lists = listsOf(toolSet);
  if (lists.length === 0 || goesOn(context)) return;
  // The servers may offer something else when a run is resumed; that is no reason to fail it.
  const inputHash = fingerprint(STEP);
  if (context.journal.finished(STEP, inputHash)) return;
  const messageIds = lists.map((list) => writeList(context, list));
  context.journal.finish(STEP, inputHash, {}, messageIds);
}

function goesOn({ resumption: { approvals, inputs, waiting } }: AgentContext): boolean {
  return approvals.length + inputs.length + waiting.length > 0;
}

function listsOf(toolSet: ToolSet): JsonObject[] {
  const tools = new Map<string, JsonObject[]>();
  for (const tool of toolSet.serverTools) {
    if (tool.origin.kind !== 'mcp') continue;
    const { serverLabel } = tool.origin;
    tools.set(serverLabel, [...(tools.get(serverLabel) ?? []), toolInfo(tool)]);
  }
  return [
    ...[...tools].map(([label, infos]): JsonObject => ({ server_label: label, tools: infos })),
    ...toolSet.unavailable.map(({ serverLabel, error }): JsonObject => ({
      server_label: serverLabel,
      tools: [],
      error,
    })),
  ];
}

function toolInfo({ name, description, parameters, annotations }: ServerTool): JsonObject {
  return {
    name,
    input_schema: parameters,
    ...(description === '' ? {} : { description }),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
}

function writeList(context: AgentContext, list: JsonObject): string {
  const message = context.response.createMessageBuilder('assistant', 'mcp_list_tools');
  message.created();
  message.inProgress();
  message.createContentBuilder('data').addDataDelta({ id: message.id, ...list });
  message.complete();
  return message.id;
}
