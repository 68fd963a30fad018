import { ModelClient, type ModelRequest } from '../agent/index.js';

/** A model of a test, which may have no answer for a call. */
export abstract class TestModel extends ModelClient {
  /** Every request, in the order of the calls. */
  readonly requests: ModelRequest[] = [];
  /** Why a call has no answer. `TestServer.run` throws it. */
  missing: Error | undefined;
}
