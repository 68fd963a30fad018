import type { ContentBuilder, MessageBuilder, MessageType, ResponseBuilder } from '../../events/index.js';
import type { ToolOffer } from '../../tools/index.js';
import type { ModelToolCall } from '../ports/model-client.js';
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
export function appearanceOf(name: string, offer: ToolOffer): CallAppearance {
  const resolved = offer.resolve(name);
  if (resolved.kind === 'client') return { callType: 'function_call', outputType: 'plugin_call_output' };
  if (resolved.kind === 'server' && resolved.tool.origin.kind === 'mcp') {
    const { serverLabel } = resolved.tool.origin;
    return { callType: 'mcp_call', outputType: 'mcp_call_output', serverLabel };
  }
  return { callType: 'plugin_call', outputType: 'plugin_call_output' };
}

/** A tool call. Its name comes with its first piece. */
export class CallSegment extends Segment {
  private name = '';
  private checkedText: string | undefined;
  private wasWhole = false;

  constructor(
    private readonly id: string,
    private readonly offer: ToolOffer,
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

  /** The first name counts. */
  setName(name: string): void {
    if (this.name === '') this.name = name;
  }

  toolCall(): ModelToolCall {
    return { id: this.id, name: this.name || NAMELESS, arguments: this.text };
  }

  protected open(response: ResponseBuilder): MessageBuilder {
    const { callType } = appearanceOf(this.toolCall().name, this.offer);
    return response.createMessageBuilder('assistant', callType);
  }

  protected firstWrite(message: MessageBuilder): ContentBuilder {
    const { id, name } = this.toolCall();
    const { serverLabel } = appearanceOf(name, this.offer);
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
