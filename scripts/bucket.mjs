// node scripts/bucket.mjs: makes the bucket of S3_BUCKET in the store of S3_ENDPOINT, unless it exists. It waits a minute
// for a store that is just starting.
import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  HeadBucketCommand,
  S3Client,
} from '@aws-sdk/client-s3';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 1000;

const {
  S3_BUCKET = '',
  S3_ENDPOINT,
  S3_REGION = 'us-east-1',
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
  S3_FORCE_PATH_STYLE = String(Boolean(S3_ENDPOINT)),
} = process.env;

process.exitCode = await main();

/** @returns {Promise<number>} exit code */
async function main() {
  if (S3_BUCKET === '') {
    console.error('S3_BUCKET is not set');
    return 2;
  }
  const client = new S3Client({
    region: S3_REGION,
    forcePathStyle: S3_FORCE_PATH_STYLE === 'true',
    ...(S3_ENDPOINT && { endpoint: S3_ENDPOINT }),
    ...(S3_ACCESS_KEY_ID &&
      S3_SECRET_ACCESS_KEY && {
        credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
      }),
  });
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      console.log(await ensureBucket(client));
      return 0;
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > deadline) {
        console.error(`The bucket ${S3_BUCKET} could not be made: ${/** @type {Error} */ (error).message}`);
        return 1;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @param {S3Client} client */
async function ensureBucket(client) {
  try {
    await client.send(new HeadBucketCommand({ Bucket: S3_BUCKET }));
    return `The bucket ${S3_BUCKET} exists`;
  } catch (error) {
    if (isUnreachable(error)) throw error;
  }
  try {
    await client.send(new CreateBucketCommand({ Bucket: S3_BUCKET }));
  } catch (error) {
    if (error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists) {
      return `The bucket ${S3_BUCKET} exists`;
    }
    throw error;
  }
  return `Made the bucket ${S3_BUCKET}`;
}

/**
 * Whether no store answered at all.
 *
 * @param {unknown} error
 */
function isUnreachable(error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}
