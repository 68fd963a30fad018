import type { JsonObject } from '../../common/index.js';
import {
  CALL_PERMISSION,
  type CallPermission,
  type ContentBuilder,
  type MessageBuilder,
  type MessageType,
  type ResponseBuilder,
} from '../../events/index.js';
import type { ToolCall, ToolSet } from '../../tools/index.js';
import type { ModelToolCall } from '../ports/model-client.js';
import { MODEL_REPLAY } from '../prompt/tool-traffic.js';
import { Segment } from './segment.js';

/** The name of a call whose provider never said one. */
const NAMELESS = 'unknown_tool';

/** How a call of a tool is shown. */
export interface CallAppearance {
  readonly callType: Extract<MessageType, 'function_call' | 'plugin_call' | 'mcp_call'>;
  readonly outputType: Extract<MessageType, 'plugin_call_output' | 'mcp_call_output'>;
  readonly serverLabel?: string;
}

/** Calls of client tools are `function_call`, of MCP tools `mcp_call`, of all others `plugin_call`. */
export function appearanceOf(name: string, toolSet: ToolSet): CallAppearance {
  const resolved = toolSet.resolve(name);
  if (resolved.kind === 'client') return { callType: 'function_call', outputType: 'plugin_call_output' };
  if (resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp') {
    const { serverLabel } = resolved.tool.origin;
    return { callType: 'mcp_call', outputType: 'mcp_call_output', serverLabel };
  }
  return { callType: 'plugin_call', outputType: 'plugin_call_output' };
}

/** What is known of the permissions that the calls of one model answer need, while the answer is written. */
export interface CallPermissions {
  /** True when a call of this tool may need one: all that can be said before its arguments are whole. */
  mayNeed(name: string): boolean;
  /** True when this call, as it is, will be asked for. */
  needs(call: ToolCall): boolean;
}

/** A tool call. Its name comes with its first piece. */
export class CallSegment extends Segment {
  /** What the provider wants back with the answer that this call belongs to. */
  replay: JsonObject | undefined;
  private name = '';
  private checkedText: string | undefined;
  private wasWhole = false;

  constructor(
    private readonly id: string,
    private readonly toolSet: ToolSet,
    private readonly permissions?: CallPermissions,
  ) {
    super();
  }

  override get isReady(): boolean {
    return this.name !== '';
  }

  /** Arguments that are one JSON object take no more text. */
  get isWhole(): boolean {
    if (this.checkedText !== this.text) {
      this.checkedText = this.text;
      this.wasWhole = isJsonObject(this.text);
    }
    return this.wasWhole;
  }

  /** True when this run does not answer the call: the client does, or a person has to allow it first. */
  get isDeferred(): boolean {
    return this.toolSet.resolve(this.toolCall().name).kind === 'client' || this.needsPermission;
  }

  /** The first name counts. */
  setName(name: string): void {
    if (this.name === '') this.name = name;
  }

  toolCall(): ModelToolCall {
    return { id: this.id, name: this.name || NAMELESS, arguments: this.text };
  }

  /** Who shows calls as they happen must not show one that turns out to wait for a permission. */
  protected override opening(): JsonObject | undefined {
    return this.permissions?.mayNeed(this.toolCall().name) ? marked('possible') : undefined;
  }

  protected override closing(): JsonObject | undefined {
    const permission = this.needsPermission ? marked('needed') : undefined;
    return this.replay ? { ...permission, [MODEL_REPLAY]: this.replay } : permission;
  }

  private get needsPermission(): boolean {
    const { id, name, arguments: text } = this.toolCall();
    return this.permissions?.needs({ callId: id, name, arguments: text }) === true;
  }

  protected open(response: ResponseBuilder): MessageBuilder {
    const { callType } = appearanceOf(this.toolCall().name, this.toolSet);
    return response.createMessageBuilder('assistant', callType);
  }

  protected firstWrite(message: MessageBuilder): ContentBuilder {
    const { id, name } = this.toolCall();
    const { serverLabel } = appearanceOf(name, this.toolSet);
    const head = { call_id: id, name, arguments: '' };
    const content = message.createContentBuilder('data');
    content.addDataDelta(serverLabel === undefined ? head : { ...head, server_label: serverLabel });
    if (this.text !== '') this.writePiece(content, this.text);
    return content;
  }

  protected writePiece(content: ContentBuilder, piece: string): void {
    content.addDataDelta({ arguments: piece });
  }
}

function marked(permission: CallPermission): JsonObject {
  return { [CALL_PERMISSION]: permission };
}

function isJsonObject(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
}
