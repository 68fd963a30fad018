import { Injectable } from '@nestjs/common';
import type { AgentResponse } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/index.js';
import { OPENAI_PREFIXES } from '../openai/index.js';
import { type FailedRequest, type OnDisconnect, Wire } from '../wire/index.js';
import { errorBody, UNVERSIONED } from './chat-completions.errors.js';
import { ChatCompletionsSettings } from './chat-completions.settings.js';
import { completionInfo, WIRE } from './completion-info.js';
import { completionOf } from './completion-object.js';
import { CompletionEncoder } from './completion.encoder.js';
import type { Completion } from './completion.types.js';

/** OpenAI Chat Completions. */
@Injectable()
export class ChatCompletionsWire extends Wire {
  readonly name = WIRE;
  /** Front ends are often given the address without its version: they get an error that names the right one. */
  override readonly paths = [...OPENAI_PREFIXES.map((prefix) => `/${prefix}/chat`), `${UNVERSIONED}/completions`];
  override readonly onDisconnect: OnDisconnect;

  constructor({ onDisconnect }: ChatCompletionsSettings) {
    super();
    this.onDisconnect = onDisconnect;
  }

  override encoder(run: RunView): CompletionEncoder {
    return new CompletionEncoder(completionInfo(run));
  }

  override errorBody(error: HttpError, { path }: FailedRequest): object {
    return errorBody(error, path);
  }

  override summary(run: RunView, response: AgentResponse): Completion {
    return completionOf(completionInfo(run), response);
  }
}
