import { Injectable } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { LogPartitions } from '../ports/log-partitions.js';

/** How often partitions are created for runs to come, in milliseconds. */
const EVERY_MS = 600_000;

/** The chore that creates partitions of events ahead of the runs. */
@Injectable()
export class PartitionChore {
  constructor(chores: Chores, partitions: LogPartitions) {
    if (!partitions.isUseful) return;
    chores.register({ name: 'partitions', everyMs: EVERY_MS, work: () => partitions.createAhead() });
  }
}
