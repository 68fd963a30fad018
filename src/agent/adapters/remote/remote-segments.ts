import type { JsonObject } from '../../../common/index.js';
import {
  CALL_PERMISSION,
  type ContentBuilder,
  type MessageBuilder,
  type ResponseBuilder,
} from '../../../events/index.js';
import { Segment, TextSegment } from '../../loop/segment.js';

/** A text of a remote agent, with what its protocol wants back. */
export class RemoteText extends TextSegment {
  private extra: JsonObject = {};

  /** Adds to the metadata of the closed message. */
  add(metadata: JsonObject): void {
    this.extra = Object.assign({}, this.extra, metadata);
  }

  protected override closing(): JsonObject | undefined {
    const own = super.closing();
    if (Object.keys(this.extra).length === 0) return own;
    return Object.assign({}, own, this.extra);
  }
}

/** A call as a remote agent makes it. */
export class RemoteCall extends Segment {
  readonly isWhole = false;

  /**
   * @param type of the message: only a `function_call` is the client's
   * @param needsApproval whether a person must approve it
   */
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly type: 'function_call' | 'plugin_call',
    private readonly needsApproval: boolean,
  ) {
    super();
  }

  protected override opening(): JsonObject | undefined {
    return this.needsApproval ? { [CALL_PERMISSION]: 'possible' } : undefined;
  }

  protected override closing(): JsonObject | undefined {
    return this.needsApproval ? { [CALL_PERMISSION]: 'needed' } : undefined;
  }

  protected open(response: ResponseBuilder): MessageBuilder {
    return response.createMessageBuilder('assistant', this.type);
  }

  protected firstWrite(message: MessageBuilder): ContentBuilder {
    const content = message.createContentBuilder('data');
    content.addDataDelta({ call_id: this.callId, name: this.name, arguments: '' });
    if (this.value !== '') this.writePiece(content, this.value);
    return content;
  }

  protected writePiece(content: ContentBuilder, piece: string): void {
    content.addDataDelta({ arguments: piece });
  }
}
