import type { JsonObject } from '../../common/index.js';
import { summedUsage, type Usage } from '../../events/index.js';
import type { A2aMessage, Artifact, ArtifactUpdate, Part, Task, TaskIds, TaskStatus, TaskUpdate } from './a2a.types.js';

/**
 * A task as a client has it that applies all updates so far, consolidated (contract a2a, section 7.2): one artifact per
 * message, adjacent texts joined, nothing empty, nothing discarded.
 */
export class TaskFold {
  private readonly artifacts = new Map<string, { name: string | undefined; parts: Part[] }>();
  private readonly history: A2aMessage[] = [];
  private usage: Usage | undefined;
  private status: TaskStatus;

  /** @param at when its first run was accepted */
  constructor(
    private readonly ids: TaskIds & { readonly agentType: string },
    at: number,
  ) {
    this.status = { state: 'submitted', at };
  }

  /** A run of the chain was accepted with these messages. The question that it goes on from becomes history. */
  accept(messages: readonly A2aMessage[], { isFirst, at }: { readonly isFirst: boolean; readonly at: number }): void {
    if (!isFirst) {
      const { message } = this.status;
      if (message) this.history.push(message);
      this.status = { state: 'working', at };
    }
    this.history.push(...messages);
  }

  /** An update that clients get. */
  apply(update: TaskUpdate): void {
    if (update.kind === 'artifact') {
      this.applyArtifact(update);
      return;
    }
    if (update.isProgress === true) return;
    this.status = update.status;
    if (update.usage) this.usage = summedUsage(this.usage, update.usage);
  }

  /** How it stands. */
  get current(): TaskStatus {
    return this.status;
  }

  /** The task as it is now. */
  task(): Task {
    const { taskId, contextId, agentType } = this.ids;
    const artifacts = [...this.artifacts].flatMap(([artifactId, { name, parts }]): Artifact[] => {
      const shown = parts.filter((part) => !('text' in part) || part.text !== '');
      return shown.length === 0 ? [] : [{ artifactId, ...(name !== undefined && { name }), parts: shown }];
    });
    const metadata: JsonObject = { agent: agentType };
    if (this.status.state === 'completed' && this.usage) metadata['usage'] = { ...this.usage };
    return { taskId, contextId, status: this.status, artifacts, history: [...this.history], metadata };
  }

  private applyArtifact({ artifact, append, metadata }: ArtifactUpdate): void {
    const { artifactId, name, parts } = artifact;
    if (metadata?.['discarded'] === true) {
      this.artifacts.delete(artifactId);
      return;
    }
    const known = append ? this.artifacts.get(artifactId) : undefined;
    const kept = known ?? { name, parts: [] };
    for (const part of parts) addPart(kept.parts, part);
    this.artifacts.set(artifactId, kept);
  }
}

function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  const isText = 'text' in part && last !== undefined && 'text' in last;
  if (isText && !part.mediaType && !last.mediaType) parts[parts.length - 1] = { ...last, text: last.text + part.text };
  else parts.push(part);
}
