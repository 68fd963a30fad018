import { fingerprint, type JsonObject } from '../../common/index.js';
import type { ServerTool, ToolSet } from '../tools/index.js';
import type { AgentContext } from '../agent.js';

/** The journal key of the lists. */
const STEP = 'mcp:list';

/**
 * Writes an `mcp_list_tools` message for each MCP server, with its tools or the reason why it has none, before
 * the first model call (contract agent-api, section a.2). A resumed run does not repeat them, and neither does a
 * run that answers interrupts, because it belongs to the same turn.
 */
export function writeToolLists(context: AgentContext, toolSet: ToolSet): void {
  const lists = listsOf(toolSet);
  if (lists.length === 0 || isContinued(context)) return;
  // Not a hash of the lists: they may have changed when a run is resumed, which must not fail it.
  const inputHash = fingerprint(STEP);
  if (context.journal.finished(STEP, inputHash)) return;
  const messageIds = lists.map((list) => writeList(context, list));
  context.journal.finish(STEP, inputHash, {}, messageIds);
}

/** A run that continues an interrupted one: the client has its tool lists already. */
function isContinued({ resumption: { approvals, inputs, waiting } }: AgentContext): boolean {
  return approvals.length + inputs.length + waiting.length > 0;
}

/** One list for each server; tools of other origins are left out. */
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

/** A tool in the form of the MCP protocol. */
function toolInfo({ name, description, parameters, annotations }: ServerTool): JsonObject {
  return {
    name,
    input_schema: parameters,
    ...(description === '' ? {} : { description }),
    ...(annotations ? { annotations: { ...annotations } } : {}),
  };
}

/** Writes a list as a message and returns the message's id. */
function writeList(context: AgentContext, list: JsonObject): string {
  const message = context.response.createMessageBuilder('assistant', 'mcp_list_tools');
  message.created();
  message.inProgress();
  message.createContentBuilder('data').addDataDelta({ id: message.id, ...list });
  message.complete();
  return message.id;
}
