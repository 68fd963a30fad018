/**
 * Whether a request may name an MCP server at this address: only where MCP_ALLOWED_HOSTS names its
 * host. `host` stands for the scheme's own port, `host:port` for that port, `*.domain` for every host
 * below the domain. Addresses with a user name are refused, and so is http, except to this machine.
 */
export function isAllowedMcpUrl(address: string, allowedHosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url.hostname))) return false;
  return allowedHosts.some((pattern) => matches(url, pattern.toLowerCase()));
}

function matches(url: URL, pattern: string): boolean {
  const [, host = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  const ownPort = url.protocol === 'https:' ? '443' : '80';
  if ((url.port || ownPort) !== (port || ownPort)) return false;
  return host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
