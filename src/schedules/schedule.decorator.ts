import 'reflect-metadata';
import type { CatchUp, Overlap } from './schedule.types.js';

/** When an agent runs by itself, and with what. */
export interface ScheduleOptions {
  /** Five fields, or `@daily` and the like. */
  readonly cron: string;
  /** IANA name. Default: UTC. */
  readonly timezone?: string;
  /** The input of the runs. */
  readonly input: string;
  /** Tells several schedules of one agent apart. Default: the name of the agent. */
  readonly name?: string;
  /** Default: `skip`. */
  readonly overlap?: Overlap;
  /** Default: `last`. */
  readonly catchUp?: CatchUp;
  readonly jitterSeconds?: number;
}

const METADATA_KEY = Symbol('parley:schedules');

/**
 * Runs an agent at planned times: `@Schedule({ cron: '0 9 * * mon-fri', timezone: 'Europe/Berlin', input: 'Report' })`
 * next to `@AgentType`. Stored when the server starts; one that is removed from the code is disabled. The runs belong to
 * the user `service:schedules` of the tenant `default`. May be repeated, with different names.
 */
export function Schedule(options: ScheduleOptions): ClassDecorator {
  return (target) => {
    const others = (Reflect.getOwnMetadata(METADATA_KEY, target) ?? []) as ScheduleOptions[];
    Reflect.defineMetadata(METADATA_KEY, [...others, options], target);
  };
}

/** The schedules that a class declares. */
export function scheduleOptions(target: object): readonly ScheduleOptions[] {
  return (Reflect.getOwnMetadata(METADATA_KEY, target) ?? []) as readonly ScheduleOptions[];
}
