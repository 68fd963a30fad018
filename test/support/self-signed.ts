import { generateKeyPairSync, sign } from 'node:crypto';

/** What a TLS server needs, and what its clients must trust, in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));
const COMMON_NAME = objectId('550403');
const SUBJECT_ALT_NAME = objectId('551d11');
const BASIC_CONSTRAINTS = objectId('551d13');
const TRUE = element(0x01, Buffer.from([0xff]));

/** A certificate for a host name that is its own authority, valid for a day. */
export function selfSigned(host: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(host)))));
  const extensions = sequence(
    sequence(SUBJECT_ALT_NAME, element(0x04, sequence(element(0x82, Buffer.from(host))))),
    sequence(BASIC_CONSTRAINTS, TRUE, element(0x04, sequence(TRUE))),
  );
  const content = sequence(
    element(0xa0, integer(2)),
    integer(1),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, extensions),
  );
  const signature = element(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]));
  const certificate = sequence(content, ECDSA_WITH_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** An element of DER with its length, which is below 64 KiB. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return element(SEQUENCE, Buffer.concat(items));
}

/** A small whole number. */
function integer(value: number): Buffer {
  return element(0x02, Buffer.from([value]));
}

function objectId(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'));
}

/** As `YYYYMMDDhhmmssZ`. */
function time(ms: number): Buffer {
  return element(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}
