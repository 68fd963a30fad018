import { Injectable } from '@nestjs/common';
import { AgentRegistry, AgentShapes } from '../../agent/index.js';
import { ImageAddressCheck, MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type Authority, mayRunAgent, mayUseModel } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { mayList } from '../../agent/tools/index.js';
import { RunSettings } from '../run.settings.js';
import type { RunRequest } from '../run.types.js';

/**
 * Checks a request before anything is written: what it asks for against an authority (contract access, section 5.3), and
 * how large its parts are.
 */
@Injectable()
export class AuthorityCheck {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly shapes: AgentShapes,
    private readonly images: ImageAddressCheck,
    private readonly settings: RunSettings,
    private readonly attachments: MessageAttachments,
  ) {}

  /** @throws AppError PAYLOAD_TOO_LARGE for a part of more than REQUEST_FIELD_LIMIT_BYTES */
  sizeOf(request: RunRequest): void {
    checkSize(request, this.settings.fieldLimitBytes);
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
   * @param agentType the agent that is to use the model
   * @throws AppError PERMISSION_DENIED naming the field
   */
  modelOf({ modelOptions: { model }, requester }: RunRequest, agentType: string): void {
    if (model === undefined) return;
    const mayCaller = !requester || this.shapes.namesOf(agentType).some((own) => mayUseModel(requester, model, own));
    if (mayCaller && this.shapes.mayName(agentType, model)) return;
    const message = `model names a model that the ${mayCaller ? 'agent' : 'caller'} may not use`;
    throw new AppError('PERMISSION_DENIED', message, { details: [{ path: 'model', message }] });
  }

  /**
   * A choice of a tool that the agent does not have, and the client neither.
   *
   * @throws AppError INVALID_PARAMETER naming the field
   */
  toolChoiceOf({ modelOptions: { toolChoice }, clientTools, agentType }: RunRequest): void {
    if (typeof toolChoice !== 'object' || clientTools.some(({ name }) => name === toolChoice.name)) return;
    const { tools: list } = this.agents.shapeOf(agentType);
    if (!list || mayList(toolChoice.name, list)) return;
    const message = `tool_choice names ${toolChoice.name}, which is not among the tools`;
    throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'tool_choice', message }] });
  }

  /**
   * Checks the addresses of media in messages (contract access, section 10, rule 1).
   *
   * @throws AppError INVALID_PARAMETER naming the field of an address that is not allowed
   */
  addressesOf({ input, requester, messagesField: field = 'input', addressPaths: paths }: RunRequest): void {
    this.images.check(input, { field, paths, isAuthenticated: requester !== null });
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

/**
 * Checks the free-form parts of a request, each by itself: the shared state, the forwarded properties, the schemas of
 * client tools and of the answer. They are copied, compared, stored and shown many times.
 *
 * @param limit bytes of each part as JSON
 * @throws AppError PAYLOAD_TOO_LARGE naming the first part that is larger
 */
function checkSize(request: RunRequest, limit: number): void {
  checkPart('The shared state', request.state, limit);
  checkPart('The forwarded properties', request.forwardedProps, limit);
  for (const { name, parameters } of request.clientTools)
    checkPart(`The schema of the tool ${name}`, parameters, limit);
  const { responseFormat } = request.modelOptions;
  if (responseFormat?.type === 'json_schema') checkPart('The schema of the answer', responseFormat.schema, limit);
}

function checkPart(what: string, part: object | undefined, limit: number): void {
  if (part === undefined || Object.keys(part).length === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(part));
  if (bytes <= limit) return;
  throw new AppError('PAYLOAD_TOO_LARGE', `${what} must not have more than ${limit} bytes of JSON, but has ${bytes}`);
}
