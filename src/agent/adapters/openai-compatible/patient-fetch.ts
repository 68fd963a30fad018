/**
 * A `fetch` whose answers end where the connection breaks instead of failing there. A failing stream
 * drops what waits in it to be read, and with it text that the model has said; an ending one does not.
 *
 * @param onBreak is told why the body ended early, before its end is seen
 */
export function patientFetch(onBreak: (reason: unknown) => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.body) return answer;
    const { status, statusText, headers } = answer;
    return new Response(whole(answer.body, onBreak), { status, statusText, headers });
  };
}

function whole(body: ReadableStream<Uint8Array>, onBreak: (reason: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          onBreak(error);
          controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Read ahead: what has arrived must not be lost when the connection breaks before it is asked for.
    { highWaterMark: 64 },
  );
}
