import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex, finished } from 'node:stream';

/**
 * The standard input and output of a program as one stream; each direction ends independently. It fails with what `problem` resolves to if the
 * program does. Destroying it before both directions have ended kills the program.
 */
export function programStream(child: ChildProcessWithoutNullStreams, problem: () => string): Duplex {
  const { stdin, stdout } = child;
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stream: Duplex = new Duplex({
    read: () => void stdout.resume(),
    write(chunk, _encoding, done) {
      stdin.write(chunk, (error) => (error ? void closed.then(() => done(new Error(problem()))) : done()));
    },
    final: (done) => void stdin.end(done),
    destroy(error, done) {
      // A program whose streams have both ended has still to pass on what it received.
      if (!stream.readableEnded || !stream.writableFinished) child.kill('SIGKILL');
      done(error);
    },
  });
  stdin.on('error', () => {});
  stdout.on('data', (chunk) => {
    if (!stream.push(chunk)) stdout.pause();
  });
  stdout.once('end', () => stream.push(null));
  void closed.then((exitCode) => {
    if (exitCode === 0) return;
    // What the program has written first is read to its end.
    finished(stream, { writable: false }, () => stream.destroy(new Error(problem())));
  });
  return stream;
}
