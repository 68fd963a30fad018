/**
 * A plug-in of Swagger UI: shows the frames of an event stream as they arrive, with a button that stops it. Swagger UI
 * itself waits for the end of a response. The type of an event leads to its schema. What was received is handed to
 * Swagger UI at the end, up to a million characters.
 */
export const STREAMS_SCRIPT = `'use strict';
window.ParleyStreams = (() => {
  /** The frames that the page shows at most. */
  const SHOWN = 500;
  const KEPT_CHARACTERS = 1_000_000;
  /** What is streamed, by operation: {frames, count, isOpen, controller}. */
  const streams = new Map();
  const listeners = new Set();
  const keyOf = (path, method) => method + ' ' + path;
  let isScheduled = false;

  function changed() {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      for (const listener of listeners) listener();
    });
  }

  /** A fetch that reads event streams piece by piece. */
  function streamingFetch(key) {
    return async (url, request) => {
      streams.get(key)?.controller.abort();
      streams.delete(key);
      changed();
      const controller = new AbortController();
      const response = await fetch(url, { ...request, signal: controller.signal });
      if (!/^text\\/event-stream/.test(response.headers.get('content-type') || '') || !response.body) return response;
      const stream = { frames: [], count: 0, isOpen: true, isStopped: false, controller };
      streams.set(key, stream);
      changed();
      const text = await read(response.body, stream);
      stream.isOpen = false;
      changed();
      const { status, statusText, headers } = response;
      const whole = new Response(text, { status, statusText, headers });
      Object.defineProperty(whole, 'url', { value: response.url });
      return whole;
    };
  }

  async function read(body, stream) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    let rest = '';
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (text.length < KEPT_CHARACTERS) text += value;
        const parts = (rest + value).split(/\\r?\\n\\r?\\n/);
        rest = parts.pop();
        for (const part of parts) add(stream, part);
        changed();
      }
      if (rest.trim() !== '') add(stream, rest);
    } catch (error) {
      if (!stream.isStopped) add(stream, ': ' + String(error));
    }
    return text;
  }

  function add(stream, text) {
    stream.count += 1;
    stream.frames.push({ number: stream.count, text });
    if (stream.frames.length > SHOWN) stream.frames.shift();
  }

  /** The JSON of a frame; undefined for comments and other text. */
  function jsonOf(text) {
    const lines = text.split(/\\r?\\n/).filter((line) => line.startsWith('data:'));
    try {
      return JSON.parse(lines.map((line) => line.slice(5).trimStart()).join('\\n'));
    } catch {
      return undefined;
    }
  }

  const nameOf = (ref) => String(ref || '').split('/').pop();

  /** The schemas by the type of an event: of one stream, or of all streams of the document. */
  function mappingOf(operation) {
    for (const response of Object.values((operation && operation.responses) || {})) {
      const schema = response.content && response.content['text/event-stream'] && response.content['text/event-stream'].schema;
      if (schema && schema.discriminator && schema.discriminator.mapping) return schema.discriminator.mapping;
    }
    return undefined;
  }

  function schemaNameOf(spec, path, method, event) {
    if (typeof event !== 'object' || event === null) return undefined;
    const operation = spec.paths && spec.paths[path] && spec.paths[path][method];
    const own = mappingOf(operation);
    if (own && own[event.type]) return nameOf(own[event.type]);
    const schemas = (spec.components && spec.components.schemas) || {};
    if (event.object === 'response' && schemas.AgentResponseDto) return 'AgentResponseDto';
    if (event.object === 'message' && schemas.MessageEventDto) return 'MessageEventDto';
    if (event.object === 'content') {
      const name = String(event.type).replace(/^./, (first) => first.toUpperCase()) + 'ContentDto';
      return schemas[name] ? name : undefined;
    }
    for (const item of Object.values(spec.paths || {})) {
      for (const other of Object.values(item)) {
        const mapping = mappingOf(other);
        if (mapping && mapping[event.type]) return nameOf(mapping[event.type]);
      }
    }
    return undefined;
  }

  /** What an event is called in the list. */
  function titleOf(event) {
    if (typeof event !== 'object' || event === null) return undefined;
    const words = event.object ? [event.object, event.type, event.status] : [event.type];
    return words.filter((word) => typeof word === 'string').join(' ');
  }

  function showSchema(name) {
    const model = document.getElementById('model-' + name);
    if (!model) return;
    const toggle = model.querySelector('[aria-expanded="false"]');
    if (toggle) toggle.click();
    model.scrollIntoView({ block: 'start' });
    model.setAttribute('tabindex', '-1');
    model.focus();
  }

  function plugin({ React }) {
    const h = React.createElement;

    class StreamPanel extends React.Component {
      componentDidMount() {
        this.update = () => this.forceUpdate();
        listeners.add(this.update);
      }
      componentWillUnmount() {
        listeners.delete(this.update);
      }
      render() {
        const { path, method, spec } = this.props;
        const stream = streams.get(keyOf(path, method));
        if (!stream) return null;
        const state = stream.isOpen ? 'receiving' : stream.isStopped ? 'stopped' : 'ended';
        return h('section', { className: 'stream-panel', 'aria-label': 'Frames of the stream', 'data-state': state },
          h('div', { className: 'stream-head' },
            h('strong', { role: 'status' }, stream.count + (stream.count === 1 ? ' frame' : ' frames') + ', ' + state),
            stream.isOpen && h('button', { type: 'button', className: 'btn stream-stop', onClick: () => {
              stream.isStopped = true;
              stream.controller.abort();
            } }, 'Stop')),
          stream.count > SHOWN && h('p', null, 'The last ' + SHOWN + ' frames:'),
          h('ol', { className: 'stream-frames', tabIndex: 0, 'aria-label': 'Frames' },
            stream.frames.map((frame) => h(Frame, { key: frame.number, frame, path, method, spec }))));
      }
    }

    function Frame({ frame, path, method, spec }) {
      const event = jsonOf(frame.text);
      const title = titleOf(event);
      const schema = schemaNameOf(spec, path, method, event);
      return h('li', { value: frame.number },
        title && schema
          ? h('button', { type: 'button', className: 'stream-type', title: 'Show the schema ' + schema, onClick: () => showSchema(schema) }, title)
          : title && h('span', { className: 'stream-type' }, title),
        h('pre', null, frame.text));
    }

    return {
      statePlugins: {
        spec: {
          wrapActions: {
            executeRequest: (original) => (request) =>
              original({ ...request, userFetch: streamingFetch(keyOf(request.pathName, request.method)) }),
          },
        },
      },
      wrapComponents: {
        responses: (Original) => (props) =>
          h(React.Fragment, null,
            h(StreamPanel, { path: props.path, method: props.method, spec: props.specSelectors.specJson().toJS() }),
            h(Original, props)),
      },
    };
  }

  return plugin;
})();
`;

/** The style of the plug-in. */
export const STREAMS_CSS = `.stream-panel { margin: 0 20px 20px; padding: 12px; border: 1px solid #8c8c8c; border-radius: 4px; background: #fff; }
.stream-head { display: flex; align-items: center; justify-content: space-between; font: 14px sans-serif; color: #222; }
.stream-frames { max-height: 20rem; overflow: auto; margin: 8px 0 0; padding-left: 3.5em; font: 12px monospace; color: #222; }
.stream-frames li { margin-bottom: 6px; }
.stream-frames pre { margin: 2px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.stream-type { border: 0; padding: 0; background: none; font: bold 12px monospace; color: #222; }
button.stream-type { color: #0b5394; text-decoration: underline; cursor: pointer; }
`;
