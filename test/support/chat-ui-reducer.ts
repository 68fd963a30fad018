/** A slot of a message as the chat UI holds it. */
export type UiContent = Record<string, unknown>;

/** A message as the chat UI holds it. */
export interface UiMessage extends Record<string, unknown> {
  id: string;
  content: UiContent[];
}

/** The transcript of one answer as the chat UI holds it. */
export interface UiState extends Record<string, unknown> {
  status?: string;
  output: UiMessage[];
}

type Frame = Record<string, unknown>;

/**
 * What the chat UI makes of an Agent API stream (contract agent-api, section d): messages are found by
 * id, contents by the id of their message alone, slots by their order of arrival.
 */
export class ChatUiReducer {
  state: UiState = { output: [] };
  /** Frames that the UI drops with a warning. */
  readonly dropped: Frame[] = [];

  apply(frame: Frame): void {
    const copy = structuredClone(frame);
    if (copy.object === 'response') {
      this.state = { ...this.state, ...copy, output: (copy.output ?? []) as UiMessage[] };
    } else if (copy.object === 'message') {
      this.applyMessage(copy);
    } else if (copy.object === 'content') {
      this.applyContent(copy);
    } else {
      this.state.status = 'failed';
      this.state.output.push({ id: 'error', type: 'error', code: copy.code, message: copy.message, content: [] });
    }
  }

  /** The stop of the spinner: only these states end an answer, and an empty first message holds it up. */
  get isFinished(): boolean {
    if (this.state.status === 'failed') return true;
    return this.state.status === 'completed' && (this.state.output[0]?.content.length ?? 0) > 0;
  }

  private applyMessage(frame: Frame): void {
    if (frame.type === 'heartbeat') return;
    const content = (frame.content ?? []) as UiContent[];
    const present = this.state.output.find((message) => message.id === frame.id);
    if (!present) {
      this.state.output.push({ ...frame, content } as UiMessage);
      return;
    }
    Object.assign(present, frame, { content: content.length > 0 ? content : present.content });
  }

  private applyContent(frame: Frame): void {
    const message = this.state.output.find(({ id }) => id === frame.msg_id);
    if (!message) {
      this.dropped.push(frame);
      return;
    }
    const last = message.content.at(-1);
    if (frame.delta !== true) {
      if (last) Object.assign(last, frame);
      else message.content.push(frame);
    } else if (last?.delta === true) {
      const text =
        frame.type === 'text' && last.type === 'text' ? { text: `${last.text as string}${frame.text as string}` } : {};
      Object.assign(last, frame, text);
    } else {
      message.content.push(frame);
    }
  }
}

/** The parsed `data:` frames of a stream, without `[DONE]` and comments. */
export function parseFrames(text: string): Frame[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: ') && frame !== 'data: [DONE]')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Frame);
}
