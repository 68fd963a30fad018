import { isLoopback, type Rule, setting, settings, splitList } from '../config/index.js';

/** A place that may be called back. */
export interface PushHost {
  readonly protocol: 'http:' | 'https:';
  /** In lower case; `*` in front of a dot stands for any names, alone for all. */
  readonly host: string;
  /** Undefined: the standard one; `*`: any. */
  readonly port: string | undefined;
}

/** Where clients may be called back (contract a2a, section 10). */
export class PushHostSettings extends settings('Push notifications', {
  pushHosts: setting('A2A_PUSH_HOSTS', pushHosts(), {
    default: () => [],
    unset: 'none: nobody is called back',
    description:
      'Hosts that clients of A2A may be called back at, separated by commas: `host`, `host:port`, `*.host`, or `*` for every public https address; `http://127.0.0.1:*` and the like for this machine only. Private addresses need OUTGOING_ALLOWED too.',
  }),
}) {
  /** Whether anybody may be called back. */
  get isOn(): boolean {
    return this.pushHosts.length > 0;
  }

  /** Whether an address may be called back, by its name. What the name resolves to is checked when it is connected to. */
  permits(url: URL): boolean {
    return this.entriesFor(url).length > 0;
  }

  /** Whether an address is one of this machine that an entry names: `*` stands for public addresses alone. */
  namesLoopback(url: URL): boolean {
    return isLoopback(plainHost(url.hostname)) && this.entriesFor(url).some(({ host }) => host !== '*');
  }

  private entriesFor({ protocol, hostname, port }: URL): readonly PushHost[] {
    return this.pushHosts.filter(
      (one) =>
        one.protocol === protocol && matchesHost(one.host, hostname.toLowerCase()) && matchesPort(one.port, port),
    );
  }
}

function pushHosts(): Rule<readonly PushHost[]> {
  return {
    expectation:
      'a comma-separated list of *, host, host:port and *.host, or http:// addresses of this machine such as http://127.0.0.1:*',
    parse: (text) => {
      const hosts = splitList(text).map(pushHost);
      return hosts.length > 0 && hosts.every((host) => host !== undefined) ? hosts : undefined;
    },
  };
}

function pushHost(item: string): PushHost | undefined {
  const [, scheme = 'https', host = '', port] =
    /^(?:(https?):\/\/)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}|\*))?\/?$/i.exec(
      item,
    ) ?? [];
  if (host === '') return undefined;
  if (scheme.toLowerCase() === 'http' && !isLoopback(plainHost(host))) return undefined;
  return { protocol: scheme.toLowerCase() === 'http' ? 'http:' : 'https:', host: host.toLowerCase(), port };
}

/** A host without the brackets of IPv6. */
function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*' || pattern === host) return true;
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1;
}

function matchesPort(pattern: string | undefined, port: string): boolean {
  return pattern === '*' || (pattern ?? '') === port;
}
