// serve-verdaccio.cjs VERDACCIO CONFIG: serves verdaccio, which is in the folder VERDACCIO, on a free port of 127.0.0.1, and sends the port to
// the process that started it. It exists because the command of verdaccio takes a fixed port only.
const [verdaccio, config] = process.argv.slice(2);

async function serve() {
  const { runServer } = require(verdaccio);
  const server = await runServer(config);
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}
serve();
process.on('disconnect', () => process.exit(0));
