import type { IdFactory, WallClock } from '../../common/index.js';
import type { BuilderEvent } from '../agent-event.js';
import type { AgentResponse, Usage } from '../agent-objects.js';

/** Options of a response builder. */
export interface ResponseBuilderOptions {
  readonly sessionId?: string | null;
  readonly responseId?: string;
  readonly ids?: IdFactory;
  readonly clock?: WallClock;
  /** Receives every event as it is made. Without it, events are queued for `drain`. */
  readonly sink?: (event: BuilderEvent) => void;
  /** Continues a response, given as `ResponseFold` returned it. Its ids take precedence over the other options. */
  readonly resume?: AgentResponse;
  /** The ids of messages that earlier attempts discarded. */
  readonly retired?: Iterable<string>;
}

/** Fields of a terminal response. */
export interface ResponseClosing {
  /** Default: the sum of the messages' usages and of what `addUsage` counted. */
  readonly usage?: Usage | null;
}
