import type { InjectionToken, ModuleMetadata, Provider, Type } from '@nestjs/common';
import type { Agent } from '../agent/index.js';
import type { Extensions } from '../app.module.js';
import type { GivenSettings } from '../app.settings.js';
import type { WireName } from '../protocol/protocol.module.js';
import { StartupError } from '../common/index.js';

/** What an embedded Parley is made of. Nothing is read from the environment. */
export interface ParleyOptions {
  /** The path of the host under which all routes are, such as `/agents`. */
  readonly basePath: string;
  /** How callers are authenticated: `none`, `keys`, `oidc`, `proxy`, or several of them separated by commas. */
  readonly auth: string;
  /** Classes with `@AgentType()`. */
  readonly agents?: readonly Type<Agent>[];
  /** Classes with `@AgentTool()` methods. */
  readonly tools?: readonly Type[];
  /** What agents and tools inject, as far as it is not of the host. */
  readonly providers?: readonly Provider[];
  /** Answers instead of a model server of the settings. */
  readonly model?: Extensions['model'];
  /** Models by name, for agents that choose one. */
  readonly models?: Extensions['models'];
  /** Options of the providers of the models, by their names. */
  readonly providerOptions?: Extensions['providerOptions'];
  /** The wires that are served. Default: all. */
  readonly wires?: readonly WireName[];
  /** `sqlite:<file>` or `postgres://…`. Default: a file in DATA_DIR. */
  readonly database?: string;
  /** Whether WebSockets of the wire `responses` are accepted on the host's port. Default true. */
  readonly webSocket?: boolean;
  /** Any other setting, by the name of its variable (docs/configuration.md). */
  readonly settings?: GivenSettings;
}

/** What the host gives to the module besides the options. */
export interface HostLink {
  /** Modules of the host that export what `inject` names. */
  readonly imports?: ModuleMetadata['imports'];
  /** Providers of the host that agents and tools may inject. They must not be request-scoped. */
  readonly inject?: readonly InjectionToken[];
}

/** Options that are made when the providers of `inject` exist, and from them. */
export interface AsyncParleyOptions extends HostLink {
  /** @param injected the providers of `inject`, in its order */
  readonly useFactory: (...injected: never[]) => ParleyOptions | Promise<ParleyOptions>;
}

const BASE_PATH = /^(\/[A-Za-z0-9_~.-]+)+$/;

/** Checks what no setting checks. @throws StartupError */
export function checkOptions({ basePath }: ParleyOptions): void {
  if (BASE_PATH.test(basePath)) return;
  throw new StartupError(
    `basePath must begin with a slash and end without one, such as /agents, but is "${basePath}".`,
  );
}
