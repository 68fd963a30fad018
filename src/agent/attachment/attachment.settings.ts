import {
  bytes,
  choice,
  type ConfigurationProblem,
  DAY_MS,
  flag,
  hostNames,
  HOUR_MS,
  httpUrl,
  keyList,
  MIB,
  milliseconds,
  setting,
  settings,
  token,
} from '../../config/index.js';

/** A bucket of an S3-compatible store. */
export interface S3Bucket {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: Amazon S3. */
  readonly endpoint: string | undefined;
  /** Undefined: the SDK looks in its usual places. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Whether the bucket is named in the path of an address instead of the host name. */
  readonly forcePathStyle: boolean;
}

/** How files are uploaded, signed and stored. */
export class AttachmentSettings extends settings('Attachments', {
  maxBytes: setting('ATTACHMENT_MAX_BYTES', bytes({ min: 1024, max: 256 * MIB }), {
    default: 10 * MIB,
    description: 'Largest file that can be uploaded.',
  }),
  urlTtlMs: setting('ATTACHMENT_URL_TTL_MS', milliseconds({ min: 1000, max: 30 * DAY_MS }), {
    default: HOUR_MS,
    description: 'How long a signed URL of an attachment is valid.',
  }),
  signingKeys: setting('ATTACHMENT_SIGNING_KEYS', keyList(), {
    unset: 'one key, generated when it is first needed and kept in DATA_DIR',
    secret: true,
    description:
      'Keys for signed URLs as `kid:secret`, separated by commas. The first signs, all are accepted: to replace a key, put the new one first, and remove the old one when its URLs have expired. All servers on one PostgreSQL database need the same keys: a server with others does not start.',
  }),
  sweepIntervalMs: setting('ATTACHMENT_SWEEP_INTERVAL_MS', milliseconds({ min: 10, max: DAY_MS }), {
    default: 600_000,
    description: 'Time between two searches for attachments to delete.',
  }),
  imageUrls: setting('IMAGE_URLS', choice('own', 'hosts', 'any'), {
    unset: '`any` if AUTH is none, otherwise `own`',
    description:
      'Which http and https addresses of images, videos and files messages may have: signed URLs of this server (`own`), also those of IMAGE_URL_HOSTS (`hosts`), or all (`any`). The model server fetches them, and may reach addresses that clients cannot. `data:` URLs are always allowed.',
  }),
  imageUrlHosts: setting('IMAGE_URL_HOSTS', hostNames(), {
    default: () => [],
    unset: 'none',
    description:
      'Hosts of images, videos and files in messages with `IMAGE_URLS=hosts`, without ports and separated by commas.',
  }),
  store: setting('ATTACHMENT_STORE', choice('local', 's3'), {
    default: 'local',
    description:
      '`local` keeps files in DATA_DIR, `s3` in a bucket of an S3-compatible store. Several servers on one PostgreSQL database need `s3`, or a DATA_DIR that they share.',
  }),
  s3Bucket: setting('S3_BUCKET', token(255), {
    unset: 'not set',
    description: 'Name of the bucket. It must exist.',
  }),
  s3Region: setting('S3_REGION', token(64), { default: 'us-east-1', description: 'Region of the bucket.' }),
  s3Endpoint: setting('S3_ENDPOINT', httpUrl(), {
    unset: 'Amazon S3',
    description: 'Address of another S3-compatible store, such as `http://127.0.0.1:9000`.',
  }),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', token(256), {
    unset: 'the AWS configuration of the machine',
    secret: true,
    description: 'Access key of the store.',
  }),
  s3SecretAccessKey: setting('S3_SECRET_ACCESS_KEY', token(256), {
    unset: 'the AWS configuration of the machine',
    secret: true,
    description: 'Secret of the access key.',
  }),
  s3ForcePathStyle: setting('S3_FORCE_PATH_STYLE', flag(), {
    unset: '`true` with S3_ENDPOINT, `false` without',
    description: 'Whether the bucket is named in the path of an address instead of the host name.',
  }),
}) {
  /** The bucket for attachments; undefined if they are files in the data folder. */
  get s3(): S3Bucket | undefined {
    const { s3Bucket: bucket, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = this;
    if (this.store !== 's3' || bucket === undefined) return undefined;
    return {
      bucket,
      region: this.s3Region,
      endpoint: this.s3Endpoint,
      credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
      forcePathStyle: this.s3ForcePathStyle ?? this.s3Endpoint !== undefined,
    };
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    return [...this.imageProblems(unusable), ...this.storeProblems(unusable)];
  }

  private imageProblems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const lacksHosts = this.imageUrls === 'hosts' && this.imageUrlHosts.length === 0;
    if (!lacksHosts || unusable.has('IMAGE_URL_HOSTS')) return [];
    return [{ name: 'IMAGE_URL_HOSTS', message: 'must be set, because IMAGE_URLS is hosts' }];
  }

  private storeProblems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    if (this.store !== 's3' || unusable.has('ATTACHMENT_STORE')) return [];
    const hasId = this.s3AccessKeyId !== undefined || unusable.has('S3_ACCESS_KEY_ID');
    const hasSecret = this.s3SecretAccessKey !== undefined || unusable.has('S3_SECRET_ACCESS_KEY');
    const missing = (name: string, reason: string) => ({ name, message: `must be set, because ${reason}` });
    return [
      ...(this.s3Bucket === undefined && !unusable.has('S3_BUCKET')
        ? [missing('S3_BUCKET', 'ATTACHMENT_STORE is s3')]
        : []),
      ...(hasSecret && !hasId ? [missing('S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY is set')] : []),
      ...(hasId && !hasSecret ? [missing('S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID is set')] : []),
    ];
  }
}
