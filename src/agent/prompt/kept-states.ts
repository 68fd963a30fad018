import type { JsonObject } from '../../common/index.js';
import type { ModelMessage } from '../ports/model-client.js';

/**
 * What providers want back with answers of the history, by the messages of the prompt. They are added when a request is
 * sent and are no part of what the journal compares: servers of two versions can continue each other's runs.
 */
export type KeptStates = ReadonlyMap<ModelMessage, JsonObject>;
