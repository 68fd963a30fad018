import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type Origin, type Reach, userReach } from '../../common/index.js';
import type { AgentResponse, InterruptEvent, LoggedEvent, Message } from '../../events/index.js';
import { type ListedRun, type RunListing, RunListings, Runs, type RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { type ListPage, OpenAiError } from '../openai/index.js';
import { type OnDisconnect, RunStreams } from '../wire/index.js';
import { completionNotFound, FailedRunError, runError } from './chat-completions.errors.js';
import { ChatCompletionsWire } from './chat-completions.wire.js';
import { completionDataOf, completionInfo, WIRE } from './completion-info.js';
import { completionOf, type EventFacts } from './completion-object.js';
import type { Completion } from './completion.types.js';
import { openCalls } from './continuation.js';
import { type StoredMessage, storedMessages } from './stored-messages.js';

/** Which stored completions to list. */
export interface CompletionListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the last completion of the page before. */
  readonly after: string | undefined;
  readonly model: string | undefined;
  /** Completions with all of these pairs. */
  readonly metadata: RunListing['metadata'];
}

/**
 * Completions as JSON: the answer to a request without a stream, and those that requests have asked to store (contract
 * chat-completions, sections A1 and B4).
 */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly runs: Runs,
    private readonly listings: RunListings,
    private readonly streams: RunStreams,
    private readonly wire: ChatCompletionsWire,
    private readonly attachments: MessageAttachments,
  ) {}

  /**
   * Waits for the end of a run that was accepted.
   *
   * @throws FailedRunError for a run that failed or was canceled
   */
  async result(run: RunView, client: Pick<StreamClient, 'gone'>, onDisconnect: OnDisconnect): Promise<object> {
    const facts = new CollectedFacts();
    const onEvents = (events: readonly LoggedEvent[]): void => facts.take(events);
    const answer = await this.streams.result(run, client, {
      wire: this.wire,
      onDisconnect,
      onEvents,
      summary: (response) => {
        if (response.status === 'failed' || response.status === 'canceled')
          throw new FailedRunError(runError(response));
        return completionOf(completionInfo(run), response, facts);
      },
    });
    if (completionDataOf(run)?.isStored !== true) return answer;
    const listed = await this.listings.find(userReach(run), WIRE, run.runId);
    return listed ? { ...answer, metadata: listed.metadata } : answer;
  }

  /** A stored completion. @throws OpenAiError RUN_NOT_FOUND */
  async retrieve(reach: Reach, id: string): Promise<Completion> {
    return this.completion(await this.listed(reach, id), reach);
  }

  /** Replaces the metadata of a stored completion. @throws OpenAiError RUN_NOT_FOUND */
  async update(reach: Reach, id: string, metadata: RunListing['metadata']): Promise<Completion> {
    if (!(await this.listings.saveMetadata(reach, WIRE, id, metadata))) throw completionNotFound(id);
    return this.retrieve(reach, id);
  }

  /** Removes a stored completion with its run. @throws OpenAiError RUN_NOT_FOUND */
  async remove(reach: Reach, id: string, by: Origin): Promise<void> {
    await this.runs.remove(ownReach(reach, await this.listed(reach, id)), id, by);
  }

  /** A page of the stored completions. @throws AppError INVALID_PARAMETER for an unknown `after` */
  async list(reach: Reach, { limit, ...query }: CompletionListQuery): Promise<ListPage<Completion>> {
    const found = await this.listings.list(reach, { wire: WIRE, limit: limit + 1, ...query }).catch(unknownCursor);
    const data = await Promise.all(found.slice(0, limit).map((one) => this.completion(one, reach)));
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    };
  }

  /** The messages of the request of a stored completion, oldest first. @throws OpenAiError RUN_NOT_FOUND */
  async messages(reach: Reach, id: string): Promise<readonly StoredMessage[]> {
    const own = ownReach(reach, await this.listed(reach, id));
    const [run, input] = await Promise.all([this.runs.view(own, id), this.runs.input(own, id)]);
    return storedMessages(id, completionDataOf(run)?.instructions ?? [], this.attachments.shown(input, run));
  }

  private async listed(reach: Reach, id: string): Promise<ListedRun> {
    const listed = await this.listings.find(reach, WIRE, id);
    if (!listed) throw completionNotFound(id);
    return listed;
  }

  private async completion(listed: ListedRun, reach: Reach): Promise<Completion> {
    const own = ownReach(reach, listed);
    const [run, response] = await Promise.all([
      this.runs.view(own, listed.runId),
      this.runs.response(own, listed.runId),
    ]);
    const isInEvents = run.state === 'interrupted' || (response.output ?? []).some(isOfSubagent);
    const facts = isInEvents ? await this.factsOf(run, response) : {};
    return { ...completionOf(completionInfo(run), response, facts), metadata: listed.metadata };
  }

  /** What the events of a run say. Once they are removed, only the calls of the client are known. */
  private async factsOf(run: RunView, response: AgentResponse): Promise<EventFacts> {
    const facts = new CollectedFacts();
    try {
      for await (const events of this.runs.tail(userReach(run), run.runId)) facts.take(events);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      return run.state === 'interrupted' ? { interrupt: { call_ids: openCalls(response), items: [] } } : {};
    }
    return facts;
  }
}

function ownReach({ tenantId }: Reach, { userId }: ListedRun): Reach {
  return userReach({ tenantId, userId });
}

/** Collects what only the events of a run say. */
class CollectedFacts implements EventFacts {
  interrupt: InterruptEvent | undefined;
  readonly subagents = new Map<string, string>();

  take(events: readonly LoggedEvent[]): void {
    for (const logged of events) {
      // The others are not parsed.
      if (logged.kind !== 'interrupt' && logged.kind !== 'subagent') continue;
      const { event } = logged;
      if (event.object === 'interrupt') this.interrupt = event;
      else if (event.object === 'subagent' && event.status === 'started') this.subagents.set(event.id, event.name);
    }
  }
}

function isOfSubagent({ metadata }: Message): boolean {
  return metadata?.['subagent_id'] !== undefined;
}

function unknownCursor(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'INVALID_PARAMETER') throw error;
  throw new OpenAiError('INVALID_PARAMETER', error.message, 'after');
}
