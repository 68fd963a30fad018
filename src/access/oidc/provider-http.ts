import { Injectable } from '@nestjs/common';
import { OutgoingHttp } from '../../outgoing/index.js';
import { isLoopbackUrl, isSecureUrl } from './issuers.js';

const LIMITS = { timeoutMs: 5000, maxBytes: 1024 * 1024 };

/**
 * Reads JSON of OpenID providers (contract access, section 3.2): over https, or from this machine; without redirects;
 * within 5 s; at most 1 MiB; by the address rules of `OutgoingHttp`.
 */
@Injectable()
export class ProviderHttp {
  constructor(private readonly http: OutgoingHttp) {}

  /**
   * The content of an address.
   *
   * @param issuer on whose behalf: only an issuer on this machine may send the server to this machine
   * @throws Error that says what is wrong, without the content
   */
  async json(address: string, issuer: string): Promise<unknown> {
    if (!isSecureUrl(address)) throw new Error(`${shown(address)} is not an https:// address`);
    const isLoopbackAllowed = isLoopbackUrl(new URL(issuer));
    const headers = { accept: 'application/json' };
    const { status, body } = await this.http.send(address, { headers, isLoopbackAllowed, ...LIMITS });
    if (status !== 200) throw new Error(`${shown(address)} answers with the status ${status}`);
    return JSON.parse(body.toString('utf8')) as unknown;
  }
}

function shown(address: string): string {
  return JSON.stringify(address.slice(0, 200));
}
