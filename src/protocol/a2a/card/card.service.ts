import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/index.js';
import { AgentRegistry, type RegisteredAgent } from '../../../agent/index.js';
import { PublicAddress } from '../../../agent/attachment/index.js';
import { AppError, type JsonObject, matchesGlob } from '../../../common/index.js';
import type { StreamClient } from '../../http/index.js';
import { A2aError } from '../a2a.errors.js';
import { A2aSettings } from '../a2a.settings.js';
import type { Version } from '../a2a.types.js';
import { PushService } from '../push/push.service.js';
import { agentCard, type CardAccess, hybridCard } from './agent-card.js';
import { CardCallers } from './card-callers.js';
import { cardSignature } from './card-keys.js';

/** A card as it is sent. */
export interface SentCard {
  readonly json: string;
  readonly etag: string;
  /** Whether everybody may see it; otherwise caches must not share it. */
  readonly isPublic: boolean;
}

/** The part of the path that the JSON-RPC interfaces of all agents are at. */
const BASE = '/a2a';

/** The agent cards (contract a2a, section 2). Each is made and signed once. */
@Injectable()
export class CardService {
  private readonly made = new Map<string, SentCard>();
  /** The pure cards, whose signature the others share. */
  private readonly pureCards = new Map<string, JsonObject>();
  constructor(
    private readonly settings: A2aSettings,
    private readonly agents: AgentRegistry,
    private readonly address: PublicAddress,
    private readonly push: PushService,
    private readonly callers: CardCallers,
  ) {}

  private get access(): CardAccess | undefined {
    return this.callers.access;
  }

  /**
   * The card of an agent.
   *
   * @param agentType undefined: the default one
   * @param caller undefined: nobody known
   * @throws AppError AGENT_NOT_FOUND, also for an agent whose card the caller may not see
   */
  card(agentType: string | undefined, isPure: boolean, caller: Caller | undefined, client: StreamClient): SentCard {
    const agent = this.visible(agentType, caller);
    const origin = this.originFor(client);
    const url = `${origin}${BASE}${agentType === undefined ? '' : `/agents/${encodeURIComponent(agentType)}`}`;
    const key = JSON.stringify([agent.name, url, isPure]);
    const known = this.made.get(key);
    if (known) return known;
    const pureKey = JSON.stringify([agent.name, url]);
    const signed = this.pureCards.get(pureKey) ?? this.signed(this.pure(agent, url), origin);
    this.pureCards.set(pureKey, signed);
    const card = isPure || !this.settings.serves('0.3') ? signed : hybridCard(signed, url);
    const json = JSON.stringify(card);
    const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 32)}"`;
    const sent = { json, etag, isPublic: agentType === undefined || this.isPublic(agent.name) };
    // Hosts are those of the configuration, so that these are few.
    this.made.set(key, sent);
    return sent;
  }

  /** The card of the caller: its agents' skills in full. @throws A2aError if there is no authentication */
  async extended(
    version: Version,
    agentType: string | undefined,
    caller: Caller,
    client: StreamClient,
  ): Promise<JsonObject> {
    if (!this.access) {
      const reason = version === '1.0' ? 'UNSUPPORTED_OPERATION' : 'EXTENDED_AGENT_CARD_NOT_CONFIGURED';
      throw new A2aError(reason, 'There is no extended agent card: the server has no authentication');
    }
    const agent = this.visible(agentType, caller);
    const agents =
      agentType === undefined
        ? [agent, ...this.agents.listFor(caller.authority).filter((one) => one !== agent)]
        : [agent];
    const origin = this.originFor(client);
    const url = `${origin}${BASE}${agentType === undefined ? '' : `/agents/${encodeURIComponent(agentType)}`}`;
    const card = this.signed(this.pure({ ...agent, skills: agents.flatMap(({ skills }) => skills) }, url), origin);
    client.reply.header('cache-control', 'no-store');
    return Promise.resolve(version === '1.0' ? card : hybridCard(card, url));
  }

  /** The agents whose cards the caller may see. */
  list(caller: Caller | undefined, client: StreamClient): readonly JsonObject[] {
    const origin = this.originFor(client);
    return this.agents
      .list()
      .filter(({ exposure, name }) => exposure === 'public' && this.isVisible(name, caller))
      .map(({ name, description }) => {
        const cardUrl = `${origin}${BASE}/agents/${encodeURIComponent(name)}/.well-known/agent-card.json`;
        return { name, description, cardUrl };
      });
  }

  /** The public keys of signatures. */
  get jwks(): { readonly keys: readonly JsonObject[] } {
    return { keys: this.settings.keys.map(({ publicJwk }) => publicJwk) };
  }

  private pure(agent: RegisteredAgent, url: string): JsonObject {
    const { versions, card: overlay = {} } = this.settings;
    return agentCard({ agent, url, versions, access: this.access, hasPush: this.push.isOn, overlay });
  }

  private signed(card: JsonObject, origin: string): JsonObject {
    const [key] = this.settings.keys;
    return key ? { ...card, signatures: [cardSignature(card, key, `${origin}${BASE}/jwks.json`)] } : card;
  }

  private visible(agentType: string | undefined, caller: Caller | undefined): RegisteredAgent {
    const name = agentType ?? this.agents.defaultName;
    const agent = this.agents.list().find((one) => one.name === name);
    const isOffered =
      agent && (agentType === undefined || (agent.exposure === 'public' && this.isVisible(name, caller)));
    if (!isOffered) throw new AppError('AGENT_NOT_FOUND', 'There is no such agent');
    return agent;
  }

  /** The default agent's card is everybody's, those of others as the settings say, or of whoever may run the agent. */
  private isVisible(name: string, caller: Caller | undefined): boolean {
    return this.isPublic(name) || (caller !== undefined && this.agents.isKnownTo(caller.authority, name));
  }

  private isPublic(name: string): boolean {
    const { publicCards = this.access ? [] : ['*'] } = this.settings;
    return (
      name === this.agents.defaultName || publicCards.some((pattern) => matchesGlob(pattern, name, { question: false }))
    );
  }

  /** The configured address whose host the request names, else the first. */
  private originFor({ request }: StreamClient): string {
    const { bases } = this.address;
    const host = request.headers.host?.toLowerCase();
    return bases.find((base) => new URL(base).host === host) ?? this.address.base;
  }
}
