/** Servers for tests. */
import type { AddressInfo, Server } from 'node:net';

/** Starts a server on a free port of 127.0.0.1. `host` is the address with the port. */
export async function listen(server: Server): Promise<{ readonly port: number; readonly host: string }> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { port, host: `127.0.0.1:${port}` };
}
