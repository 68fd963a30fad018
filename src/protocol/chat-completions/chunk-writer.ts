import { jsonString } from '../../common/index.js';
import type { Usage } from '../../events/index.js';
import { dataFrame } from '../http/sse/frames.js';
import type { CompletionInfo } from './completion-info.js';
import { usageOf } from './completion-object.js';
import type { CompletionCall, FinishReason, UrlCitation } from './completion.types.js';

/** A member of a delta that grows. */
export type DeltaText = 'content' | 'reasoning_content' | 'refusal';

/** The most characters of one piece: below 64 KiB in UTF-8. */
const PIECE_LENGTH = 16 * 1024;

/** Writes the chunks of one completion (contract chat-completions, section A5): all have the same id, time and model. */
export class ChunkWriter {
  private readonly head: string;
  private readonly tail: string;
  private readonly close: string;

  constructor(private readonly info: CompletionInfo) {
    const { id, created, model, includeUsage } = info;
    this.head = `data: {"id":${jsonString(id)},"object":"chat.completion.chunk","created":${created},"model":${jsonString(model)},"choices":[`;
    this.close = `],"system_fingerprint":null`;
    const usage = includeUsage ? ',"usage":null' : '';
    this.tail = `,"logprobs":null,"finish_reason":null}${this.close}${usage}}\n\n`;
  }

  /** The first chunk. */
  role(): string {
    return this.delta('{"role":"assistant","content":""}');
  }

  /** The chunks of a text; several if it is long. */
  text(field: DeltaText, text: string): readonly string[] {
    if (text.length <= PIECE_LENGTH) return [this.delta(`{"${field}":${jsonString(text)}}`)];
    const pieces: string[] = [];
    for (let from = 0; from < text.length;) {
      let to = Math.min(from + PIECE_LENGTH, text.length);
      // Not between the halves of a character.
      if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
      pieces.push(this.delta(`{"${field}":${jsonString(text.slice(from, to))}}`));
      from = to;
    }
    return pieces;
  }

  /** The chunk of a short text whose characters are those of a JSON string already. */
  characters(field: DeltaText, characters: string): string {
    return `${this.head}{"index":0,"delta":{"${field}":"${characters}"}${this.tail}`;
  }

  /** The sources of a text that was sent. */
  annotations(annotations: readonly UrlCitation[]): string {
    return this.delta(`{"annotations":${JSON.stringify(annotations)}}`);
  }

  /** A call of the client, whole. @param index from 0 */
  call(index: number, call: CompletionCall): string {
    return this.delta(`{"tool_calls":[${JSON.stringify({ index, ...call })}]}`);
  }

  /** A status of the server's tools, in a chunk that SDKs take for an empty one. */
  status(description: string, done: boolean): string {
    const event = JSON.stringify({ type: 'status', data: { description, done } });
    const { info, head, close } = this;
    const usage = info.includeUsage ? ',"usage":null' : '';
    return `${head}{"index":0,"delta":{},"logprobs":null,"finish_reason":null}${close}${usage},"event":${event}}\n\n`;
  }

  /** The last chunk, and the usage if the request asks for it. */
  end(reason: FinishReason, usage: Usage | null): readonly string[] {
    const { info, head, close } = this;
    const choice = `{"index":0,"delta":{},"logprobs":null,"finish_reason":"${reason}"}`;
    if (!info.includeUsage) return [`${head}${choice}${close}}\n\n`];
    return [
      `${head}${choice}${close},"usage":null}\n\n`,
      `${head}${close},"usage":${JSON.stringify(usageOf(usage))}}\n\n`,
    ];
  }

  /** What takes the place of the end if there is none. */
  error(error: object): string {
    return dataFrame(JSON.stringify({ error }));
  }

  private delta(delta: string): string {
    return `${this.head}{"index":0,"delta":${delta}${this.tail}`;
  }
}

/** True if the characters fit into one chunk. */
export function fitsInChunk(characters: string): boolean {
  return characters.length <= PIECE_LENGTH;
}
