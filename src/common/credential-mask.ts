/** What stands in the place of a credential. */
const MASK = '[secret]';
/** Most texts have none of these and are returned as they are. */
const MAY_HOLD = /parley_[st]k_|eyJ|%/;
/** A run of characters that credentials consist of, also with some of them escaped as in addresses. */
const WORD = /[\w.~%+-]{16,}/g;
/** API keys and tickets (contract access, sections 3.1 and 3.4), also cut ones. */
const OWN = /parley_[st]k_[\w.-]{8}/;
/** `"alg"` in base64, at its three positions: the header of a JWT has it. */
const ALGORITHM = /ImFsZyI|JhbGci|iYWxnI/;

/**
 * A text without what has the form of an API key, a ticket or a JWT: the last step before something is logged, or
 * returned in an error. Takes time in proportion to the length of the text.
 */
export function maskCredentials(text: string): string {
  return MAY_HOLD.test(text) ? text.replace(WORD, masked) : text;
}

/** Whether a text has a part that `maskCredentials` masks. */
export function holdsCredential(text: string): boolean {
  return maskCredentials(text) !== text;
}

function masked(word: string): string {
  const plain = word.includes('%') ? unescaped(word) : word;
  const start = startOf(plain);
  if (start < 0) return word;
  return plain === word ? `${word.slice(0, start)}${MASK}` : MASK;
}

/** Where a credential begins; -1 without one. */
function startOf(word: string): number {
  const own = OWN.exec(word)?.index;
  if (own !== undefined) return own;
  const token = word.indexOf('eyJ');
  const end = token < 0 ? -1 : word.indexOf('.', token);
  return end >= 0 && ALGORITHM.test(word.slice(token, end)) ? token : -1;
}

/** Escapes that are no UTF-8 stay as they are. */
function unescaped(word: string): string {
  return word.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
