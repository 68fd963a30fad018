import type { JsonEntry } from '../../config/index.js';
import { addressChoiceIn, hostProblem } from './remote-address.js';

const BINDINGS = ['auto', 'JSONRPC', 'HTTP+JSON'] as const;
const VERSIONS = ['auto', '1.0', '0.3'] as const;

/** Which interface of the card of an agent of A2A is used (contract a2a, section 15.1). */
export interface InterfaceChoice {
  /** The form of the requests; undefined: that of the first interface that is spoken. */
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | undefined;
  /** The version; undefined: as `binding`. */
  readonly protocol: '1.0' | '0.3' | undefined;
  /** Origins besides that of `url` which the card may name. */
  readonly allowedOrigins: readonly string[];
}

/** Reads the choice of an entry, whose problems the entry holds. */
export function interfaceChoiceIn(entry: JsonEntry): InterfaceChoice {
  const [binding, protocol] = [entry.word('binding', BINDINGS), entry.word('protocol', VERSIONS)];
  return {
    binding: binding === 'auto' ? undefined : binding,
    protocol: protocol === 'auto' ? undefined : protocol,
    allowedOrigins: originsIn(entry),
  };
}

/** Origins: of https, or of http to this machine or with `insecure`. */
function originsIn(entry: JsonEntry): readonly string[] {
  const choice = addressChoiceIn(entry);
  return (entry.texts('allowedOrigins') ?? []).map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isOrigin = url !== undefined && url.origin === text.replace(/\/$/, '') && /^https?:$/.test(url.protocol);
    const problem = url && hostProblem(url, choice);
    if (!isOrigin) entry.problem('"allowedOrigins" must have origins such as "https://agents.example"');
    else if (problem !== undefined) entry.problem(`each of "allowedOrigins" must be ${problem}`);
    return url?.origin ?? '';
  });
}
