import type { JsonObject } from '../../../common/index.js';
import type { ListRequest, Task } from '../a2a.types.js';
import { V1 } from './v1.encoder.js';

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
