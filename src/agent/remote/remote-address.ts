import { isIP } from 'node:net';
import { isLoopback, type JsonEntry } from '../../config/index.js';

/** What the operator permits of the addresses of a remote agent. */
export interface AddressChoice {
  /** `http://` to other machines. */
  readonly isInsecure: boolean;
  readonly mayBeLinkLocal: boolean;
}

/** Reads the choice of an entry. */
export function addressChoiceIn(entry: JsonEntry): AddressChoice {
  return { isInsecure: entry.flag('insecure'), mayBeLinkLocal: entry.flag('allowLinkLocal') };
}

/**
 * Reads an address of an entry, whose problems the entry holds: https, or http to this machine or with `insecure`; without
 * user name and fragment.
 *
 * @param text whose variables are replaced; undefined: there is none
 */
export function readAddress(entry: JsonEntry, key: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.hash !== '') {
    entry.problem(`${JSON.stringify(key)} must be an http:// or https:// address without user name`);
    return undefined;
  }
  const problem = hostProblem(url, addressChoiceIn(entry));
  if (problem !== undefined) entry.problem(`${JSON.stringify(key)} must be ${problem}`);
  return url;
}

/** What is wrong with the host of an address, as the end of the sentence "… must be"; undefined if nothing is. */
export function hostProblem(
  { protocol, hostname }: URL,
  { isInsecure, mayBeLinkLocal }: AddressChoice,
): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:' && !isLoopback(host) && !isInsecure)
    return 'an https:// address; "insecure": true allows http://';
  if (isIP(host) > 0 && isLinkLocal(host) && !mayBeLinkLocal)
    return 'no link-local address, which requires "allowLinkLocal": true';
  return undefined;
}

/** Addresses of one network link, where clouds serve their metadata. */
export function isLinkLocal(address: string): boolean {
  return (
    /^169\.254\./.test(address) || /^fe[89ab][0-9a-f]:/i.test(address) || /^::ffff:(169\.254\.|a9fe:)/i.test(address)
  );
}
