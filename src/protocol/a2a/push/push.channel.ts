import { Injectable } from '@nestjs/common';
import { type JsonObject, userReach } from '../../../common/index.js';
import {
  type ComposedDelivery,
  type Delivery,
  Outbox,
  type OutboxChannel,
  type RunHook,
  webhookId,
} from '../../../outbox/index.js';
import { RunChains } from '../../../run/index.js';
import type { Artifact, TaskUpdate } from '../a2a.types.js';
import { SHAPES } from '../shapes.js';
import { closingOf, type TaskReading, Tasks } from '../tasks.js';
import { PushAddresses } from './push-addresses.js';
import { CHANNEL, PushService } from './push.service.js';

/** The bodies of push notifications (contract a2a, section 10), made of the log when they are sent: the same on every attempt. */
@Injectable()
export class PushChannel implements OutboxChannel {
  readonly name = CHANNEL;

  constructor(
    private readonly chains: RunChains,
    private readonly tasks: Tasks,
    private readonly push: PushService,
    private readonly addresses: PushAddresses,
    outbox: Outbox,
  ) {
    outbox.register(this);
  }

  async compose(delivery: Delivery): Promise<ComposedDelivery | string> {
    const { hook, runId, seq } = delivery;
    const problem = this.addresses.problemOf(hook.url);
    if (problem !== undefined) return `The address ${problem}`;
    const body = await this.bodyOf(delivery);
    if (!body) return 'Nothing is to be told';
    const { token, authentication } = this.push.configOf(hook);
    const { scheme, credentials } = authentication ?? {};
    return {
      url: hook.url,
      body: JSON.stringify(body),
      contentType: hook.format === '0.3' ? 'application/json' : 'application/a2a+json',
      headers: {
        'a2a-version': hook.format,
        ...(scheme !== undefined && { authorization: credentials === undefined ? scheme : `${scheme} ${credentials}` }),
        ...(token !== undefined && { 'x-a2a-notification-token': token }),
      },
      id: webhookId([CHANNEL, hook.tenantId, hook.userId, hook.rootRunId, hook.id, runId, seq]),
      secrets: token === undefined ? [] : [token],
      isLoopbackAllowed: this.addresses.mayBeLocal(hook.url),
    };
  }

  /** A frame for clients of 1.0, the whole task for those of 0.3; undefined if the event tells them nothing. */
  private async bodyOf({ hook, runId, seq }: Delivery): Promise<JsonObject | undefined> {
    const chain = await this.chains.find(userReach(hook), hook.rootRunId);
    if (!chain) return undefined;
    const ids = this.tasks.idsOf(chain);
    if (seq < 0) {
      const closing = closingOf(chain);
      if (!closing || chain.last.runId !== runId) return undefined;
      if (hook.format === '0.3') return SHAPES['0.3'].task((await this.tasks.read(chain)).fold.task());
      return SHAPES['1.0'].updateFrame(ids, closing);
    }
    const reading = await this.tasks.read(chain, { untilEvent: { runId, seq } });
    if (reading.isRetained || reading.run.runId !== runId || reading.readTo !== seq) return undefined;
    const update = toldUpdate(reading, hook);
    if (!update) return undefined;
    return hook.format === '0.3' ? SHAPES['0.3'].task(reading.fold.task()) : SHAPES['1.0'].updateFrame(ids, update);
  }
}

/** A status, or an artifact that is complete: once, whole. */
function toldUpdate({ told, fold }: TaskReading, { format }: RunHook): TaskUpdate | undefined {
  const status = told.findLast(({ kind }) => kind === 'status');
  if (status || format === '0.3') return status;
  const last = told.findLast((update) => update.kind === 'artifact' && update.lastChunk);
  if (last?.kind !== 'artifact') return undefined;
  const { artifactId } = last.artifact;
  const artifact = fold.task().artifacts.find((one): one is Artifact => one.artifactId === artifactId);
  return artifact && { kind: 'artifact', artifact, append: false, lastChunk: true };
}
