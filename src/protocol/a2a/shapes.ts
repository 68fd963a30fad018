import type { JsonObject } from '../../common/index.js';
import type { A2aMessage, PushConfig, Task, TaskIds, TaskUpdate, Version } from './a2a.types.js';
import { V1 } from './v1/v1.encoder.js';
import { V03 } from './v03/v03.encoder.js';

/** How a version writes what both have in common. */
export interface Shapes {
  /** The result of a method that returns a task. */
  task(task: Task): JsonObject;
  /** The first frame of a stream, and the result of sending. */
  taskFrame(task: Task): JsonObject;
  /** The same for a message in place of a task. */
  messageFrame(message: A2aMessage): JsonObject;
  updateFrame(ids: TaskIds, update: TaskUpdate): JsonObject;
  pushConfig(config: PushConfig): JsonObject;
}

/** The shapes of each version. */
export const SHAPES: Readonly<Record<Version, Shapes>> = { '1.0': V1, '0.3': V03 };
