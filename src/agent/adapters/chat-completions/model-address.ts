import { isNoRoute } from '../upstream/no-route.js';
import { familyOf, serverAt } from './profiles/profile-choice.js';

/** The path of the API below its base. */
const PATH = '/chat/completions';
const MODELS = '/models';
const VERSION = '/v1';

/** The address of a model server: that of its API, or the other form of it until one of them has answered. */
export class ModelAddress {
  private current: URL;
  private isSettled = false;

  constructor(baseUrl: string) {
    this.current = completionsUrl(baseUrl);
  }

  /** Where requests are sent. */
  get url(): URL {
    return this.current;
  }

  /** The base of the paths of the API. */
  get baseUrl(): URL {
    const url = new URL(this.current);
    url.pathname = url.pathname.slice(0, -PATH.length);
    return url;
  }

  /** Where the models may be listed: below the base, and below the other form of it. */
  get modelsUrls(): readonly URL[] {
    return [this.current, this.otherForm].map((one) => {
      const url = new URL(one);
      url.pathname = `${url.pathname.slice(0, -PATH.length)}${MODELS}`;
      return url;
    });
  }

  /**
   * The other form of the base URL, with or without `/v1`, to try once (contract model-servers, section 1.5).
   *
   * @param status that of the failed request
   * @returns undefined if the address is settled, or the failure is about something else
   */
  alternative(status: number | undefined, body: string): URL | undefined {
    if (this.isSettled || status !== 404 || !isNoRoute(body)) return undefined;
    return this.otherForm;
  }

  /** The address with `/v1`, if the present one is without it, and the other way around. */
  private get otherForm(): URL {
    const url = new URL(this.current);
    const base = url.pathname.slice(0, -PATH.length);
    url.pathname = `${base.endsWith(VERSION) ? base.slice(0, -VERSION.length) : base + VERSION}${PATH}`;
    return url;
  }

  /** A request to this address was answered: it stays. Returns whether it was another one before. */
  prove(url: URL): boolean {
    const isOther = url.href !== this.current.href;
    this.isSettled = true;
    this.current = url;
    return isOther;
  }

  /** Neither form is served, or the present one is: no other one is tried again. */
  settle(): void {
    this.isSettled = true;
  }
}

/** Keeps the query of the base URL, which some providers need. */
function completionsUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`;
  return url;
}

/**
 * The name under which the state of a server is kept: its host, and what tells the providers apart that a server may stand
 * before: the family of the model, else the vendor in its name, as in `z-ai/glm-5`, else the name itself (contract
 * model-servers, section 0).
 */
export function originOf({ host, hostname }: URL, model: string): string {
  const family = familyOf(model);
  if (family) return `${host}/${family.name}`;
  const [vendor, ...rest] = model.toLowerCase().split('/');
  if (vendor !== '' && rest.length === 1) return `${host}/${vendor}`;
  return serverAt(hostname)?.combines === 'nothing' ? host : `${host}/${model.toLowerCase()}`;
}

/** The headers of every request. Those of the settings replace others of the same name. */
export function headersFor(
  url: URL,
  apiKey: string | undefined,
  further: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = Object.entries(further).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    // Compression delays the pieces of a stream.
    'accept-encoding': 'identity',
    'user-agent': 'parley',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    // Deployments take the key in a header of their own.
    ...(apiKey !== undefined && /(^|\.)azure\.com$/i.test(url.hostname) ? { 'api-key': apiKey } : {}),
    ...Object.fromEntries(own),
  };
}
