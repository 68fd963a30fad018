/** What stands in the place of a credential. */
const MASK = '[secret]';
/** Most texts have none of these and are returned as they are. */
const MAY_HOLD =
  /parley_[st]k_|eyJ|%|:\/\/|whsec_|[?&;][\w-]{3,20}=|[Bb]asic |[Bb]earer |pass(?:word|wd)=|pwd=|\b(?:[srp]k[-_]|gh[oprsu]_|github_pat_|glpat-|xox|xai-|gsk_|hf_|nvapi-|r8_|AIza|A[KS]IA)/;
/** A run of characters that credentials consist of, also with some of them escaped as in addresses. */
const WORD = /[\w.~%+-]{16,}/g;
/** API keys and tickets (contract access, sections 3.1 and 3.4), also cut ones; secrets of webhooks, where they are escaped. */
const OWN = /parley_[st]k_[\w.-]{8}|whsec_[A-Za-z0-9+/=]{12}/;
/** `"alg"` in base64, at its three positions: the header of a JWT has it. */
const ALGORITHM = /ImFsZyI|JhbGci|iYWxnI/;
/** Keys of model providers, of clouds and of code hosts: what their owners let scanners look for. */
const FOREIGN =
  /(?<![A-Za-z0-9])(?:sk-(?=[\w-]{0,64}\d)[\w-]{16}|[srp]k_(?:live|test)_\w{10}|gh[oprsu]_\w{20}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abeprs]-[\w-]{10}|xai-\w{20}|gsk_\w{20}|hf_\w{20}|nvapi-[\w-]{20}|r8_\w{20}|AIza[\w-]{30}|A[KS]IA[0-9A-Z]{16})/;

/** Forms that are more than a word: the part before the secret is kept. */
const FORMS: readonly RegExp[] = [
  // Secrets of webhooks.
  /()\bwhsec_[A-Za-z0-9+/=]{12,}/g,
  // The password of an address. The word `password` is what the documentation shows.
  /(\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:@/?#"'\\]{0,256}:)(?!password@)[^\s@/?#"'\\]{1,512}(?=@)/gi,
  // Tokens and signatures in the query of an address.
  /([?&;](?:x-amz-|x-goog-)?(?:sig|signature|credential|security-token|ticket|token|access_token|refresh_token|id_token|api[-_]?key|key|client_secret|secret|password)=)[^\s&;#"'\\]{1,4096}/gi,
  // As libraries of databases write them.
  /(\b(?:password|passwd|pwd)=)[^\s&;,"'\\]{1,512}/gi,
  // A token of some length has a digit; words of a sentence have none.
  /(\bbearer (?=[\w.~+/-]{0,4096}\d))[\w.~+/-]{12,}={0,2}/gi,
];
/** A name and a password in base64. */
const BASIC = /(\bbasic )([A-Za-z0-9+/]{4,}={0,2})/gi;

/**
 * A text without what has the form of a credential: the last step before something is logged, or returned in an error. API
 * keys, tickets and tokens of this server, JWTs, secrets of webhooks, passwords and signatures in addresses, `Basic` and
 * `Bearer` credentials, and keys of well-known providers. Takes time in proportion to the length of the text.
 */
export function maskCredentials(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  let masked = text;
  for (const form of FORMS) masked = masked.replace(form, `$1${MASK}`);
  return masked.replace(BASIC, maskedBasic).replace(WORD, maskedWord);
}

/** Whether a text has a part that `maskCredentials` masks. */
export function holdsCredential(text: string): boolean {
  return maskCredentials(text) !== text;
}

function maskedWord(word: string): string {
  const plain = word.includes('%') ? unescaped(word) : word;
  const start = startOf(plain);
  if (start < 0) return word;
  return plain === word ? `${word.slice(0, start)}${MASK}` : MASK;
}

/** Where a credential begins; -1 without one. */
function startOf(word: string): number {
  const known = (OWN.exec(word) ?? FOREIGN.exec(word))?.index;
  if (known !== undefined) return known;
  const token = word.indexOf('eyJ');
  const end = token < 0 ? -1 : word.indexOf('.', token);
  return end >= 0 && ALGORITHM.test(word.slice(token, end)) ? token : -1;
}

/** `basic` is also an English word: only what decodes to a name and a password is masked. */
function maskedBasic(found: string, scheme: string, encoded: string): string {
  return Buffer.from(encoded, 'base64').includes(':') ? `${scheme}${MASK}` : found;
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
