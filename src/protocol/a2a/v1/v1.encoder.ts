import type { JsonObject } from '../../../common/index.js';
import type {
  A2aMessage,
  Artifact,
  ListRequest,
  Part,
  PushConfig,
  Task,
  TaskIds,
  TaskState,
  TaskStatus,
  TaskUpdate,
} from '../a2a.types.js';

/** The names of the states in the proto. */
export const STATE_NAMES = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
} as const satisfies Record<TaskState, string>;

/**
 * The shapes of A2A 1.0 (contract a2a, section 4): an absent field is left out, never null, and there is no field that the
 * proto lacks.
 */
export const V1 = {
  task: ({ taskId, contextId, status, artifacts, history, metadata }: Task): JsonObject => ({
    id: taskId,
    contextId,
    status: statusJson(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(artifactJson) }),
    ...(history.length > 0 && { history: history.map(messageJson) }),
    metadata,
  }),

  /** The first frame of a stream, and the result of sending. */
  taskFrame: (task: Task): JsonObject => ({ task: V1.task(task) }),

  messageFrame: (message: A2aMessage): JsonObject => ({ message: messageJson(message) }),

  updateFrame: ({ taskId, contextId }: TaskIds, update: TaskUpdate): JsonObject => {
    const { metadata } = update;
    if (update.kind === 'status') {
      return { statusUpdate: { taskId, contextId, status: statusJson(update.status), ...(metadata && { metadata }) } };
    }
    const { artifact, append, lastChunk } = update;
    return {
      artifactUpdate: {
        taskId,
        contextId,
        artifact: artifactJson(artifact),
        ...(append && { append }),
        ...(lastChunk && { lastChunk }),
        ...(metadata && { metadata }),
      },
    };
  },

  pushConfig: ({ taskId, id, url, token, authentication }: PushConfig): JsonObject => ({
    taskId,
    id,
    url,
    ...(token !== undefined && { token }),
    ...(authentication && { authentication }),
  }),
};

/** A page of tasks: all four keys always, and the artifacts of each task only if they are asked for, then always. */
export function taskPageJson(
  page: { readonly tasks: readonly Task[]; readonly nextPageToken: string; readonly totalSize: number },
  { pageSize, includeArtifacts }: ListRequest,
): JsonObject {
  const tasks = page.tasks.map((task) => {
    const json = V1.task(task);
    return includeArtifacts ? { ...json, artifacts: json['artifacts'] ?? [] } : json;
  });
  return { tasks, nextPageToken: page.nextPageToken, pageSize, totalSize: page.totalSize };
}

function statusJson({ state, at, message }: TaskStatus): JsonObject {
  return {
    state: STATE_NAMES[state],
    ...(message && { message: messageJson(message) }),
    timestamp: new Date(at).toISOString(),
  };
}

function messageJson(message: A2aMessage): JsonObject {
  const { messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds } = message;
  return {
    messageId,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: parts.map(partJson),
    ...(metadata && { metadata }),
    ...(extensions && extensions.length > 0 && { extensions: [...extensions] }),
    ...(referenceTaskIds && referenceTaskIds.length > 0 && { referenceTaskIds: [...referenceTaskIds] }),
  };
}

function artifactJson({ artifactId, name, parts, metadata }: Artifact): JsonObject {
  return {
    artifactId,
    ...(name !== undefined && { name }),
    parts: parts.map(partJson),
    ...(metadata && { metadata }),
  };
}

function partJson(part: Part): JsonObject {
  return { ...part };
}
