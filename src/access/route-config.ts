import { RouteConfig } from '@nestjs/platform-fastify';

type Config = Readonly<Record<string, unknown>>;

const configs = new WeakMap<object, Config>();

/** Adds to the Fastify configuration of a route. (`RouteConfig` itself replaces what was there.) */
export function RouteSetting(config: Config): MethodDecorator {
  return (prototype, name, descriptor) => {
    const handler = descriptor.value as object;
    const merged = { ...configs.get(handler), ...config };
    configs.set(handler, merged);
    RouteConfig(merged)(prototype, name, descriptor);
  };
}

/**
 * Adds to the configuration of all routes of a controller. To be called after its methods are decorated.
 *
 * @param options.keepExisting true: what a route has configured itself stays
 */
export function addRouteConfig(
  controller: { readonly prototype: object },
  config: Config,
  { keepExisting = false }: { readonly keepExisting?: boolean } = {},
): void {
  const { prototype } = controller;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === 'constructor' || typeof descriptor.value !== 'function') continue;
    const own = keepExisting ? configs.get(descriptor.value as object) : undefined;
    RouteSetting({ ...config, ...own })(prototype, name, descriptor);
  }
}
