import { Injectable } from '@nestjs/common';
import { AttachmentService } from '../../../agent/attachment/index.js';
import type { RegisteredAgent } from '../../../agent/index.js';
import {
  AppError,
  fingerprint,
  isPlainObject,
  type JsonObject,
  matchesGlob,
  type Principal,
} from '../../../common/index.js';
import { type ContentInput, type Message, messageOf } from '../../../events/index.js';
import { SchemaValidator } from '../../../agent/tools/index.js';
import { fieldError, fieldReaderAt } from '../../http/index.js';
import { LONGEST_MESSAGE, MOST_ATTACHMENTS } from './schemas.js';

/** Characters of a `data:` URL at most: 1 MiB of bytes. */
const LONGEST_DATA_URL = Math.ceil((1024 * 1024 * 4) / 3) + 200;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/]+={0,2})$/;

/** The arguments of a call of an agent. */
export interface AskArguments {
  readonly sessionId: string | undefined;
  /** The message, or the arguments of a tool with a schema of its own. */
  readonly content: { readonly text: string; readonly attachments: readonly string[] } | { readonly data: JsonObject };
}

/** Reads the arguments of agents' tools, and makes messages of them (contract mcp-server, section 5). */
@Injectable()
export class CallArguments {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly validator: SchemaValidator,
  ) {}

  /** @throws AppError naming the first argument that is not valid */
  read({ mcpTool }: RegisteredAgent, args: unknown): AskArguments {
    if (mcpTool?.parameters) {
      if (!isPlainObject(args)) throw fieldError('arguments', 'must be an object');
      const violation = this.validator.violation(mcpTool.parameters, args);
      if (violation) throw new AppError('INVALID_PARAMETER', `The arguments are not valid: ${violation}`);
      return { sessionId: undefined, content: { data: args as JsonObject } };
    }
    const fields = fieldReaderAt(args, 'arguments');
    const unknown = Object.keys(fields.source).find((name) => !['message', 'session_id', 'attachments'].includes(name));
    if (unknown !== undefined) throw fieldError(fields.at(unknown.slice(0, 100)), 'is not known', 'INVALID_PARAMETER');
    const text = fields.string('message', { min: 1, max: LONGEST_MESSAGE });
    if (text === undefined) throw fieldError('arguments.message', 'is required', 'MISSING_PARAMETER');
    const attachments = (fields.list('attachments', MOST_ATTACHMENTS) ?? []).map(addressAt);
    return { sessionId: fields.string('session_id', { min: 1, max: 256 }), content: { text, attachments } };
  }

  /** The message for the agent. Images of `data:` URLs are stored. @throws AppError for what the agent does not take */
  async message(
    { content }: AskArguments,
    agent: RegisteredAgent,
    principal: Principal,
    key: string,
  ): Promise<Message> {
    const id = `msg_${fingerprint(['mcp', key]).slice(0, 32)}`;
    if ('data' in content) return messageOf({ id, role: 'user' }, [{ type: 'data', data: content.data }]);
    const media: ContentInput[] = [];
    for (const [index, url] of content.attachments.entries()) {
      media.push(await this.attachment(url, `arguments.attachments[${index}]`, agent, principal));
    }
    return messageOf({ id, role: 'user' }, [{ type: 'text', text: content.text }, ...media]);
  }

  private async attachment(
    url: string,
    path: string,
    agent: RegisteredAgent,
    principal: Principal,
  ): Promise<ContentInput> {
    if (!url.startsWith('data:')) return { type: 'image', image_url: url };
    const [, mimeType = '', base64 = ''] = DATA_URL.exec(url) ?? [];
    if (mimeType === '')
      throw fieldError(path, 'must be a data: URL in base64 with its media type', 'INVALID_PARAMETER');
    if (mimeType.startsWith('image/')) {
      const file = { bytes: Buffer.from(base64, 'base64'), filename: 'image', declaredType: mimeType };
      const { attachment } = await this.attachments.upload(principal, file);
      const reference = await this.attachments.referenceTo(principal, attachment.id);
      if (reference === undefined) throw new AppError('ATTACHMENT_STORE_ERROR');
      return { type: 'image', image_url: reference };
    }
    const isTaken = agent.inputModes.some((mode) => matchesGlob(mode.toLowerCase(), mimeType, { question: false }));
    if (!isTaken)
      throw fieldError(path, `is of the type ${mimeType}, which the agent does not take`, 'INVALID_PARAMETER');
    return { type: 'file', file_data: url, filename: null, file_url: null, file_id: null };
  }
}

function addressAt(value: unknown, index: number): string {
  const path = `arguments.attachments[${index}]`;
  if (typeof value !== 'string' || value === '') throw fieldError(path, 'must be an address');
  const longest = value.startsWith('data:') ? LONGEST_DATA_URL : 4096;
  if (value.length > longest) throw fieldError(path, 'is too long', 'INVALID_PARAMETER');
  return value;
}
