import { AsyncResource } from 'node:async_hooks';

type Anything = (this: unknown, ...values: unknown[]) => unknown;

/**
 * Replaces `AsyncResource.prototype.bind` in this process if its functions have the deprecated property
 * `asyncResource`, as on Node 20 and 22. The replacement leaves that property out and does the same otherwise.
 *
 * Node makes the property with two accessors and hidden classes of their own for each bound function. Fastify binds
 * one for each body, Nest two for each interceptor: they cost 20 KB of garbage for each request, and keep the request
 * until the whole heap is collected (ADR 32).
 */
export function leaveOutAsyncResourceProperty(): void {
  const probe = new AsyncResource('probe').bind(() => undefined);
  if (!Object.hasOwn(probe, 'asyncResource')) return;
  AsyncResource.prototype.bind = bind as typeof AsyncResource.prototype.bind;
}

/** As Node documents it, without `asyncResource`. @throws TypeError if `fn` is not a function */
function bind(this: AsyncResource, fn: unknown, thisArg?: unknown): Anything {
  if (typeof fn !== 'function') throw new TypeError('The "fn" argument must be of type function');
  const target = fn as Anything;
  const run = (receiver: unknown, values: readonly unknown[]): unknown =>
    this.runInAsyncScope(target, receiver, ...values);
  const bound: Anything = function (...values) {
    return run(thisArg === undefined ? this : thisArg, values);
  };
  if (target.length > 0) Object.defineProperty(bound, 'length', { configurable: true, value: target.length });
  return bound;
}
