import { isPlainObject, type JsonObject } from '../../../common/index.js';
import {
  type A2aMessage,
  type Artifact,
  isTerminal,
  type Part,
  type PushConfig,
  type Task,
  type TaskIds,
  type TaskStatus,
  type TaskUpdate,
} from '../a2a.types.js';

/** The shapes of A2A 0.3 (contract a2a, section 3.2). */
export const V03 = {
  task: ({ taskId, contextId, status, artifacts, history, metadata }: Task): JsonObject => ({
    kind: 'task',
    id: taskId,
    contextId,
    status: statusJson(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(artifactJson) }),
    ...(history.length > 0 && { history: history.map(messageJson) }),
    metadata,
  }),

  /** The first frame of a stream, and the result of sending: the bare object. */
  taskFrame: (task: Task): JsonObject => V03.task(task),

  messageFrame: (message: A2aMessage): JsonObject => messageJson(message),

  updateFrame: ({ taskId, contextId }: TaskIds, update: TaskUpdate): JsonObject => {
    const { metadata } = update;
    if (update.kind === 'status') {
      const { state } = update.status;
      return {
        kind: 'status-update',
        taskId,
        contextId,
        status: statusJson(update.status),
        // True on the last frame of a stream, which is also the one that asks.
        final: isTerminal(state) || state === 'input-required',
        ...(metadata && { metadata }),
      };
    }
    const { artifact, append, lastChunk } = update;
    return {
      kind: 'artifact-update',
      taskId,
      contextId,
      artifact: artifactJson(artifact),
      append,
      lastChunk,
      ...(metadata && { metadata }),
    };
  },

  pushConfig: ({ taskId, id, url, token, authentication }: PushConfig): JsonObject => ({
    taskId,
    pushNotificationConfig: {
      id,
      url,
      ...(token !== undefined && { token }),
      ...(authentication && {
        authentication: {
          schemes: [authentication.scheme],
          ...(authentication.credentials !== undefined && { credentials: authentication.credentials }),
        },
      }),
    },
  }),
};

function statusJson({ state, at, message }: TaskStatus): JsonObject {
  return { state, ...(message && { message: messageJson(message) }), timestamp: new Date(at).toISOString() };
}

function messageJson(message: A2aMessage): JsonObject {
  const { messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds } = message;
  return {
    kind: 'message',
    messageId,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    role,
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
  const { mediaType, filename, metadata } = part;
  const own = metadata && { metadata };
  if ('text' in part) return { kind: 'text', text: part.text, ...own };
  if ('data' in part) {
    return { kind: 'data', data: isPlainObject(part.data) ? part.data : { value: part.data }, ...own };
  }
  const file = {
    ...('raw' in part ? { bytes: part.raw } : { uri: part.url }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
    ...(filename !== undefined && { name: filename }),
  };
  return { kind: 'file', file, ...own };
}
