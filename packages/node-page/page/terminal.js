import {
  channels,
  closeInputFrame,
  endText,
  execFrame,
  execProtocol,
  parseFrame,
  shellUrl,
  sizeFrame,
} from '../src/browser/exec-frames.ts';
import { inputPieces, keyInput, pasteInput } from '../src/browser/terminal-keys.ts';
import { terminalRuns } from '../src/browser/terminal-runs.ts';
import { createTerminalScreen } from '../src/browser/terminal-screen.ts';
import { arrange, element, setText } from './dom.js';
import { perFrame } from './frame.js';

/** A shell in a container, over the agent's exec endpoint: it ends when the shell exits or the terminal closes. */
export function createTerminal(target, onClose) {
  const { root, output, input, state, enter, close, keys } = parts(target.container);
  const screen = createTerminalScreen({ columns: 80, rows: 24 });
  const drawn = createDrawnLines();
  const socket = new WebSocket(shellUrl(location.href, target), execProtocol);
  socket.binaryType = 'arraybuffer';
  const decoders = { [channels.stdout]: new TextDecoder(), [channels.stderr]: new TextDecoder() };
  let size;
  let end;
  let isReady = false;

  const send = (text) => {
    if (socket.readyState === WebSocket.OPEN) for (const piece of inputPieces(text)) socket.send(execFrame(channels.stdin, piece));
  };
  const show = perFrame(() => {
    const isAtEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4;
    arrange(output, drawn.draw(screen.view()));
    if (isAtEnd) output.scrollTop = output.scrollHeight;
  });
  const fit = () => {
    const next = sizeOf(output);
    if (next === undefined || (next.columns === size?.columns && next.rows === size.rows)) return;
    size = next;
    screen.resize(size);
    if (isReady) socket.send(sizeFrame(size));
    show();
  };
  const resized = new ResizeObserver(perFrame(fit));
  resized.observe(output);

  socket.onopen = () => {
    isReady = true;
    setText(state, 'connected');
    if (size) socket.send(sizeFrame(size));
  };
  socket.onmessage = ({ data }) => {
    const frame = parseFrame(data);
    if (frame === undefined) return;
    if (frame.channel === channels.error) end = endText(new TextDecoder().decode(frame.data));
    const decoder = decoders[frame.channel];
    if (decoder === undefined) return;
    send(screen.write(decoder.decode(frame.data, { stream: true })));
    show();
  };
  socket.onclose = () => {
    setText(state, end ?? (isReady ? 'the connection ended' : 'the agent refused the terminal'));
    if (document.activeElement === input) output.focus();
    for (const each of [input, enter, ...keys]) each.disabled = true;
  };
  listenToInput({ root, output, input, enter, screen, send });
  for (const key of keys) {
    key.addEventListener('click', () => {
      send(key.dataset.input);
      input.focus();
    });
  }
  const stop = () => {
    resized.disconnect();
    if (socket.readyState === WebSocket.OPEN) socket.send(closeInputFrame());
    socket.close();
    root.remove();
  };
  close.addEventListener('click', () => {
    stop();
    onClose();
  });
  return { root, focus: () => input.focus(), stop };
}

function parts(container) {
  const button = (text, attributes = {}) => element('button', { type: 'button', text, ...attributes });
  const state = element('span', { class: 'message', role: 'status', text: 'connecting' });
  const keys = [
    button('Ctrl+C', { 'data-input': '\u0003' }),
    button('Tab', { 'data-input': '\t' }),
    button('↑', { 'data-input': '\u001b[A', 'aria-label': 'Arrow up' }),
  ];
  const enter = button('Type');
  const close = button('Close');
  const output = element('pre', { class: 'output', role: 'log', tabindex: '0', 'aria-label': `Terminal of ${container}` });
  const input = element('textarea', {
    tabindex: '-1',
    rows: '1',
    autocapitalize: 'off',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': `Input of ${container}: Shift+Tab leaves it`,
  });
  const root = element(
    'section',
    { class: 'terminal', 'aria-label': `Terminal of ${container}` },
    element(
      'div',
      { class: 'bar' },
      element('h3', { text: `Terminal of ${container}` }),
      state,
      enter,
      element('span', { class: 'keys' }, ...keys),
      close,
    ),
    element('div', { class: 'screen' }, output, input),
    element('p', { class: 'message', text: 'All keys go to the container, also Tab and Escape; Shift+Tab leaves the terminal.' }),
  );
  return { root, output, input, state, enter, close, keys };
}

/** Keys, text, also of input methods, and pasted text. Only a click and the button Type enter the input, so Tab passes it. */
function listenToInput({ output, input, enter, screen, send }) {
  const take = () => {
    send(input.value.replaceAll('\n', '\r'));
    input.value = '';
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Tab' && event.shiftKey) {
      event.preventDefault();
      return enter.focus();
    }
    const isCopy = event.key === 'c' && event.ctrlKey && !getSelection().isCollapsed;
    const text = isCopy ? undefined : keyInput(event, screen.modes.applicationKeys);
    if (text === undefined) return;
    event.preventDefault();
    send(text);
    output.scrollTop = output.scrollHeight;
  });
  input.addEventListener('input', ({ isComposing }) => isComposing || take());
  input.addEventListener('compositionend', take);
  input.addEventListener('paste', (event) => {
    event.preventDefault();
    send(pasteInput(event.clipboardData.getData('text/plain'), screen.modes.bracketedPaste));
  });
  enter.addEventListener('click', () => input.focus());
  output.addEventListener('click', () => {
    if (getSelection().isCollapsed && !input.disabled) input.focus({ preventScroll: true });
  });
}

/** The size in cells of the room for the output; undefined while it is hidden. */
function sizeOf(output) {
  const probe = element('span', { class: 'probe', text: '0'.repeat(10) });
  output.append(probe);
  const { width, height } = probe.getBoundingClientRect();
  probe.remove();
  if (width === 0) return undefined;
  const { paddingLeft, paddingTop } = getComputedStyle(output);
  const columns = Math.floor((output.clientWidth - 2 * Number.parseFloat(paddingLeft)) / (width / 10));
  const rows = Math.floor((output.clientHeight - 2 * Number.parseFloat(paddingTop)) / height);
  return { columns: Math.max(20, Math.min(columns, 500)), rows: Math.max(4, Math.min(rows, 200)) };
}

/** Elements of lines, drawn again only where the line has changed or the cursor was or is. */
function createDrawnLines() {
  const known = new WeakMap();
  return {
    draw: ({ lines, cursor }) =>
      lines.map((line, index) => {
        const at = index === cursor.line && cursor.isVisible ? cursor.column : undefined;
        const drawn = known.get(line) ?? { root: element('div') };
        known.set(line, drawn);
        if (drawn.version !== line.version || drawn.at !== at) {
          drawn.version = line.version;
          drawn.at = at;
          drawn.root.replaceChildren(
            ...terminalRuns(line, at).map(({ text, classes }) => (classes ? element('span', { class: classes, text }) : text)),
          );
        }
        return drawn.root;
      }),
  };
}
