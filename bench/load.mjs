/** Sends load over raw sockets, so that the load costs less than the measured server. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends calls over several connections, each call after the previous answer. True if each answer has status 200. */
export async function postAll(port, calls, connections) {
  let next = 0;
  let right = 0;
  await Promise.all(
    Array.from({ length: Math.min(connections, calls.length) }, async () => {
      const socket = await opened(port);
      await new Promise((resolve, reject) => {
        let text = '';
        const send = () => {
          if (next === calls.length) return resolve(socket.destroy());
          const call = calls[next++];
          socket.write(headOf(port, call, call.body.length) + call.body);
        };
        socket.on('data', (chunk) => {
          text += chunk.latin1Slice();
          const status = answered(text);
          if (status === undefined) return;
          if (status === 200 && text.includes('"finished"')) right += 1;
          text = '';
          send();
        });
        socket.on('error', reject);
        socket.on('close', resolve);
        send();
      });
    }),
  );
  return { answer: right === next };
}

/** Sends one call of any length, and returns the status of its answer. */
export async function post(port, { path, authorization, body }) {
  const socket = await opened(port);
  try {
    socket.write(headOf(port, { path, authorization }, body.length));
    socket.write(body);
    let text = '';
    for await (const chunk of socket) {
      text += chunk.latin1Slice();
      const status = answered(text);
      if (status !== undefined) return status;
    }
    throw new Error('the connection ended before the answer');
  } finally {
    socket.destroy();
  }
}

async function opened(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function headOf(port, { path, authorization }, length) {
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
    `Authorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n`
  );
}

/** Returns the status if `text` is a complete answer, else undefined. */
function answered(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length < head + 4 + length ? undefined : Number(text.slice(9, 12));
}
