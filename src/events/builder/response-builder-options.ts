import type { Clock, IdFactory } from '../../common/index.js';
import type { AgentResponse, BuilderEvent, Usage } from '../vocabulary.js';

/** How a response builder is set up; everything may be left out. */
export interface ResponseBuilderOptions {
  readonly sessionId?: string | null;
  readonly responseId?: string;
  readonly ids?: IdFactory;
  readonly clock?: Clock;
  /** Takes every event as it is made. Without it they wait for `drain`. */
  readonly sink?: (event: BuilderEvent) => void;
  /** Goes on with a response as `ResponseFold` left it. Its ids win over the given ones. */
  readonly resume?: AgentResponse;
  /** The ids of messages that earlier attempts have taken back. */
  readonly retired?: Iterable<string>;
}

/** What a terminal response may carry. */
export interface ResponseClosing {
  /** Absent: the sum of the messages' usages and of what `addUsage` has counted. */
  readonly usage?: Usage | null;
}
