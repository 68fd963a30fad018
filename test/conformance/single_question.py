"""The documented client of one question: it takes every HTTP chunk for one event."""
import asyncio
import json
import sys

import aiohttp


async def main(url, question):
    payload = {"input": [{"role": "user", "content": [{"type": "text", "text": question}]}]}
    text = None
    last_error = None
    async with aiohttp.ClientSession() as session:
        async with session.post(url, json=payload) as resp:
            assert resp.headers["Content-Type"].startswith("text/event-stream")
            async for chunk, _ in resp.content.iter_chunks():
                if not chunk:
                    continue
                line = chunk.decode("utf-8").strip()
                if not line.startswith("data:"):
                    continue
                data_str = line[len("data:") :].strip()
                if data_str == "[DONE]":
                    break
                event = json.loads(data_str)
                try:
                    text = event["output"][0]["content"][0]["text"]
                except (KeyError, IndexError, TypeError) as error:
                    # Only the final event has the output.
                    last_error = error
            else:
                raise AssertionError("the stream ended without [DONE]")
    assert text is not None, f"no event had an output: {last_error!r}"
    print(text)


asyncio.run(main(sys.argv[1], sys.argv[2]))
