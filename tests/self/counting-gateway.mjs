// A gateway in a process of its own that accepts every close-day, at whatever path, and counts those that came.
import { createServer } from 'node:http';

let mode = 'answers';
let closed = 0;

const server = createServer((request, response) => {
  if (mode === 'silent') return request.socket.destroy();
  request.resume().on('end', () => {
    if (!request.url.includes('/close-day/')) return response.writeHead(404).end();
    closed += 1;
    process.send({ closed });
    if (mode === 'holds') return;
    const body = { response: { status: 'finished', gates: [] }, theRequestSerialNumber: '1' };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
});

process.on('message', (wanted) => {
  mode = wanted;
  process.send({ mode });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
