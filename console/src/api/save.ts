import { type Ask, request } from './client.js';

/**
 * Saves an answer as a file. It is fetched, because a link could not carry the credential; the browser keeps what has come so
 * far, not this page.
 *
 * @param name of the file, for the person
 * @throws as `request`; TypeError if the answer was cut: then nothing is saved
 */
export async function save(path: string, name: string, ask: Ask = {}): Promise<void> {
  const address = URL.createObjectURL(await (await request(path, ask)).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
