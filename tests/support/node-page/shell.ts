import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { acceptOverWebSocket, formatCommandEnd, type TerminalSize } from '@nodeagent/streaming';

const prompt = '\u001b[1;32m/srv $\u001b[0m ';

/** What a command of the shell writes, and whether the shell exits with a code. */
type Command = (argument: string, size: TerminalSize) => string | { exitCode: number };

const commands: Readonly<Record<string, Command>> = {
  ls: () => '\u001b[1;34mcache\u001b[0m  \u001b[1;34mconf\u001b[0m  \u001b[1;32mserver\u001b[0m  server.log\r\n',
  'df -h /cache': () =>
    'Filesystem                Size      Used Available Use% Mounted on\r\ntmpfs                   256.0M     12.4M    243.6M   5% /cache\r\n',
  'stty size': (_, { Width, Height }) => `${Height} ${Width}\r\n`,
  'seq 3000': () => Array.from({ length: 3_000 }, (__, index) => `${index + 1}\r\n`).join(''),
  'exit 3': () => ({ exitCode: 3 }),
};

/** Serves a WebSocket of the exec endpoint with a shell that knows a few commands: it echoes and edits its line as a terminal does. */
export async function serveShell(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const command = acceptOverWebSocket(request, socket, head, { stdin: true, stdout: true, stderr: false, tty: true });
  let size: TerminalSize = { Width: 0, Height: 0 };
  command.onResize((next) => {
    size = next;
  });
  const write = (text: string) => command.stdout?.write(text);
  let line = '';
  write(prompt);
  for await (const data of command.stdin ?? []) {
    for (const key of `${data}`) {
      if (key === '\u0003') {
        write(`^C\r\n${prompt}`);
        line = '';
      } else if (key === '\u007f') {
        if (line !== '') write('\b \b');
        line = line.slice(0, -1);
      } else if (key !== '\r') {
        write(key);
        line += key;
      } else {
        const answer = commands[line]?.(line, size) ?? `sh: ${line}: not found\r\n`;
        write('\r\n');
        if (typeof answer === 'object') return command.finish(formatCommandEnd(answer));
        write(answer + prompt);
        line = '';
      }
    }
  }
}
