import { Injectable } from '@nestjs/common';
import { PushHostSettings } from '../../../outbox/index.js';
import { OutgoingHttp } from '../../../outgoing/index.js';
import { fieldError } from '../../http/index.js';

/** How long the name of an address may take to be resolved before it is kept, in milliseconds. */
const RESOLVE_MS = 2000;

/** Which addresses clients may be called back at (contract a2a, section 10). */
@Injectable()
export class PushAddresses {
  constructor(
    private readonly settings: PushHostSettings,
    private readonly http: OutgoingHttp,
  ) {}

  /** Whether there are any. */
  get areOn(): boolean {
    return this.settings.isOn;
  }

  /** Why an address must not be called back, as the end of a sentence; undefined if it may be. */
  problemOf(address: string): string | undefined {
    if (!URL.canParse(address)) return 'must be an address';
    const url = new URL(address);
    if (url.username !== '' || url.password !== '') return 'must not name a user';
    if (url.hash !== '' || address.includes('#')) return 'must not have a fragment';
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https address';
    return this.settings.permits(url) ? undefined : 'is not one that A2A_PUSH_HOSTS allows';
  }

  /** Whether requests to an address may go to this machine: only where an entry names it. */
  mayBeLocal(address: string): boolean {
    return this.settings.namesLoopback(new URL(address));
  }

  /** @throws AppError for an address that must not be called back, also by what its name resolves to now */
  async assertCallable(address: string): Promise<void> {
    const problem = this.problemOf(address);
    if (problem !== undefined) throw fieldError('url', problem, 'INVALID_PARAMETER');
    const options = { isLoopbackAllowed: this.mayBeLocal(address), timeoutMs: RESOLVE_MS };
    if (await this.http.permits(address, options)) return;
    throw fieldError('url', 'must be a public address, or one that OUTGOING_ALLOWED names', 'INVALID_PARAMETER');
  }
}
