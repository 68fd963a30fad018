/** The agent type of `ToolAgent`. */
export const TOOL_AGENT = 'mcp_tool';
/** The member of `forwardedProps` with the call of a `ToolAgent`: `{name, arguments}`, the arguments as JSON text. */
export const TOOL_CALL = 'mcp_tool_call';
