"""A refund agent that speaks AG-UI, with nothing but Python's standard library.

It answers word by word, and before it pays money back it asks for permission. It keeps no conversations: Parley sends the
whole conversation, asks the person and stores everything. What it keeps is the events of each run, so that Parley can go on
with a run after it was killed. Here they are in memory; an agent that may be restarted itself would store them.

    python3 agent.py [port] [seconds between words]
"""

import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = "refund"
PAUSE = float(sys.argv[2]) if len(sys.argv) > 2 else 0
RUNS = {}


class Stopped(Exception):
    """Somebody has canceled the run."""


class Run:
    """One run: it works in a thread of its own, whoever reads its events."""

    def __init__(self, body):
        self.body = body
        self.count = 0
        self.events = []
        self.is_over = False
        self.changed = threading.Condition()

    def work(self):
        try:
            self.emit("RUN_STARTED", threadId=self.body["threadId"], runId=self.body["runId"])
            answer(self)
        except Stopped:
            pass
        except Exception as error:  # The stream must end with a terminal event.
            self.emit("RUN_ERROR", message=str(error))
        self.end()

    def end(self):
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def follow(self):
        """All events from the first one, those that are still to come too."""
        index = 0
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.is_over or index < len(self.events))
                if index == len(self.events):
                    return
            yield self.events[index]
            index += 1

    def emit(self, type, **fields):
        with self.changed:
            if self.is_over:
                raise Stopped()
            self.events.append({"type": type, **fields})
            self.changed.notify_all()

    def next_id(self, prefix):
        self.count += 1
        return f"{prefix}-{self.body['runId']}-{self.count}"

    def say(self, text):
        message_id = self.next_id("msg")
        self.emit("TEXT_MESSAGE_START", messageId=message_id, role="assistant")
        for word in re.findall(r"\S+\s*", text):
            time.sleep(PAUSE)
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
    """`/` begins a run, `/connect` shows one again from its beginning, `/stop` cancels one."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        run = RUNS.get(body["runId"])
        if self.path == "/":
            run = RUNS[body["runId"]] = Run(body)
            threading.Thread(target=run.work, daemon=True).start()
        if run is None:
            return self.send_error(404, "There is no such run")
        if self.path == "/stop":
            run.end()
        self.show(run)

    def show(self, run):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for event in run.follow():
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        except ConnectionError:
            pass  # The reader is gone. The run goes on.

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
    print(f"The agent listens on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
