import { Injectable } from '@nestjs/common';
import { AgentRegistry, ModelSettings } from '../../agent/index.js';
import { ImageAddressCheck, MessageAttachments } from '../../attachment/index.js';
import { AppError, type Authority, mayRunAgent, mayUseModel } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { RunSettings } from '../run.settings.js';
import type { RunRequest } from '../run.types.js';
import { checkRequestSize } from './request-size.js';

/**
 * Checks a request before anything is written: what it asks for against an authority (contract access, section 5.3), and
 * how large its parts are.
 */
@Injectable()
export class AuthorityCheck {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly model: ModelSettings,
    private readonly images: ImageAddressCheck,
    private readonly settings: RunSettings,
    private readonly attachments: MessageAttachments,
  ) {}

  /** @throws AppError PAYLOAD_TOO_LARGE for a part of more than REQUEST_FIELD_LIMIT_BYTES */
  sizeOf(request: RunRequest): void {
    checkRequestSize(request, this.settings.fieldLimitBytes);
  }

  /**
   * @param authority null without authentication: every agent
   * @throws AppError AGENT_NOT_FOUND for an agent that does not exist or that the authority does not reach
   */
  agent(name: string, authority: Authority | null): void {
    const { exposure } = this.agents.get(name);
    if (!authority || mayRunAgent(authority, name, exposure === 'internal')) return;
    throw new AppError('AGENT_NOT_FOUND', 'Agent type not found');
  }

  /**
   * @param authority null without authentication: every model
   * @throws AppError PERMISSION_DENIED naming the field
   */
  modelOf({ modelOptions: { model } }: RunRequest, authority: Authority | null): void {
    if (!authority || model === undefined || mayUseModel(authority, model, this.model.server.model)) return;
    const message = 'model names a model that the caller may not use';
    throw new AppError('PERMISSION_DENIED', message, { details: [{ path: 'model', message }] });
  }

  /**
   * Checks the addresses of images and files in messages (contract access, section 10, rule 1).
   *
   * @throws AppError INVALID_PARAMETER naming the field of an address that is not allowed
   */
  addressesOf({ input, requester, messagesField: field = 'input' }: RunRequest): void {
    this.images.check(input, { field, isAuthenticated: requester !== null });
  }

  /** The messages of a request as its session keeps them: with references to attachments. */
  async attachmentsOf({
    input,
    principal,
    requester,
  }: RunRequest): Promise<{ readonly input: readonly Message[]; readonly granted: ReadonlySet<string> }> {
    const sender = { owner: principal, isAuthenticated: requester !== null };
    const { messages, granted } = await this.attachments.located(input, sender);
    return { input: messages, granted };
  }
}
