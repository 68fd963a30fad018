import { isObjectText, type JsonObject, ObjectScan } from '../../common/index.js';
import {
  CALL_PERMISSION,
  type CallPermission,
  type ContentBuilder,
  type MessageBuilder,
  type MessageType,
  type ResponseBuilder,
} from '../../events/index.js';
import type { ToolCall, ToolSet } from '../tools/index.js';
import type { ModelToolCall } from '../ports/model-client.js';
import { Segment } from './segment.js';

/** The name of a call for which the provider sent none. */
const NAMELESS = 'unknown_tool';

/** The message types that show a call and its result. */
export interface CallAppearance {
  readonly callType: Extract<MessageType, 'function_call' | 'plugin_call' | 'mcp_call'>;
  readonly outputType: Extract<MessageType, 'plugin_call_output' | 'mcp_call_output'>;
  /** Only for calls of MCP servers. */
  readonly serverLabel?: string;
}

/** Calls of client tools are shown as `function_call`, of MCP tools as `mcp_call`, all others as `plugin_call`. */
export function appearanceOf(name: string, toolSet: ToolSet): CallAppearance {
  const resolved = toolSet.resolve(name);
  if (resolved.kind === 'client') return { callType: 'function_call', outputType: 'plugin_call_output' };
  if (resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp') {
    const { serverLabel } = resolved.tool.origin;
    return { callType: 'mcp_call', outputType: 'mcp_call_output', serverLabel };
  }
  return { callType: 'plugin_call', outputType: 'plugin_call_output' };
}

/** Tells, while a model answer is being written, which of its calls require an approval. */
export interface CallApprovals {
  /** True if a call of this tool may require an approval, depending on its arguments. */
  mayRequire(name: string): boolean;
  /** True if this call with its complete arguments requires an approval. */
  requires(call: ToolCall): boolean;
}

/** A tool call. Its first delta has the name. */
export class CallSegment extends Segment {
  private name = '';
  private readonly scanner = new ObjectScan();

  constructor(
    private readonly id: string,
    private readonly toolSet: ToolSet,
    private readonly approvals?: CallApprovals,
  ) {
    super();
  }

  /** The message of a call cannot be created before the name is known: its type depends on it. */
  override get isReady(): boolean {
    return this.name !== '';
  }

  /** Complete if the arguments are a JSON object. */
  get isWhole(): boolean {
    return this.scanner.isWhole && isObjectText(this.value);
  }

  protected override write(piece: string): void {
    super.write(piece);
    this.scanner.add(piece);
  }

  /** Sets the name. Only the first one is used. */
  setName(name: string): void {
    if (this.name === '') this.name = name;
  }

  /** The call so far; without a name it gets a placeholder, so that it can be answered with an error. */
  toolCall(): ModelToolCall {
    return { id: this.id, name: this.name || NAMELESS, arguments: this.value };
  }

  // Encoders that show a call while it is streamed must know from its start that it may wait for an approval.
  protected override opening(): JsonObject | undefined {
    return this.approvals?.mayRequire(this.toolCall().name) ? marked('possible') : undefined;
  }

  protected override closing(): JsonObject | undefined {
    return this.requiresApproval ? marked('needed') : undefined;
  }

  /** Depends on the arguments, so it can change while they are being written. */
  private get requiresApproval(): boolean {
    const { id, name, arguments: text } = this.toolCall();
    return this.approvals?.requires({ callId: id, name, arguments: text }) === true;
  }

  protected open(response: ResponseBuilder): MessageBuilder {
    const { callType } = appearanceOf(this.toolCall().name, this.toolSet);
    return response.createMessageBuilder('assistant', callType);
  }

  protected firstWrite(message: MessageBuilder): ContentBuilder {
    const { id, name } = this.toolCall();
    const { serverLabel } = appearanceOf(name, this.toolSet);
    const content = message.createContentBuilder('data');
    content.addDataDelta({
      call_id: id,
      name,
      arguments: '',
      ...(serverLabel !== undefined && { server_label: serverLabel }),
    });
    if (this.value !== '') this.writePiece(content, this.value);
    return content;
  }

  protected writePiece(content: ContentBuilder, piece: string): void {
    content.addDataDelta({ arguments: piece });
  }
}

function marked(permission: CallPermission): JsonObject {
  return { [CALL_PERMISSION]: permission };
}
