import type { JsonObject } from '../../common/index.js';
import type { ResponseBuilder } from './response-builder.js';

/**
 * The same builder under another name: messages that are begun through it carry `metadata` in all their
 * events. For parts of an answer that somebody else writes.
 */
export function withMetadata(builder: ResponseBuilder, metadata: JsonObject): ResponseBuilder {
  const own: Pick<ResponseBuilder, 'createMessageBuilder' | 'addMessage'> = {
    createMessageBuilder: (role, type, more) => builder.createMessageBuilder(role, type, { ...more, ...metadata }),
    addMessage: (message, more) => builder.addMessage(message, { ...more, ...metadata }),
  };
  return new Proxy(builder, {
    get(target, key): unknown {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
