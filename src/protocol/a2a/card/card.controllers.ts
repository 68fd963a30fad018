import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { callerOf, OptionalCaller, Public } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import { type StreamClient, StreamFor } from '../../http/index.js';
import { WireController } from '../../wire/index.js';
import { A2aWire } from '../a2a.wire.js';
import { ApiAgents, ApiCard, ApiJwks, TAG } from '../api-docs.js';
import { CardService, type SentCard } from './card.service.js';

/** Seconds for which a card may be kept. */
const MAX_AGE = 300;
/** When this process began: cards change with it at most. */
const STARTED = new Date().toUTCString();

/** The agent cards (contract a2a, section 2). */
@ApiTags(TAG)
@OptionalCaller()
@Controller()
export class AgentCardController {
  constructor(private readonly cards: CardService) {}

  @Get('.well-known/agent-card.json')
  @ApiCard()
  rootCard(@StreamFor() client: StreamClient): string | undefined {
    return this.answer(undefined, client);
  }

  /** The name that older clients use: always with the fields of 0.3. */
  @Get('.well-known/agent.json')
  @ApiCard()
  oldCard(@StreamFor() client: StreamClient): string | undefined {
    return this.answer(undefined, client, '0.3');
  }

  @Get('a2a/.well-known/agent-card.json')
  @ApiCard()
  baseCard(@StreamFor() client: StreamClient): string | undefined {
    return this.answer(undefined, client);
  }

  @Get('a2a/agents/:agent/.well-known/agent-card.json')
  @ApiCard()
  agentCard(@Param('agent') agent: string, @StreamFor() client: StreamClient): string | undefined {
    return this.answer(agent, client);
  }

  /** Clients resolve the address of an agent without a closing slash to this. */
  @Get('a2a/agents/.well-known/agent-card.json')
  @ApiCard()
  noCard(): never {
    throw new AppError(
      'RESOURCE_NOT_FOUND',
      'No agent is named: end the address of the agent with a slash, as in /a2a/agents/NAME/',
    );
  }

  private answer(agent: string | undefined, client: StreamClient, fixed?: string): string | undefined {
    const { request } = client;
    const version = fixed ?? request.headers['a2a-version']?.toString() ?? '';
    const isPure = /^1\.0(\.\d+)?$/.test(version);
    return sent(this.cards.card(agent, isPure, callerOf(request), client), client);
  }
}

/** Lists of agents, and the keys of signatures. */
@ApiTags(TAG)
@WireController(A2aWire, 'a2a')
export class A2aAgentsController {
  constructor(private readonly cards: CardService) {}

  @Get('agents')
  @OptionalCaller()
  @ApiAgents()
  agents(@StreamFor() client: StreamClient) {
    return { agents: this.cards.list(callerOf(client.request), client) };
  }

  @Get('jwks.json')
  @Public()
  @ApiJwks()
  jwks() {
    return this.cards.jwks;
  }
}

/** The card with what caches need; nothing if the client has it. */
function sent(
  { json, etag, isPublic }: SentCard,
  { request, reply }: Pick<StreamClient, 'request' | 'reply'>,
): string | undefined {
  reply.headers({
    etag,
    'last-modified': STARTED,
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=${MAX_AGE}`,
    vary: isPublic ? 'A2A-Version, Host' : 'A2A-Version, Host, Authorization, X-API-Key',
    'content-type': 'application/json; charset=utf-8',
  });
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known?.some((one) => one === etag || one === '*') !== true) return json;
  reply.status(304);
  return undefined;
}
