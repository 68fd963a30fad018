"""A refund agent that speaks AG-UI, with nothing but Python's standard library.

It answers word by word, and before it pays money back it asks for permission. It keeps nothing between two requests:
Parley sends the whole conversation, asks the person, stores everything, and resumes broken streams.

    python3 agent.py [port]
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = "refund"


class Run:
    """One run: writes its events to the open connection."""

    def __init__(self, handler, body):
        self.handler = handler
        self.body = body
        self.count = 0

    def emit(self, type, **fields):
        event = {"type": type, **fields}
        self.handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.handler.wfile.flush()

    def next_id(self, prefix):
        self.count += 1
        return f"{prefix}-{self.body['runId']}-{self.count}"

    def say(self, text):
        message_id = self.next_id("msg")
        self.emit("TEXT_MESSAGE_START", messageId=message_id, role="assistant")
        for word in re.findall(r"\S+\s*", text):
            self.emit("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=word)
        self.emit("TEXT_MESSAGE_END", messageId=message_id)

    def call(self, name, arguments):
        call_id = self.next_id("call")
        self.emit("TOOL_CALL_START", toolCallId=call_id, toolCallName=name)
        self.emit("TOOL_CALL_ARGS", toolCallId=call_id, delta=json.dumps(arguments))
        self.emit("TOOL_CALL_END", toolCallId=call_id)
        return call_id

    def result(self, call_id, content):
        self.emit("TOOL_CALL_RESULT", messageId=self.next_id("msg"), toolCallId=call_id, content=content, role="tool")

    def finish(self, **more):
        self.emit("RUN_FINISHED", threadId=self.body["threadId"], runId=self.body["runId"], **more)


def pay(order, amount):
    """Here the payment provider would be called."""
    return f"{amount} euros were paid back for {order}."


def answer(run):
    """Decides what to do: this is where a model would be asked."""
    decided = {entry["interruptId"]: entry for entry in run.body.get("resume") or []}
    if decided:
        return go_on(run, decided)
    question = last_text(run.body["messages"])
    wanted = re.search(r"refund\s+(\d+).*?([A-Z]-\d{4})", question, re.IGNORECASE)
    if not wanted:
        run.say(f"You said: {question}")
        return run.finish()
    amount, order = int(wanted[1]), wanted[2]
    run.say("Let me see.")
    call_id = run.call(TOOL, {"order": order, "amount": amount})
    run.finish(
        outcome={
            "type": "interrupt",
            "interrupts": [
                {
                    "id": f"approve:{call_id}",
                    "reason": "tool_call",
                    "toolCallId": call_id,
                    "message": f"Pay {amount} euros back for {order}?",
                    "responseSchema": {
                        "type": "object",
                        "properties": {"approved": {"type": "boolean"}},
                        "required": ["approved"],
                    },
                }
            ],
        }
    )


def go_on(run, decided):
    """A person has decided: the call, with its arguments, is in the conversation."""
    calls = {
        call["id"]: json.loads(call["function"]["arguments"])
        for message in run.body["messages"]
        for call in message.get("toolCalls") or []
    }
    for interrupt_id, entry in decided.items():
        call_id = interrupt_id.removeprefix("approve:")
        payload = entry.get("payload") or {}
        if entry["status"] == "resolved" and payload.get("approved") and call_id in calls:
            result = pay(**calls[call_id])
        else:
            result = "Nothing was paid."
        run.result(call_id, result)
        run.say(result)
    run.finish()


def last_text(messages):
    for message in reversed(messages):
        if message["role"] == "user":
            content = message["content"]
            return content if isinstance(content, str) else " ".join(p.get("text", "") for p in content)
    return ""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        run = Run(self, body)
        run.emit("RUN_STARTED", threadId=body["threadId"], runId=body["runId"])
        try:
            answer(run)
        except Exception as error:  # The stream must end with a terminal event.
            run.emit("RUN_ERROR", message=str(error))

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
    print(f"The agent listens on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
