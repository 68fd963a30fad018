import type { Message } from '../../../events/index.js';
import type { Runs } from '../../../run/index.js';
import { ResponsesFold } from '../encoder/response-fold.js';
import { preparedEvents } from '../encoder/prepared-events.js';
import type { Remembered, ResponseContext } from '../response-context.js';
import type { ResponseCreation, StartedResponse } from '../response-creation.js';
import type { ResponseReader } from '../response.reader.js';
import { SocketMemory } from './socket-memory.js';
import type { SocketMessage } from './socket-message.js';

/** What the answers of a connection are made with. */
export interface SocketServices {
  readonly creation: ResponseCreation;
  readonly reader: ResponseReader;
  readonly context: ResponseContext;
  readonly runs: Runs;
}

/** Makes the responses of one connection, one after the other. */
export class SocketTurn {
  private readonly memory = new SocketMemory();
  private isReleased = false;

  constructor(private readonly services: SocketServices) {}

  /** From now on a run is not cancelled when its connection closes. */
  release(): void {
    this.isReleased = true;
  }

  /**
   * Makes a response and sends its events.
   *
   * @throws AppError when there is no response: then the connection no longer knows what it was to go on from
   */
  async run(body: SocketMessage, gone: AbortSignal, send: (json: string) => Promise<void>): Promise<void> {
    const { creation } = this.services;
    const remembered = (id: string): readonly Message[] | undefined => this.memory.find(id);
    try {
      if (body['generate'] === false) return await this.prepare(body, remembered, send);
      const started = await creation.create(body, { remembered });
      return await this.tell(started, await this.before(started), gone, send);
    } catch (error) {
      const previous = body['previous_response_id'];
      if (typeof previous === 'string') this.memory.forget(previous);
      throw error;
    }
  }

  /** A response without output, to go on from with less input: clients prepare so while a person still writes. */
  private async prepare(
    body: SocketMessage,
    remembered: Remembered,
    send: (json: string) => Promise<void>,
  ): Promise<void> {
    const { info, messages } = await this.services.context.prepare(body, remembered);
    for (const { json } of preparedEvents(info)) await send(json);
    this.memory.remember(info.id, messages);
  }

  private async tell(
    started: StartedResponse,
    before: readonly Message[],
    gone: AbortSignal,
    send: (json: string) => Promise<void>,
  ): Promise<void> {
    const { principal, runId, info, input, store } = started;
    const fold = new ResponsesFold(info);
    for await (const events of this.services.runs.tail(principal, runId, { signal: gone, accepted: true })) {
      for (const event of events) for (const { json } of fold.next(event)) await send(json);
    }
    if (fold.ended && !store) this.memory.remember(runId, [...before, ...input, ...(fold.ended.output ?? [])]);
    if (!fold.ended && gone.aborted && !this.isReleased) this.services.reader.left(started);
  }

  /** Of a response that is stored nowhere, what it goes on from must be remembered here too. */
  private async before({ info, store, isRemembered }: StartedResponse): Promise<readonly Message[]> {
    if (store || isRemembered) return [];
    const { previous_response_id: previous, conversation, user, safety_identifier: safetyIdentifier } = info.echo;
    return this.services.context.before({
      previousResponseId: previous ?? undefined,
      conversationId: conversation?.id,
      user: user ?? safetyIdentifier ?? undefined,
    });
  }
}
