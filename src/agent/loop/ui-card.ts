import { Logger } from '@nestjs/common';
import type { JsonObject } from '../../common/index.js';
import { compileUiSchema, UI_COMPILER_VERSION } from '../../ui-schema/index.js';
import type { AgentContext } from '../agent.js';

/** The name of the event that shows a card (contract runs-api, section 9). */
export const UI_SCHEMA_EVENT = 'ui_schema';

/** A card that belongs to one message of the assistant. */
export interface UiCard {
  /** Metadata stored with the message. */
  readonly metadata: JsonObject;
  /** Sends the card to clients. Call it directly after the message was completed. */
  announce(messageId: string): void;
}

const logger = new Logger('UiSchema');

/**
 * Compiles hints to the card of a message; undefined if there is nothing to show. Invalid hints never fail a
 * run: they are left out and logged.
 */
export function uiCard(
  context: Pick<AgentContext, 'emit' | 'runId'>,
  hints: readonly JsonObject[],
  locale: string,
): UiCard | undefined {
  if (hints.length === 0) return undefined;
  const { schema, warnings } = compileUiSchema(hints, { locale });
  for (const warning of warnings) logger.debug(`run ${context.runId}: ${warning}`);
  if (!schema) return undefined;
  const compiled = schema as unknown as JsonObject;
  return {
    metadata: { ui_schema: compiled, ui_schema_compiler: UI_COMPILER_VERSION },
    announce: (messageId) => {
      context.emit({ object: 'custom', name: UI_SCHEMA_EVENT, value: { messageId, ui_schema: compiled } });
    },
  };
}
