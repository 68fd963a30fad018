import type { S3Client } from '@aws-sdk/client-s3';
import { requirePackage } from '../../../common/index.js';
import { ObjectStore } from '../ports/object-store.js';

/** A bucket of an S3-compatible store. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: Amazon S3. */
  readonly endpoint: string | undefined;
  /** Undefined: the default credentials of the SDK. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** Puts the bucket into the path instead of the host name. */
  readonly forcePathStyle: boolean;
}

type Sdk = typeof import('@aws-sdk/client-s3');

/** Objects in a bucket. The SDK is large, so it is loaded with the first request. */
export class S3ObjectStore extends ObjectStore {
  private opening: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | undefined;

  /** @throws StartupError if the package `@aws-sdk/client-s3` is not installed */
  constructor(private readonly settings: S3Settings) {
    super();
    requirePackage('@aws-sdk/client-s3', 'An attachment store in S3');
  }

  async put(path: string, bytes: Buffer, mimeType: string): Promise<void> {
    const { sdk, client } = await this.open();
    const object = { Bucket: this.settings.bucket, Key: path, Body: bytes, ContentType: mimeType };
    await client.send(new sdk.PutObjectCommand(object));
  }

  async get(path: string): Promise<Buffer | undefined> {
    const { sdk, client } = await this.open();
    try {
      const answer = await client.send(new sdk.GetObjectCommand({ Bucket: this.settings.bucket, Key: path }));
      return answer.Body ? Buffer.from(await answer.Body.transformToByteArray()) : undefined;
    } catch (error) {
      if (error instanceof sdk.NoSuchKey || error instanceof sdk.NotFound) return undefined;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    const { sdk, client } = await this.open();
    await client.send(new sdk.DeleteObjectCommand({ Bucket: this.settings.bucket, Key: path }));
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    (await this.opening)?.client.destroy();
  }

  private open(): Promise<{ readonly sdk: Sdk; readonly client: S3Client }> {
    this.opening ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: this.client(sdk) }));
    return this.opening;
  }

  private client(sdk: Sdk): S3Client {
    const { region, endpoint, credentials, forcePathStyle } = this.settings;
    return new sdk.S3Client({
      region,
      forcePathStyle,
      // Stores other than Amazon S3 do not support the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && { endpoint }),
      // A copy, because the SDK writes to it and the settings are frozen.
      ...(credentials && { credentials: { ...credentials } }),
    });
  }
}
