// The health check of the image: exit code 0 if the server of this container answers GET /liveness.
const TIMEOUT_MS = 4000;

try {
  const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT ?? '8090'}/liveness`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
