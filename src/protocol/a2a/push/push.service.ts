import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/index.js';
import { IdFactory } from '../../../common/index.js';
import { OutboxStore, type RunHook, SealedSecrets } from '../../../outbox/index.js';
import type { RunView } from '../../../run/index.js';
import { A2aError } from '../a2a.errors.js';
import type { PushConfig, PushConfigInput, SendRequest, Version } from '../a2a.types.js';
import { Tasks } from '../tasks.js';
import { PushAddresses } from './push-addresses.js';

/** The channel of the outbox. */
export const CHANNEL = 'a2a';
/** Configurations of one task. */
const MOST = 10;

/** What is sealed of a configuration. */
interface Secrets {
  readonly token?: string;
  readonly authentication?: PushConfig['authentication'];
}

/** Where clients are called back (contract a2a, section 10). */
@Injectable()
export class PushService {
  constructor(
    private readonly store: OutboxStore,
    private readonly tasks: Tasks,
    private readonly addresses: PushAddresses,
    private readonly sealed: SealedSecrets,
    private readonly ids: IdFactory,
  ) {}

  /** Whether clients may be called back. */
  get isOn(): boolean {
    return this.addresses.areOn;
  }

  /** Reads a request that needs callbacks. @throws A2aError PUSH_NOTIFICATION_NOT_SUPPORTED */
  on<T>(read: () => T): T {
    if (!this.isOn) throw notSupported();
    return read();
  }

  /**
   * What is to be done once the run of a request is accepted; undefined if the request asks for no callback.
   *
   * @throws A2aError PUSH_NOTIFICATION_NOT_SUPPORTED; AppError for an address that must not be called
   */
  async ofRequest(
    { pushConfig }: SendRequest,
    version: Version,
  ): Promise<((run: RunView) => Promise<void>) | undefined> {
    if (!pushConfig) return undefined;
    if (!this.isOn) throw notSupported();
    await this.addresses.assertCallable(pushConfig.url);
    return async (run) => {
      await this.put({ ...run, runId: run.rootRunId }, pushConfig, version, true);
    };
  }

  /** Adds a callback to a task, also to one that is over, or replaces the one with its id. */
  async create(
    taskId: string,
    config: PushConfigInput,
    version: Version,
    agentType: string | undefined,
    caller: Caller,
  ): Promise<PushConfig> {
    await this.addresses.assertCallable(config.url);
    const { root } = await this.tasks.find(caller.reach, taskId, agentType);
    return this.put(root, config, version, false);
  }

  /** @param id undefined: the first one. @throws A2aError TASK_NOT_FOUND, also for an unknown configuration */
  async get(
    taskId: string,
    id: string | undefined,
    agentType: string | undefined,
    caller: Caller,
  ): Promise<PushConfig> {
    const hooks = await this.hooksOf(taskId, agentType, caller);
    const hook = id === undefined ? hooks[0] : hooks.find((one) => one.id === id);
    if (!hook) throw new A2aError('TASK_NOT_FOUND', 'The task has no such push notification config', { taskId });
    return this.configOf(hook);
  }

  /** The callbacks of a task, oldest first. */
  async list(taskId: string, agentType: string | undefined, caller: Caller): Promise<readonly PushConfig[]> {
    return (await this.hooksOf(taskId, agentType, caller)).map((hook) => this.configOf(hook));
  }

  /** Removes a callback of a task; one that is not there is removed already. @param id undefined: the first one */
  async remove(taskId: string, id: string | undefined, agentType: string | undefined, caller: Caller): Promise<void> {
    const hooks = await this.hooksOf(taskId, agentType, caller);
    const hook = id === undefined ? hooks[0] : hooks.find((one) => one.id === id);
    if (hook) await this.store.removeHook(hook.rowId);
  }

  /** A hook as a configuration, with its secrets. */
  configOf(hook: RunHook): PushConfig {
    const { id, rootRunId: taskId, url } = hook;
    const text = this.sealed.open(hook.secrets, aboutOf(hook));
    const { token, authentication } = text === undefined ? ({} as Secrets) : (JSON.parse(text) as Secrets);
    return { id, taskId, url, ...(token !== undefined && { token }), ...(authentication && { authentication }) };
  }

  private async put(
    root: Pick<RunView, 'tenantId' | 'userId' | 'runId'>,
    { id = this.ids.uuid(), url, token, authentication }: PushConfigInput,
    version: Version,
    fromStart: boolean,
  ): Promise<PushConfig> {
    const secrets: Secrets = { ...(token !== undefined && { token }), ...(authentication && { authentication }) };
    const about = aboutOf({ tenantId: root.tenantId, userId: root.userId, rootRunId: root.runId, id });
    const sealed = this.sealed.seal(JSON.stringify(secrets), about);
    const hook = { channel: CHANNEL, id, format: version, url, secrets: sealed };
    const isStored = await this.store.putHook(root, hook, { most: MOST, fromStart });
    if (!isStored) throw new A2aError('INVALID_PARAMS', `A task has at most ${MOST} push notification configs`);
    return { id, taskId: root.runId, url, ...secrets };
  }

  private async hooksOf(taskId: string, agentType: string | undefined, caller: Caller): Promise<readonly RunHook[]> {
    const { root } = await this.tasks.find(caller.reach, taskId, agentType);
    return this.store.hooks({ tenantId: root.tenantId, of: 'user', userId: root.userId }, taskId, CHANNEL);
  }
}

function notSupported(): A2aError {
  return new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This server sends no push notifications');
}

function aboutOf({
  tenantId,
  userId,
  rootRunId,
  id,
}: Pick<RunHook, 'tenantId' | 'userId' | 'rootRunId' | 'id'>): string {
  return JSON.stringify([CHANNEL, tenantId, userId, rootRunId, id]);
}
