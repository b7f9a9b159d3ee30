/** A server that ends each connection two milliseconds after its answer and does not say so, which RFC 9112 9.6 asks of it. */
import { createServer } from 'node:net';

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    setTimeout(() => socket.end(), 2);
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
